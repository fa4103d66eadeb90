"""The context map: where a compiled context came from; the text itself is not in it."""

from __future__ import annotations

from hpp.core.context import compile_blocks, read_blocks
from hpp.core.graph import Graph

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hpp.core.context import Block

__all__ = ["context_document", "context_graph"]


def context_document(path: str, budget: int) -> dict[str, Any]:
    """Compile the blocks of a file and return their provenance as ``hpp.map/v1``.

    Raises:
        RefusedError: As for the compiler.

    """
    compiled = compile_blocks(read_blocks(path), budget)
    provenance = _records(compiled.included, "included") + _records(compiled.omitted, "omitted")
    document = {
        "schema": "hpp.map/v1",
        "view": "context",
        "budget": compiled.budget,
        "used": len(compiled.text),
        "remaining": compiled.budget - len(compiled.text),
        "provenance": sorted(provenance, key=lambda record: str(record["source"])),
    }
    return {**document, **context_graph(document).document()}


def context_graph(document: dict[str, Any]) -> Graph:
    """Return the drawn form of a map."""
    graph = Graph()
    target = graph.node("context", "compiled", "compiled context")
    for record in document["provenance"]:
        graph.edge(graph.node("source", record["source"]), target, record["status"])
    return graph


def _records(blocks: list[Block], status: str) -> list[dict[str, Any]]:
    return [{**block.record(), "status": status} for block in blocks]
