"""Markdown tables that people keep state in: cells found by header, changed one at a time.

A cell ends at a bar that is neither escaped nor inside a code span. A change leaves every
byte outside of its cell as it was, line ends included.
"""

from __future__ import annotations

from hpp.core.errors import RefusedError
from hpp.core.text import shorten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["Row", "Table", "checked_cell", "find_table", "spans"]

_FENCES = ("```", "~~~")


class Row:
    """One row.

    Attributes:
        line: Its number, from 0.
        cells: Text by column, trimmed; a column that the row lacks is not in it.

    """

    __slots__ = ("cells", "line")

    def __init__(self, line: int, cells: dict[str, str]) -> None:
        self.line = line
        self.cells = cells


class Table:
    """A table of a document.

    Attributes:
        columns: The names of its columns, for each its place.
        rows: In their order.

    """

    __slots__ = ("_lines", "_order", "columns", "end", "rows")

    def __init__(
        self, lines: list[str], columns: dict[str, int], rows: list[Row], end: int
    ) -> None:
        self._lines = lines
        self.columns = columns
        self.rows = rows
        self.end = end

    def changed(self, row: Row, column: str, text: str) -> str:
        """Return the document with another text in one cell."""
        lines = list(self._lines)
        line = lines[row.line]
        found = spans(line)
        place = self.columns[column]
        if place >= len(found):
            raise RefusedError(f"line {row.line + 1}: the row has no cell {column!r}")
        start, end = found[place]
        old = line[start:end]
        left = right = " "
        if old.strip():
            left = old[: len(old) - len(old.lstrip())]
            right = old[len(old.rstrip()) :]
        made = f"{line[:start]}{left}{text}{right}{line[end:]}"
        before, after = _cells(line), _cells(made)
        before[place] = text
        if after != before:  # an open code span elsewhere in the row
            raise RefusedError(f"line {row.line + 1}: the row cannot be told apart into cells")
        lines[row.line] = made
        return "".join(lines)

    def added(self, cells: Mapping[str, str]) -> str:
        """Return the document with one more row at the end of the table."""
        names = sorted(self.columns, key=lambda name: self.columns[name])
        last = self._lines[self.end - 1]
        break_ = "\r\n" if last.endswith("\r\n") else "\n"
        lines = list(self._lines)
        if not last.endswith("\n"):
            lines[self.end - 1] = last + break_
        row = "| " + " | ".join(cells.get(name, "") for name in names) + " |"
        return "".join([*lines[: self.end], row + break_, *lines[self.end :]])


def find_table(
    text: str, wanted: Mapping[str, Sequence[str]], required: Sequence[str]
) -> Table | None:
    """Return the first table whose header has the required columns, or None.

    Args:
        text: The document, with its line ends.
        wanted: For each column the words that its header may be, in lower case.
        required: Columns that the table has to have.

    """
    lines = text.splitlines(keepends=True)
    fence = ""
    for number, raw in enumerate(lines[:-1]):
        line = raw.strip()
        if line.startswith(_FENCES):
            fence = line[:3] if not fence else ("" if line.startswith(fence) else fence)
        if fence or "|" not in line or not _is_rule(lines[number + 1]):
            continue
        columns = _columns(_cells(raw), wanted)
        if all(name in columns for name in required):
            rows, end = _rows(lines, number + 2, columns)
            return Table(lines, columns, rows, end)
    return None


def spans(line: str) -> list[tuple[int, int]]:
    """Return where each cell of a row begins and ends."""
    body = line.rstrip("\r\n")
    bars, at = [], 0
    while at < len(body):
        if body[at] == "\\":
            at += 2
            continue
        if body[at] == "`":
            at = _after_span(body, at)
            continue
        if body[at] == "|":
            bars.append(at)
        at += 1
    start = len(body) - len(body.lstrip())
    edges = bars if bars and bars[0] == start else [start - 1, *bars]
    if not edges or body[edges[-1] + 1 :].strip() or len(edges) == 1:
        edges = [*edges, len(body)]
    return [(one + 1, other) for one, other in zip(edges, edges[1:])]  # noqa: B905, RUF007 -- one is shorter


def checked_cell(text: str, where: str) -> str:
    """Return what may stand in a cell.

    Raises:
        RefusedError: It holds a line end, or a bar that would end the cell.

    """
    value = text.strip()
    if any(char in value for char in "\r\n\v\f\x1c\x1d\x1e\x85\u2028\u2029\0"):
        raise RefusedError(f"{where}: a cell is one line")
    if "|" in value and len(spans(f"| {value} |")) != 1:
        raise RefusedError(f"{where}: write a bar in a cell as \\|, got {shorten(value)!r}")
    if len(spans(f"| {value} | x |")) != 2 or _has_open_span(value):  # noqa: PLR2004 -- the two cells
        raise RefusedError(f"{where}: it would swallow the next cell: {shorten(value)!r}")
    return value


def _has_open_span(text: str) -> bool:
    """Say whether backticks begin a code span that another cell could end."""
    at = 0
    while at < len(text):
        if text[at] == "`":
            size = len(text[at:]) - len(text[at:].lstrip("`"))
            end = _after_span(text, at)
            if end == at + size:
                return True
            at = end
        else:
            at += 2 if text[at] == "\\" else 1
    return False


def _after_span(body: str, at: int) -> int:
    """Return the place behind a code span, or behind its marks when it is never closed."""
    size = len(body[at:]) - len(body[at:].lstrip("`"))
    mark = "`" * size
    end = body.find(mark, at + size)
    while end >= 0 and (body[end + size : end + size + 1] == "`"):
        run = len(body[end:]) - len(body[end:].lstrip("`"))
        end = body.find(mark, end + run)
    return at + size if end < 0 else end + size


def _cells(line: str) -> list[str]:
    return [line[start:end].strip() for start, end in spans(line)]


def _columns(header: Sequence[str], wanted: Mapping[str, Sequence[str]]) -> dict[str, int]:
    found: dict[str, int] = {}
    for place, cell in enumerate(header):
        word = cell.strip("*_` ").casefold()
        for name, words in wanted.items():
            if word in words and name not in found:
                found[name] = place
    return found


def _is_rule(line: str) -> bool:
    body = line.strip()
    return "-" in body and set(body) <= set("|-: \t")


def _rows(lines: Sequence[str], start: int, columns: Mapping[str, int]) -> tuple[list[Row], int]:
    rows, end = [], start
    for number in range(start, len(lines)):
        if "|" not in lines[number]:
            break
        end = number + 1
        cells = _cells(lines[number])
        named = {name: cells[place] for name, place in columns.items() if place < len(cells)}
        rows.append(Row(number, named))
    return rows, end
