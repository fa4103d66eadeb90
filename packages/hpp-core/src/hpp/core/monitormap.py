"""The monitor map: what is observed, how fresh its last signal is, which gate consumes it.

A monitor is a contract and not a process, and a fresh signal is not a right result.
"""

from __future__ import annotations

from hpp.core.arguments import LARGEST_INTEGER
from hpp.core.errors import RefusedError
from hpp.core.graph import Graph
from hpp.core.text import shorten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["monitor_document", "monitor_graph", "parse_monitors"]

_TEXTS = ("target", "type", "severity", "cost", "consumer_gate")
_SECONDS = ("cadence", "freshness")


def parse_monitors(document: list[Any], where: str) -> list[dict[str, Any]]:
    """Return the monitors of a document, each with the keys of the contract alone.

    Raises:
        RefusedError: A value breaks a rule; its path is named.

    """
    monitors: list[dict[str, Any]] = []
    seen: set[str] = set()
    for number, raw in enumerate(document):
        place = f"{where}: [{number}]"
        if not isinstance(raw, dict):
            raise RefusedError(f"{place}: expected an object")
        for key in ("id", *_TEXTS):
            if not isinstance(raw.get(key), str) or not raw[key].strip():
                raise RefusedError(f"{place}.{key}: expected a non-blank text")
        if raw["id"] in seen:
            raise RefusedError(f"{place}.id: {shorten(raw['id'])} is repeated")
        seen.add(raw["id"])
        for key in _SECONDS:
            value = raw.get(key)
            if type(value) is not int or not 0 < value <= LARGEST_INTEGER:
                raise RefusedError(f"{place}.{key}: expected an integer above 0")
        signal = raw.get("last_signal")
        if signal is not None and (type(signal) is not int or not 0 <= signal <= LARGEST_INTEGER):
            raise RefusedError(f"{place}.last_signal: expected an integer of 0 or more")
        kept = {key: raw[key] for key in ("id", *_TEXTS, *_SECONDS)}
        monitors.append({**kept, "last_signal": signal})
    return monitors


def monitor_document(
    monitors: list[dict[str, Any]], *, now: int, skew_tolerance: int
) -> dict[str, Any]:
    """Return the map at one moment as ``hpp.monitor-map/v1``; all times are Unix seconds."""
    return {
        "schema": "hpp.monitor-map/v1",
        "now": now,
        "skew_tolerance": skew_tolerance,
        "monitors": sorted(
            ({**m, "status": _status(m, now, skew_tolerance)} for m in monitors),
            key=lambda monitor: str(monitor["id"]),
        ),
    }


def monitor_graph(document: dict[str, Any]) -> Graph:
    """Return the drawn form of a map."""
    graph = Graph()
    for monitor in document["monitors"]:
        label = f"{monitor['id']} · {monitor['status']}"
        node = graph.node("monitor", monitor["id"], label)
        graph.edge(node, graph.node("target", monitor["target"]), "observes")
        graph.edge(node, graph.node("gate", monitor["consumer_gate"]), "gates")
    return graph


def _status(monitor: dict[str, Any], now: int, skew_tolerance: int) -> str:
    signal = monitor["last_signal"]
    if signal is None:
        return "unknown"
    if signal > now + skew_tolerance:
        return "skew"
    return "healthy" if now - signal <= monitor["freshness"] else "stale"
