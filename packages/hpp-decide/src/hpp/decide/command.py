"""``hpp route``: which tier serves a request, and whose."""

from __future__ import annotations

from hpp.core.command import Command
from hpp.core.family import run_family
from hpp.core.tier import TIERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hpp.core.arguments import Arguments, Values

__all__ = ["ROUTE", "main"]


def _arguments(declared: Arguments) -> None:
    declared.option(
        "--request", "FILE", help="object: stage, risk, complexity, context", required=True
    )
    declared.option(
        "--providers", "FILE", help="list of id, tiers, stages, max_context", required=True
    )
    declared.option(
        "--policy",
        "TIER",
        help="tier of a request that asks for no more",
        choices=TIERS,
        default="balanced",
    )


def _route(values: Values) -> int:
    from hpp.core.document import read_document, shown_name
    from hpp.core.output import write_json
    from hpp.decide.route import choose_route, parse_providers, parse_request

    asked = read_document(values.request, root=dict)
    request = parse_request(asked, shown_name(values.request))
    offered = read_document(values.providers, root=list)
    providers = parse_providers(offered, shown_name(values.providers))
    write_json(choose_route(request, providers, values.policy).document())
    return 0


ROUTE = Command(
    "route",
    "choose the tier and the provider of a request",
    arguments=_arguments,
    run=_route,
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program ``hpp-decide`` and return its exit status."""
    return run_family("hpp-decide", [ROUTE], argv)
