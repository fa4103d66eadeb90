"""The report of a tool: what it did or would do, and each problem with its way out.

Every report holds `schema`, `status`, `exit_code` and `problems`, so that a program reads
the reports of all tools alike.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["BLOCK", "WARN", "ToolRefusedError", "problem", "report", "shown_problems"]

BLOCK, WARN = "block", "warn"
_STATUS = {0: "ok", 1: "warn", 2: "block"}


def problem(  # noqa: PLR0913 -- the six keys of every problem
    code: str, *, severity: str = BLOCK, path: str, measured: str, expected: str, following: str
) -> dict[str, str]:
    """Return one problem.

    Args:
        code: Stable name, in lower case with hyphens.
        severity: `BLOCK` or `WARN`.
        path: File, or place in a document, that it is about.
        measured: What was found.
        expected: What would have been right.
        following: What the person does next; the key is `next`.

    """
    return {
        "code": code,
        "severity": severity,
        "path": path,
        "measured": measured,
        "expected": expected,
        "next": following,
    }


def report(schema: str, problems: list[dict[str, str]], **content: Any) -> dict[str, Any]:  # noqa: ANN401 -- any JSON value
    """Return a report whose status follows from its problems: none 0, warnings 1, a block 2."""
    severities = {each["severity"] for each in problems}
    code = 2 if BLOCK in severities else 1 if severities else 0
    return {
        "schema": schema,
        "status": _STATUS[code],
        "exit_code": code,
        "problems": problems,
        **content,
    }


def shown_problems(made: dict[str, Any]) -> str:
    """Return a line for each problem of a report."""
    from hpp.core.text import printable

    return "".join(
        printable(f"{each['severity']} {each['code']} {each['path']}: {each['measured']}") + "\n"
        for each in made["problems"]
    )


class ToolRefusedError(Exception):
    """A request that is refused; nothing was written.

    Attributes:
        problem: What the report says of it.

    """

    def __init__(self, found: dict[str, str]) -> None:
        super().__init__(f"{found['path']}: {found['measured']}; expected {found['expected']}")
        self.problem = found
