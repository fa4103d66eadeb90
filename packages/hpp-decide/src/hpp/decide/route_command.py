"""``hpp route``: which tier serves a request, and whose."""

from __future__ import annotations

from hpp.core.command import Command
from hpp.core.tier import TIERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hpp.core.arguments import Arguments, Values

__all__ = ["ROUTE"]


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
    declared.option("--deliberation", "FILE", help="sealed session that may raise the risk")
    declared.option("--maker-family", "NAME", help="family that its judge must not be of")


def _route(values: Values) -> int:
    from hpp.core.document import check_stdin, read_document, shown_name
    from hpp.core.errors import RefusedError
    from hpp.core.output import write_json
    from hpp.decide.route import choose_route, parse_providers, parse_request

    if values.maker_family is not None and values.deliberation is None:
        raise RefusedError("--maker-family is held against the judge of a --deliberation")

    check_stdin([values.request, values.providers, values.deliberation])
    asked = read_document(values.request, root=dict)
    request = parse_request(asked, shown_name(values.request))
    offered = read_document(values.providers, root=list)
    providers = parse_providers(offered, shown_name(values.providers))
    if values.deliberation is None:
        write_json(choose_route(request, providers, values.policy).document())
        return 0
    from hpp.decide.advice import read_advice

    advice = read_advice(values.deliberation, values.maker_family)
    route = choose_route(advice.raised(request), providers, values.policy)
    write_json({**route.document(), "deliberation": advice.document(request)})
    return 0


ROUTE = Command(
    "route",
    "choose the tier and the provider of a request",
    arguments=_arguments,
    run=_route,
)
