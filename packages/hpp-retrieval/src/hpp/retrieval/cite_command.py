"""``hpp cite check``: hold the markers of texts to the context they were written from."""

from __future__ import annotations

from hpp.core.command import Command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from hpp.core.arguments import Arguments, Values
    from hpp.retrieval.citation import Check

__all__ = ["CITE"]

_FORMATS = ("json", "sarif", "github")
_SEVERAL = "hpp.citation-checks/v1"


def _arguments(declared: Arguments) -> None:
    declared.option(
        "--text", "FILE", help="text to check; may be given again", required=True, repeat=True
    )
    declared.option(
        "--context", "FILE", help="JSON list of ids, or of objects with id and text", required=True
    )
    declared.option(
        "--max-per-sentence",
        "N",
        help="markers of a sentence that are not too many",
        kind="integer",
        default=4,
    )
    declared.option(
        "--marker", "REGEX", help="what a marker is, the id in its one group (default [ID:...])"
    )
    declared.option("--format", "F", help="form of the result", choices=_FORMATS, default="json")


def _run(values: Values) -> int:
    from hpp.core.document import check_stdin
    from hpp.core.output import write_json, write_text
    from hpp.retrieval.citation import check_texts
    from hpp.retrieval.citecontext import read_context
    from hpp.retrieval.citedtext import read_text
    from hpp.retrieval.marker import DEFAULT_PATTERN

    check_stdin([*values.text, values.context])
    checks = check_texts(
        [read_text(path) for path in values.text],
        read_context(values.context),
        marker=DEFAULT_PATTERN if values.marker is None else values.marker,
        most=values.max_per_sentence,
    )
    if values.format == "github":
        from hpp.retrieval.annotation import workflow_commands

        write_text(workflow_commands(checks))
    elif values.format == "sarif":
        from importlib.metadata import version

        from hpp.retrieval.sarif import sarif_log

        write_json(sarif_log(checks, version("hpp-retrieval")))
    else:
        write_json(checks[0].report() if len(checks) == 1 else _several(checks))
    return max(check.exit_code for check in checks)


def _several(checks: Sequence[Check]) -> dict[str, Any]:
    """Return the reports of several texts under one verdict."""
    from hpp.core.text import utf8_path

    worst = max(checks, key=lambda check: check.exit_code)
    return {
        "schema": _SEVERAL,
        "checks": [{"text": utf8_path(check.text.name), **check.report()} for check in checks],
        "verdict": worst.verdict,
        "exit_code": worst.exit_code,
    }


CITE = Command(
    "cite",
    "check that every citation resolves, without a model",
    subcommands=[
        Command("check", "hold texts to their context", arguments=_arguments, run=_run),
    ],
)
