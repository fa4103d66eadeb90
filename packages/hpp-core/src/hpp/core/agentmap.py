"""The agent map: who may make, check and approve, and what happened, in order."""

from __future__ import annotations

from hpp.core.errors import RefusedError
from hpp.core.eventlog import read_log
from hpp.core.graph import Graph
from hpp.core.strictjson import parse_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from hpp.core.manifest import Manifest

__all__ = ["agent_graph", "event_types"]


def agent_graph(manifest: Manifest, types: list[str]) -> Graph:
    """Return roles, modules with their capabilities, and events in order."""
    graph = Graph()
    for role in manifest.roles:
        graph.node("role", role)
    for module in manifest.modules:
        node = graph.node("module", module.id)
        for capability in module.capabilities:
            graph.edge(node, graph.node("capability", capability), "provides")
    previous = ""
    for number, kind in enumerate(types, 1):
        identity = f"event:{number}:{kind}"
        graph.nodes[identity] = ("execution", kind)
        if previous:
            graph.edge(previous, identity, "then")
        previous = identity
    return graph


def event_types(data: bytes, where: str, again: Callable[[], bytes] | None = None) -> list[str]:
    """Return the types of a JSON array of events, or of an event log, in order.

    Args:
        data: The bytes of the input.
        where: Its name, for messages.
        again: Reads the bytes once more, for a log whose last line is torn; None for an
            input that can be read once only.

    Raises:
        RefusedError: It is neither, or breaks the rules of what it is.

    """
    if not data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        return _array_types(parse_bytes(data, where, root=list), where)
    looks: list[list[str]] = []

    def fresh() -> Callable[[int, str, dict[str, Any]], None]:
        types: list[str] = []
        looks.append(types)
        return lambda _seq, kind, _data: types.append(kind)

    read_log(lambda: again() if looks and again is not None else data, fresh, name=where)
    return looks[-1]


def _array_types(document: list[Any], where: str) -> list[str]:
    types: list[str] = []
    for number, event in enumerate(document):
        kind = event.get("type") if isinstance(event, dict) else None
        if not isinstance(kind, str) or not kind.strip():
            raise RefusedError(f"{where}: [{number}].type: expected a non-blank text")
        types.append(kind)
    return types
