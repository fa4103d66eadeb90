"""``hpp findings``: check what a review by one lens says."""

from __future__ import annotations

from hpp.core.command import Command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hpp.core.arguments import Arguments, Values

__all__ = ["FINDINGS"]


def _check_arguments(declared: Arguments) -> None:
    declared.positional("FILE", help="review by one lens; - is stdin", many=True)
    declared.option("--subject", "FILE", help="file that every review must be about")


def _check(values: Values) -> int:
    from hpp.core.canonical import sha256_hex
    from hpp.core.document import check_stdin, read_input
    from hpp.core.output import write_json
    from hpp.core.strictjson import LARGE_LIMIT
    from hpp.core.text import utf8_path
    from hpp.decide.finding import read_review
    from hpp.decide.reading import read_place

    check_stdin([*values.file, values.subject])
    subject = None
    if values.subject is not None:
        subject = sha256_hex(read_input(values.subject, limit=LARGE_LIMIT))
    reports = []
    for path in values.file:
        review = read_review(read_place(path), subject_sha256=subject)
        reports.append(
            {
                "file": utf8_path(path),
                **review.document,
                "counts": review.counts,
                "verdict": review.verdict,
            }
        )
    write_json({"reports": reports})
    return 0 if all(report["verdict"] == "pass" for report in reports) else 1


FINDINGS = Command(
    "findings",
    "check the findings of a review",
    subcommands=[
        Command("check", "check reviews by one lens each", arguments=_check_arguments, run=_check)
    ],
)
