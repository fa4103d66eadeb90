"""The ledger of goals: a Markdown table that a person reads and a script changes by cells."""

from __future__ import annotations

from hpp.core.errors import RefusedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from _lib.table import Row, Table

__all__ = ["DEFAULT", "Goal", "Ledger", "kind_of_status", "kind_of_tier", "level_of", "parse"]

DEFAULT = "docs/plans/_GOAL-LEDGER.md"
DONE, IN_PROGRESS, BLOCKED, PENDING = "done", "in-progress", "blocked", "pending"
REPO, EXTERNAL, GATE = "repo", "external", "gate"
_COLUMNS = {
    "id": ("#", "id", "no", "no.", "number"),
    "goal": ("goal", "goals", "objective", "title"),
    "tier": ("tier",),
    "prd": ("prd", "spec"),
    "status": ("status", "state"),
    "criterion": ("criterion", "criteria", "done when"),
    "review": ("review",),
    "readiness": ("readiness", "level"),
}
_REQUIRED = ("id", "goal", "status")
_STATUS = {
    DONE: ("done", "complete", "completed", "finished", "shipped", "closed"),
    IN_PROGRESS: ("in progress", "in-progress", "wip", "doing", "active", "started", "ongoing"),
    BLOCKED: ("blocked", "on hold", "on-hold", "waiting", "stuck"),
    PENDING: (
        "pending", "todo", "to do", "to-do", "open", "not started", "not done", "planned",
        "queued", "backlog", "new",
    ),
}  # fmt: skip
_TIER = {
    REPO: ("repo", "repository", "autonomous"),
    EXTERNAL: ("external", "third party", "third-party", "vendor"),
    GATE: ("gate", "human", "person", "operator", "manual"),
}
_LEVELS = 5


class Goal:
    """One row of the ledger; `kind` and `tier` are out of the closed lists."""

    __slots__ = ("cells", "id", "kind", "level", "row", "tier")

    def __init__(self, row: Row) -> None:
        self.row = row
        self.cells = row.cells
        self.id = row.cells.get("id", "")
        self.kind = kind_of_status(row.cells.get("status", "")) or PENDING
        self.tier = kind_of_tier(row.cells.get("tier", ""))
        self.level = level_of(row.cells.get("readiness", ""))

    def document(self) -> dict[str, Any]:
        """Return the goal as reports show it."""
        texts = {name: self.cells.get(name, "") for name in _COLUMNS}
        return {**texts, "kind": self.kind, "tier_kind": self.tier, "level": f"R{self.level}"}

    def line(self) -> str:
        """Return the goal in a line."""
        return f"{self.id}  {self.kind}  {self.tier}  R{self.level}  {self.cells.get('goal', '')}"


class Ledger:
    """The goals of one document, in their order."""

    __slots__ = ("goals", "name", "table")

    def __init__(self, name: str, table: Table) -> None:
        self.name = name
        self.table = table
        self.goals = [Goal(row) for row in table.rows if row.cells.get("id")]

    def find(self, goal_id: str) -> Goal | None:
        """Return the goal of an id; None when there is none.

        Raises:
            RefusedError: Two rows have it, so nobody can say which is meant.

        """
        found = [goal for goal in self.goals if goal.id == goal_id]
        if len(found) > 1:
            lines = ", ".join(str(goal.row.line + 1) for goal in found)
            raise RefusedError(f"{self.name}: the id {goal_id!r} is on lines {lines}")
        return found[0] if found else None

    def following(self) -> Goal | None:
        """Return the first goal that an agent may go on with by itself."""
        ready = (goal for goal in self.goals if goal.kind not in (DONE, BLOCKED))
        return next((goal for goal in ready if goal.tier == REPO), None)

    def changed(self, goal: Goal, column: str, text: str) -> str:
        """Return the document with another text in one cell of a goal."""
        if column not in self.table.columns:
            raise RefusedError(f"{self.name}: the table has no column {column!r}")
        return self.table.changed(goal.row, column, text)


def parse(text: str, name: str) -> Ledger:
    """Return the ledger of a document.

    Raises:
        RefusedError: It has no table with the columns that a ledger needs.

    """
    from _lib.table import find_table

    table = find_table(text, _COLUMNS, _REQUIRED)
    if table is None:
        raise RefusedError(f"{name}: no table with the columns {', '.join(_REQUIRED)}")
    return Ledger(name, table)


def kind_of_status(cell: str) -> str | None:
    """Return the kind of a status cell by the words it begins with; None for other words."""
    return _kind(cell, _STATUS)


def kind_of_tier(cell: str) -> str:
    """Return who may proceed; what nobody wrote down belongs to a person."""
    return _kind(cell, _TIER) or GATE


def level_of(cell: str) -> int:
    """Return the level of readiness that a cell begins with; 0 when it names none."""
    word = cell.strip().lstrip("*_`")[:2].upper()
    is_level = len(word) > 1 and word[0] == "R" and word[1].isdecimal()
    return int(word[1]) if is_level and int(word[1]) < _LEVELS else 0


def _kind(cell: str, words: Mapping[str, Sequence[str]]) -> str | None:
    text = " ".join(cell.casefold().split()).lstrip("*_`~ ")
    while text and not text[0].isalnum():  # a sign in front, such as a tick
        text = text[1:].lstrip()
    for kind, names in words.items():
        for name in names:
            rest = text[len(name) :]
            if text.startswith(name) and not (rest[:1].isalnum() or rest[:1] in ("-", "_", "?")):
                return kind
    return None
