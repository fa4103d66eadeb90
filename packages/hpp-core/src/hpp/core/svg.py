"""Graphs as pictures: a layered drawing in SVG, made without a browser or a network.

Nodes stand in columns, edges run from left to right, and a colour tells a relation; a
legend names them. The picture follows the light or dark scheme of who looks at it.
"""

from __future__ import annotations

from xml.sax.saxutils import escape

from hpp.core.layer import LONGEST_LABEL, Box, Placed, place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hpp.core.graph import Graph

__all__ = ["picture"]

_MARGIN = 24
_LEGEND_ROW = 22
_COLOURS = 8
_DEEPEST_BACK = 90
_WIDEST_BESIDE = 110
_STYLE = """
svg{--bg:#ffffff;--ink:#1c2330;--mute:#5b6675;--box:#f3f5f8;--line:#c3cad4;
--c0:#2f6fb7;--c1:#b4541a;--c2:#2d7d46;--c3:#8a3ba3;--c4:#a8842c;--c5:#c0364c;--c6:#2a8a8f;--c7:#6a6f7a}
@media (prefers-color-scheme:dark){svg{--bg:#12161d;--ink:#e7ebf1;--mute:#9aa5b4;--box:#1d2430;
--line:#3a4554;--c0:#6fb1ff;--c1:#ff9d5c;--c2:#6fd08c;--c3:#d58cf0;--c4:#e5c35f;--c5:#ff7d90;
--c6:#62d0d6;--c7:#aab2bf}}
text{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:var(--ink)}
.kind{fill:var(--mute);font-size:10px}.box{fill:var(--box);stroke:var(--line)}
.edge{fill:none;stroke-width:1.4;stroke-opacity:.8}.back{stroke-dasharray:5 4}
""".strip()


def picture(graph: Graph, title: str) -> bytes:
    """Return an SVG document, the same bytes for the same graph.

    Args:
        graph: What is drawn; an empty one is a picture that says so.
        title: Read out by a screen reader.

    """
    placed = place(graph)
    relations = sorted({_family(relation) for _, _, relation in graph.edges})
    colour = {name: f"var(--c{number % _COLOURS})" for number, name in enumerate(relations)}
    has_beside = any(placed.boxes[end].x == placed.boxes[start].x for start, end, _ in graph.edges)
    width = placed.width + 2 * _MARGIN + (_WIDEST_BESIDE if has_beside else 0)
    has_back = any(placed.boxes[end].x < placed.boxes[start].x for start, end, _ in graph.edges)
    legend_top = placed.height + 2 * _MARGIN + (_DEEPEST_BACK if has_back else 0)
    height = legend_top + _LEGEND_ROW * max(1, len(relations)) + _MARGIN // 2
    parts = [
        _opening(width, height),
        f"<title>{_text(title)}</title>",
        f"<style>{_STYLE}</style>",
        f'<rect width="{width}" height="{height}" style="fill:var(--bg)"/>',
        f'<g transform="translate({_MARGIN} {_MARGIN})">',
        *_edges(graph, placed, colour),
        *_nodes(graph, placed),
        "</g>",
        *_legend(relations, colour, legend_top),
        "</svg>",
    ]
    return ("\n".join(parts) + "\n").encode()


def _opening(width: int, height: int) -> str:
    size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" role="img" {size}>'


def _nodes(graph: Graph, placed: Placed) -> list[str]:
    parts: list[str] = []
    for node in sorted(graph.nodes):
        kind, label = graph.nodes[node]
        box = placed.boxes[node]
        shown = label if len(label) <= LONGEST_LABEL else label[: LONGEST_LABEL - 1] + "…"
        parts.append(
            f'<g><title>{_text(node)}</title><rect class="box" x="{box.x}" y="{box.y}" '
            f'width="{box.width}" height="{box.height}" rx="6"/>'
            f'<text class="kind" x="{box.x + 9}" y="{box.y + 13}">{_text(kind)}</text>'
            f'<text x="{box.x + 9}" y="{box.y + 29}">{_text(shown)}</text></g>'
        )
    if not parts:
        parts.append('<text x="0" y="20">nothing to draw</text>')
    return parts


def _edges(graph: Graph, placed: Placed, colour: dict[str, str]) -> list[str]:
    parts: list[str] = []
    for start, end, relation in sorted(graph.edges):
        first, last = placed.boxes[start], placed.boxes[end]
        stroke = colour[_family(relation)]
        if last.x > first.x:
            curve, arrow = _forward(first, last)
        elif last.x == first.x:
            curve, arrow = _beside(first, last)
        else:
            curve, arrow = _back(first, last)
        kind = "edge" if last.x > first.x else "edge back"
        parts.append(
            f'<path class="{kind}" style="stroke:{stroke}" d="{curve}">'
            f"<title>{_text(f'{start} {relation} {end}')}</title></path>"
            f'<path style="fill:{stroke}" d="{arrow}"/>'
        )
    return parts


def _forward(first: Box, last: Box) -> tuple[str, str]:
    """Run from the right side of one box to the left side of the other."""
    left, top = first.x + first.width, first.y + first.height // 2
    right, bottom = last.x, last.y + last.height // 2
    bend = max(30, (right - left) // 2)
    curve = f"M{left} {top}C{left + bend} {top} {right - bend} {bottom} {right} {bottom}"
    return curve, f"M{right} {bottom}l-7 -4v8z"


def _beside(first: Box, last: Box) -> tuple[str, str]:
    """Run around the right side, within a column."""
    left, top = first.x + first.width, first.y + first.height // 2
    right, bottom = last.x + last.width, last.y + last.height // 2
    bend = min(_WIDEST_BESIDE, 26 + abs(top - bottom) // 9)
    curve = f"M{left} {top}C{left + bend} {top} {right + bend} {bottom} {right} {bottom}"
    return curve, f"M{right} {bottom}l7 -4v8z"


def _back(first: Box, last: Box) -> tuple[str, str]:
    """Run back underneath, the deeper the further."""
    left, top = first.x + first.width // 2 - 8, first.y + first.height
    right, bottom = last.x + last.width // 2 + 8, last.y + last.height
    depth = min(_DEEPEST_BACK, 24 + (left - right) // 12)
    low = max(top, bottom) + depth
    curve = f"M{left} {top}C{left} {low} {right} {low} {right} {bottom}"
    return curve, f"M{right} {bottom}l-4 7h8z"


def _legend(relations: list[str], colour: dict[str, str], top: int) -> list[str]:
    parts: list[str] = []
    for number, name in enumerate(relations):
        y = top + number * _LEGEND_ROW
        shown = name if len(name) <= 2 * LONGEST_LABEL else name[: 2 * LONGEST_LABEL] + "…"
        parts.append(
            f'<path class="edge" style="stroke:{colour[name]}" d="M{_MARGIN} {y}h34"/>'
            f'<text x="{_MARGIN + 44}" y="{y + 4}">{_text(shown)}</text>'
        )
    return parts


def _family(relation: str) -> str:
    """Return the name a relation has in the legend: collisions differ only in their paths."""
    return "collides" if relation.startswith("collides:") else relation


def _text(text: str) -> str:
    """Return a text for XML, without the characters that no XML may hold."""
    kept = "".join(
        c if c >= " " and c not in "\ufffe\uffff" and not _is_half(c) else " " for c in text
    )
    return escape(kept, {'"': "&quot;"})


def _is_half(char: str) -> bool:
    return "\ud800" <= char <= "\udfff"
