"""How a graph is asked for and written, the same in every command that draws one."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from hpp.core.arguments import Arguments
    from hpp.core.graph import Graph

__all__ = ["format_argument", "write_drawing"]


def format_argument(declared: Arguments) -> None:
    """Declare the option of every command that draws."""
    forms = ("json", "mermaid", "svg")
    declared.option("--format", "FORMAT", help="form", default="json", choices=forms)


def write_drawing(
    form: str, document: Callable[[], dict[str, Any]], graph: Graph, title: str
) -> int:
    """Write a graph in the form that was asked for and return the exit status.

    Args:
        form: ``json``, ``mermaid`` or ``svg``.
        document: Returns what is written as JSON.
        graph: What is drawn.
        title: Names the picture to who cannot see it.

    """
    from hpp.core.output import write_bytes, write_json, write_text

    if form == "mermaid":
        write_text(graph.mermaid())
    elif form == "svg":
        from hpp.core.svg import picture

        write_bytes(picture(graph, title))
    else:
        write_json(document())
    return 0
