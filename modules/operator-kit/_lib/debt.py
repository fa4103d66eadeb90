"""Debts that comments own up to: ``debt: <limit>, <upgrade>``.

The limit is a date or a condition under which the shortcut has to go; the upgrade is what
takes its place. A debt without both is malformed: nobody could ever say that it is due.
"""

from __future__ import annotations

import datetime as dt
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Debt", "debts", "table"]

OPEN, PAST, MALFORMED = "open", "past", "malformed"
_COMMENT = re.compile(
    r"(?:^|[\s;{})(])(?:#+|//+|--|/\*+|<!--)[ \t]*debt:[ \t]*(.*)$|^[ \t]*\*[ \t]*debt:[ \t]*(.*)$",
    re.IGNORECASE,
)
_CLOSING = re.compile(r"[ \t]*(?:\*+/|-->).*$")
_DATED = re.compile(r"\d{4}-\d{1,2}-\d{1,2}")
_LONGEST = 500


class Debt:
    """One debt.

    Attributes:
        path, line: Where it is.
        limit, upgrade: What it says; empty when it does not.
        state: ``open``, ``past`` or ``malformed``.
        why: What is wrong with one that is not open.

    """

    __slots__ = ("limit", "line", "path", "state", "upgrade", "why")

    def __init__(self, path: str, line: int, text: str, today: dt.date) -> None:
        limit, _, upgrade = _CLOSING.sub("", text).partition(",")
        self.path = path
        self.line = line
        self.limit = limit.strip()[:_LONGEST]
        self.upgrade = upgrade.strip()[:_LONGEST]
        self.state, self.why = self._judged(today)

    def _judged(self, today: dt.date) -> tuple[str, str]:
        if not self.limit or not self.upgrade:
            return MALFORMED, "expected 'debt: <limit>, <upgrade>'"
        if not _DATED.fullmatch(self.limit):
            return OPEN, ""
        try:
            due = dt.date.fromisoformat(self.limit)
        except ValueError:
            return MALFORMED, f"{self.limit} is no date"
        return (PAST, f"due since {due}") if due < today else (OPEN, "")

    def document(self) -> dict[str, object]:
        """Return the debt as reports list it."""
        return {name: getattr(self, name) for name in self.__slots__}


def debts(path: str, text: str, today: dt.date) -> list[Debt]:
    """Return the debts of one file."""
    if "debt:" not in text.lower():
        return []
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        hit = _COMMENT.search(line) if len(line) <= 10 * _LONGEST else None
        if hit:
            found.append(Debt(path, number, hit.group(1) or hit.group(2) or "", today))
    return found


def table(found: Sequence[Debt]) -> str:
    """Return the ledger as a document."""
    lines = [
        "# Technical debt", "",
        "Made from the comments of the source by `debt_ledger.py --apply`.", "",
        "| where | limit | upgrade | state |", "|---|---|---|---|",
    ]  # fmt: skip
    for each in found:
        cells = (f"{each.path}:{each.line}", each.limit, each.upgrade, each.state)
        lines.append(f"| {' | '.join(map(_cell, cells))} |")
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("`", "'")
