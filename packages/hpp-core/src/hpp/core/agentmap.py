"""The agent map: who may make, check and approve, and what happened, in order."""

from __future__ import annotations

from hpp.core.errors import RefusedError
from hpp.core.eventlog import Chain, scan_log
from hpp.core.graph import Graph
from hpp.core.strictjson import parse_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
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


def event_types(data: bytes, where: str) -> list[str]:
    """Return the types of a JSON array of events, or of an event log, in order.

    Raises:
        RefusedError: It is neither, or breaks the rules of what it is.

    """
    if data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        types: list[str] = []
        scan_log(Chain(), data, lambda _seq, kind, _data: types.append(kind))
        return types
    return _array_types(parse_bytes(data, where, root=list), where)


def _array_types(document: list[Any], where: str) -> list[str]:
    types: list[str] = []
    for number, event in enumerate(document):
        kind = event.get("type") if isinstance(event, dict) else None
        if not isinstance(kind, str) or not kind.strip():
            raise RefusedError(f"{where}: [{number}].type: expected a non-blank text")
        types.append(kind)
    return types
