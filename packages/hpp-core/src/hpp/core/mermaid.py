"""Mermaid flowcharts: the drawn form of every graph, the same bytes for the same graph.

Node names are numbers and every text of an input stands inside quotes or bars, so that no
id can end a label early. Five characters are written as Mermaid's entities wherever they
stand; a few more only where its parser would otherwise stop or obey the text (`_guarded`).
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    Edge = tuple[str, str, str]
    Group = tuple[str, Iterable[str]]

__all__ = ["edge_text", "flowchart", "label"]

_NOTABLE = re.compile(r'["#|<>\r\n`\u2028\u2029]|%%\{')
_ENTITY = re.compile(r"#(?=\w+;)", re.ASCII)
_BREAK = re.compile(r"\r\n|\r|\n")
_DIRECTIVE = re.compile(r"%(?=%\{)")
_COMMENT = re.compile(r"([\u2028\u2029]\s*)%(?=%)")  # JavaScript begins a line after these
_RULE = re.compile(r"(?:style|classDef).*:[^ \t]*#", re.DOTALL)
_UNQUOTED = re.compile(r"[\[\](){}@]")


def flowchart(nodes: Mapping[str, str], edges: Iterable[Edge], groups: Sequence[Group] = ()) -> str:
    """Return the flowchart of a graph, ending in a line feed.

    Args:
        nodes: Label by id; the order does not matter.
        edges: (from, to, relation) between ids of `nodes`; repeated ones are drawn once.
        groups: (label, ids) in the order they are drawn; an id in one group at most.

    """
    number = {node: index for index, node in enumerate(sorted(nodes))}
    grouped = [(name, sorted(number[node] for node in members)) for name, members in groups]
    inside = {index for _, members in grouped for index in members}
    drawn = [f'n{index}["{label(nodes[node])}"]' for node, index in number.items()]
    lines = ["flowchart LR"]
    lines += [f"  {line}" for index, line in enumerate(drawn) if index not in inside]
    for place, (name, members) in enumerate(grouped):
        lines.append(f'  subgraph c{place}["{label(name)}"]')
        lines += [f"    {drawn[index]}" for index in members]
        lines.append("  end")
    texts = _Texts()
    lines += [
        f"  n{number[start]} -->|{texts[relation]}| n{number[end]}"
        for start, end, relation in sorted(set(edges))
    ]
    return "\n".join(lines) + "\n"


def label(text: str) -> str:
    """Return a text as it stands inside the quotes of a node or of a group."""
    return _guarded(_escaped(text)) if _NOTABLE.search(text) else text or " "


def edge_text(text: str) -> str:
    """Return a text as it stands between the bars of an edge.

    There a bracket would end it, and ``@`` would make the name of an edge of it.
    """
    return _guarded(_UNQUOTED.sub(lambda found: f"#{ord(found[0])};", _escaped(text))) or " "


class _Texts(dict[str, str]):
    """Relations as edges show them; a graph has many edges and few relations."""

    def __missing__(self, relation: str) -> str:
        self[relation] = edge_text(relation)
        return self[relation]


def _escaped(text: str) -> str:
    text = _ENTITY.sub("#35;", text)
    text = text.replace('"', "#quot;").replace("|", "#124;")
    text = text.replace("<", "#lt;").replace(">", "#gt;")
    return _BREAK.sub(" ", text)


def _guarded(text: str) -> str:
    """Keep Mermaid from reading Markdown, a directive, a comment or a style rule in a text.

    A backtick after the quote opens Markdown; ``%%{...}%%`` is cut out of a diagram wherever
    it stands; what looks like ``style name fill:#fff;`` loses its last semicolon.
    """
    text = _COMMENT.sub(r"\1#37;", _DIRECTIVE.sub("#37;", text))
    if text.startswith("`"):
        text = "#96;" + text[1:]
    return text.replace(":", "#58;") if _RULE.search(text) else text
