"""Graphs: typed nodes and edges, the same bytes for the same content, and the manifest's views.

A graph is a projection: it has no state of its own and claims nothing that its source does
not say.
"""

from __future__ import annotations

from hpp.core.mermaid import flowchart

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from hpp.core.manifest import Manifest

__all__ = ["VIEWS", "Graph", "manifest_graph"]


class Graph:
    """Nodes by id, and edges between them; adding one twice adds nothing.

    Two things with one id are one node, and the order they come in does not choose its label.
    """

    def __init__(self) -> None:
        self.nodes: dict[str, tuple[str, str]] = {}
        self.edges: set[tuple[str, str, str]] = set()

    def node(self, kind: str, name: str, label: str | None = None) -> str:
        """Add the node ``kind:name`` and return its id."""
        identity = f"{kind}:{name}"
        found = (kind, name if label is None else label)
        self.nodes[identity] = min(found, self.nodes.get(identity, found))
        return identity

    def edge(self, start: str, end: str, relation: str) -> None:
        """Add an edge between two nodes that are there or will be."""
        self.edges.add((start, end, relation))

    def document(self) -> dict[str, Any]:
        """Return ``nodes`` and ``edges``, sorted."""
        return {
            "nodes": [
                {"id": identity, "kind": kind, "label": label}
                for identity, (kind, label) in sorted(self.nodes.items())
            ],
            "edges": [
                {"from": start, "to": end, "relation": relation}
                for start, end, relation in sorted(self.edges)
            ],
        }

    def mermaid(self) -> str:
        """Return the graph as a Mermaid flowchart."""
        return flowchart({node: label for node, (_, label) in self.nodes.items()}, self.edges)


def manifest_graph(manifest: Manifest, view: str) -> Graph:
    """Return one view of a manifest; `view` is one of `VIEWS`."""
    graph = Graph()
    _DRAWERS[view](graph, manifest)
    return graph


def _capability(graph: Graph, manifest: Manifest) -> None:
    for host in manifest.hosts:
        graph.node("host", host)
    for module in manifest.modules:
        node = graph.node("module", module.id)
        for capability in module.capabilities:
            graph.edge(node, graph.node("capability", capability), "provides")
        for host, coverage in module.hosts.items():
            graph.edge(node, f"host:{host}", f"supports:{coverage}")
        for other in module.requires:
            graph.edge(node, f"module:{other}", "requires")
        for other in module.integrates_with:
            graph.edge(node, f"module:{other}", "integrates-with")
    for bundle in manifest.bundles.values():
        node = graph.node("bundle", bundle.name)
        for member in bundle.modules:
            graph.edge(node, f"module:{member}", "includes")


def _operational(graph: Graph, manifest: Manifest) -> None:
    for move in manifest.loop.transitions:
        gate = graph.node("gate", move.gate)
        graph.edge(graph.node("state", move.from_state), gate, move.event)
        graph.edge(gate, graph.node("state", move.to_state), "permits")


def _agent(graph: Graph, _manifest: Manifest) -> None:
    maker = graph.node("role", "maker")
    checker = graph.node("role", "checker", "checker (read-only)")
    person = graph.node("role", "human-gate", "human gate")
    graph.edge(maker, checker, "submits")
    graph.edge(checker, person, "reports")
    graph.edge(person, maker, "approves-or-returns")


def _evidence(graph: Graph, _manifest: Manifest) -> None:
    criterion = graph.node("criterion", "fresh-evidence", "fresh evidence")
    record = graph.node("evidence", "record", "recorded evidence")
    verdict = graph.node("verdict", "verified")
    graph.edge(criterion, record, "requires")
    graph.edge(record, verdict, "supports")


def _code(graph: Graph, manifest: Manifest) -> None:
    for module in manifest.modules:
        node = graph.node("module", module.id)
        for component in module.components:
            name = f"{module.id}:{component}"
            graph.edge(node, graph.node("component", name, component), "declares")


_DRAWERS: dict[str, Callable[[Graph, Manifest], None]] = {
    "capability": _capability,
    "operational": _operational,
    "agent": _agent,
    "evidence": _evidence,
    "code": _code,
}
VIEWS = tuple(_DRAWERS)
