"""The sheet of gates that only a person opens: a Markdown table, one row a gate."""

from __future__ import annotations

from hpp.core.errors import RefusedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from _lib.table import Table

__all__ = ["COLUMNS", "DEFAULT", "Sheet", "parse", "safe_text"]

DEFAULT = "docs/GATES.md"
COLUMNS = ("id", "gate", "reason", "command", "unblocks", "state", "opened", "closed")
OPEN, CLOSED = "open", "closed"
HEADER = f"""\
# Gates

What waits for a person: the exact step, and what it unblocks.

| {" | ".join(COLUMNS)} |
|{"---|" * len(COLUMNS)}
"""


class Sheet:
    """The gates of one document.

    Attributes:
        gates: The cells of each row, in their order.

    """

    __slots__ = ("_table", "gates", "name")

    def __init__(self, name: str, table: Table) -> None:
        self.name = name
        self._table = table
        self.gates = [row.cells for row in table.rows if row.cells.get("id")]

    def opened(self) -> list[dict[str, str]]:
        """Return the gates that are not closed; a state that is no known word counts as open."""
        return [gate for gate in self.gates if gate.get("state", "").casefold() != CLOSED]

    def added(self, cells: Mapping[str, str], day: str) -> tuple[str, str | None]:
        """Return the id of a gate, and the new document; None when the gate is there already."""
        for gate in self.opened():
            if gate.get("command") == cells["command"]:
                return gate["id"], None
        numbers = [int(gate["id"][1:]) for gate in self.gates if _is_id(gate["id"])]
        new = f"G{max(numbers, default=0) + 1}"
        row = {**cells, "id": new, "state": OPEN, "opened": day, "closed": ""}
        return new, self._table.added(row)

    def closed(self, gate_id: str, said: str) -> str | None:
        """Return the document with a gate closed; None when it is closed already.

        Raises:
            RefusedError: No row has the id, or two have.

        """
        rows = [row for row in self._table.rows if row.cells.get("id") == gate_id]
        if len(rows) != 1:
            raise RefusedError(f"{self.name}: {len(rows)} gates have the id {gate_id!r}")
        if rows[0].cells.get("state", "").casefold() == CLOSED:
            return None
        text = self._table.changed(rows[0], "state", CLOSED)
        again = parse(text, self.name)._table  # noqa: SLF001 -- our own
        row = next(each for each in again.rows if each.cells.get("id") == gate_id)
        return again.changed(row, "closed", said)


def parse(text: str, name: str) -> Sheet:
    """Return the sheet of a document.

    Raises:
        RefusedError: It has no table with all the columns.

    """
    from _lib.table import find_table

    table = find_table(text, {column: (column,) for column in COLUMNS}, COLUMNS)
    if table is None:
        raise RefusedError(f"{name}: no table with the columns {', '.join(COLUMNS)}")
    return Sheet(name, table)


def safe_text(text: str, where: str) -> str:
    """Return what may stand in a cell of the sheet; a bar is escaped for the person.

    Raises:
        RefusedError: It is empty, holds a line end or secret-like text.

    """
    from _lib.table import checked_cell

    from hpp.core.portable.redact import find_secrets

    if not text.strip():
        raise RefusedError(f"{where}: expected a text")
    if find_secrets(text):
        raise RefusedError(f"{where}: secret-like text; name the variable instead")
    return checked_cell(text.replace("\\|", "|").replace("|", "\\|"), where)


def lines_of(gates: Sequence[Mapping[str, str]]) -> list[str]:
    """Return the gates for a person: the step first, for that is what they do."""
    found = []
    for gate in gates:
        found.append(f"{gate['id']}  {gate['state']}  {gate['gate']}: {gate['reason']}")
        found.append(f"    do: {gate['command']}")
        found.append(f"    unblocks: {gate['unblocks']}")
    return found


def _is_id(text: str) -> bool:
    return text[:1] == "G" and text[1:].isascii() and text[1:].isdecimal() and len(text) < 10  # noqa: PLR2004 -- no counter of ours
