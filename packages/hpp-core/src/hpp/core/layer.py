"""Where the nodes of a drawing stand: columns by distance, rows by their neighbours.

A small form of the layered drawing of Sugiyama, Tagawa and Toda (1981): edges that go back
are set aside, each node stands right of those before it, and a few sweeps move it towards
the middle of its neighbours.
"""

from __future__ import annotations

from unicodedata import east_asian_width

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hpp.core.graph import Graph

__all__ = ["LONGEST_LABEL", "Box", "Placed", "place"]

_HEIGHT = 38
_ROW_GAP = 12
_COLUMN_GAP = 120
_CHAR_WIDTH = 7.3
_NARROWEST = 90
LONGEST_LABEL = 34
_SWEEPS = 6


class Box:
    """A node's place in pixels."""

    __slots__ = ("height", "width", "x", "y")

    def __init__(self, x: int, y: int, width: int) -> None:
        self.x = x
        self.y = y
        self.width = width
        self.height = _HEIGHT


class Placed:
    """Every node's box, and the size of the whole."""

    __slots__ = ("boxes", "height", "width")

    def __init__(self, boxes: dict[str, Box]) -> None:
        self.boxes = boxes
        self.width = max((box.x + box.width for box in boxes.values()), default=160)
        self.height = max((box.y + box.height for box in boxes.values()), default=40)


def place(graph: Graph) -> Placed:
    """Return the drawing's places, the same for the same graph."""
    nodes = sorted(graph.nodes)
    kinds = {graph.nodes[node][0] for node in nodes}
    # Edges within a kind tell how things relate and not where they stand, unless there is
    # nothing else to go by.
    steps = sorted(
        {
            (start, end)
            for start, end, _ in graph.edges
            if start != end and (len(kinds) == 1 or graph.nodes[start][0] != graph.nodes[end][0])
        }
    )
    column = _kind_columns(graph, nodes, steps) or _columns(nodes, steps)
    rows = _rows(nodes, column, steps)
    return Placed(_boxes(graph, rows))


def _kind_columns(
    graph: Graph, nodes: list[str], steps: list[tuple[str, str]]
) -> dict[str, int] | None:
    """Return a column a kind, when kinds lead to kinds in one direction; None otherwise."""
    kind = {node: graph.nodes[node][0] for node in nodes}
    pairs = sorted({(kind[start], kind[end]) for start, end in steps})
    kinds = sorted(set(kind.values()))
    if len(kinds) == 1:
        return None
    column = dict.fromkeys(kinds, 0)
    for _ in kinds:
        for start, end in pairs:
            column[end] = max(column[end], column[start] + 1)
    if any(column[end] >= len(kinds) for _, end in pairs):
        return None  # a cycle pushes its columns on for ever
    return {node: column[kind[node]] for node in nodes}


def _columns(nodes: list[str], steps: list[tuple[str, str]]) -> dict[str, int]:
    """Return each node's column: its longest way from a start, edges that go back set aside."""
    after: dict[str, list[str]] = {node: [] for node in nodes}
    incoming = dict.fromkeys(nodes, 0)
    for start, end in steps:
        after[start].append(end)
        incoming[end] += 1
    order = _order(sorted(nodes, key=lambda node: (incoming[node] > 0, node)), after)
    position = {node: number for number, node in enumerate(order)}
    column = dict.fromkeys(nodes, 0)
    for node in order:
        for other in after[node]:
            if position[other] > position[node]:
                column[other] = max(column[other], column[node] + 1)
    return column


def _order(nodes: list[str], after: dict[str, list[str]]) -> list[str]:
    """Return a depth-first order in which only edges that go back point backwards."""
    done: set[str] = set()
    finished: list[str] = []
    for root in nodes:
        if root in done:
            continue
        done.add(root)
        trail = [(root, iter(after[root]))]
        while trail:
            node, following = trail[-1]
            other = next((each for each in following if each not in done), None)
            if other is None:
                finished.append(node)
                trail.pop()
            else:
                done.add(other)
                trail.append((other, iter(after[other])))
    return finished[::-1]


def _rows(
    nodes: list[str], column: dict[str, int], steps: list[tuple[str, str]]
) -> list[list[str]]:
    """Return the nodes of each column, ordered by the middle of their neighbours."""
    count = max(column.values(), default=-1) + 1
    rows: list[list[str]] = [[node for node in nodes if column[node] == n] for n in range(count)]
    near: dict[str, list[str]] = {node: [] for node in nodes}
    for start, end in steps:
        near[start].append(end)
        near[end].append(start)
    for _ in range(_SWEEPS):
        where = {node: n / max(1, len(row)) for row in rows for n, node in enumerate(row)}
        middle = {
            node: sum(where[other] for other in near[node]) / len(near[node])
            if near[node]
            else where[node]
            for node in nodes
        }
        rows = [sorted(row, key=lambda node: (round(middle[node], 6), node)) for row in rows]
    return rows


def _boxes(graph: Graph, rows: list[list[str]]) -> dict[str, Box]:
    boxes: dict[str, Box] = {}
    tallest = max((len(row) for row in rows), default=0)
    x = 0
    for row in rows:
        longest = max((_letters(graph.nodes[n][1]) for n in row), default=0)
        width = max(_NARROWEST, int(longest * _CHAR_WIDTH) + 20)
        top = (tallest - len(row)) * (_HEIGHT + _ROW_GAP) // 2
        for number, node in enumerate(row):
            boxes[node] = Box(x, top + number * (_HEIGHT + _ROW_GAP), width)
        x += width + _COLUMN_GAP
    return boxes


def _letters(label: str) -> int:
    """Return how many narrow letters a label is as long as; the wide ones count twice."""
    shown = label[:LONGEST_LABEL]
    return sum(2 if east_asian_width(char) in "WF" else 1 for char in shown)
