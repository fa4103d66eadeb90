"""``hpp map``: projections of lanes, agents, contexts and monitors."""

from __future__ import annotations

import os

from hpp.cli.drawing import format_argument, write_drawing
from hpp.core.command import Command
from hpp.core.errors import RefusedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hpp.core.arguments import Arguments, Values

__all__ = ["COMMAND"]


def _array(path: str, limit: int) -> tuple[list[Any], str]:
    from hpp.core.document import read_document, shown_name

    return read_document(path, root=list, limit=limit), shown_name(path)


def _at_least(name: str, value: int, least: int) -> None:
    if value < least:
        raise RefusedError(f"{name}: {value} is less than {least}")


# ------------------------------------------------------------------ lane


def _lane_arguments(declared: Arguments) -> None:
    declared.positional("FILE", help="array of lanes")
    declared.option("--now", "T", help="Unix seconds that liveness is judged at", kind="integer")
    declared.option("--suspect-after", "S", help="age in seconds", kind="integer", default=300)
    declared.option("--dead-after", "D", help="age in seconds", kind="integer", default=900)
    format_argument(declared)


def _lane(values: Values) -> int:
    from hpp.core.lanemap import LaneMap, parse_lanes
    from hpp.core.strictjson import LARGE_LIMIT

    if values.now is not None:
        _at_least("--now", values.now, 0)
    _at_least("--suspect-after", values.suspect_after, 1)
    if values.suspect_after >= values.dead_after:
        raise RefusedError("--dead-after: expected more than --suspect-after")
    document, where = _array(values.file, LARGE_LIMIT)
    lanes = LaneMap(
        parse_lanes(document, where),
        now=values.now,
        suspect_after=values.suspect_after,
        dead_after=values.dead_after,
        where=where,
    )
    drawn = lanes.graph if values.format == "json" else lanes.drawn()
    return write_drawing(values.format, lanes.document, drawn, "lane map")


# ------------------------------------------------------------------ agent


def _agent_arguments(declared: Arguments) -> None:
    declared.option("--manifest", "FILE", help="manifest that is drawn")
    declared.option("--events", "FILE", help="array of events, or an event log")
    format_argument(declared)


def _agent(values: Values) -> int:
    from hpp.core.agentmap import agent_graph, event_types
    from hpp.core.document import read_input, shown_name
    from hpp.core.manifest import find_manifest, load_manifest
    from hpp.core.strictjson import LARGE_LIMIT

    manifest = load_manifest(find_manifest(values.manifest))
    types: list[str] = []
    path = values.events
    if path is not None:
        data = read_input(path, limit=LARGE_LIMIT)
        is_file = path != "-" and os.path.isfile(path)
        again = (lambda: read_input(path, limit=LARGE_LIMIT)) if is_file else None
        types = event_types(data, shown_name(path), again)
    graph = agent_graph(manifest, types)

    def document() -> dict[str, Any]:
        return {"schema": "hpp.map/v1", "view": "agent", **graph.document()}

    return write_drawing(values.format, document, graph, "agent map")


# ------------------------------------------------------------------ context


def _context_arguments(declared: Arguments) -> None:
    declared.positional("FILE", help="array of blocks")
    declared.option(
        "--budget", "N", help="characters that are allowed", kind="integer", required=True
    )
    format_argument(declared)


def _context(values: Values) -> int:
    from hpp.core.contextmap import context_document, context_graph

    _at_least("--budget", values.budget, 0)
    document = context_document(values.file, values.budget)
    return write_drawing(values.format, lambda: document, context_graph(document), "context map")


# ------------------------------------------------------------------ monitor


def _monitor_arguments(declared: Arguments) -> None:
    declared.positional("FILE", help="array of monitors")
    declared.option("--now", "T", help="Unix seconds", kind="integer", required=True)
    declared.option(
        "--skew-tolerance", "S", help="seconds a signal may be ahead", kind="integer", default=5
    )
    format_argument(declared)


def _monitor(values: Values) -> int:
    from hpp.core.monitormap import monitor_document, monitor_graph, parse_monitors
    from hpp.core.strictjson import SMALL_LIMIT

    _at_least("--now", values.now, 0)
    _at_least("--skew-tolerance", values.skew_tolerance, 0)
    document, where = _array(values.file, SMALL_LIMIT)
    monitors = parse_monitors(document, where)
    shown = monitor_document(monitors, now=values.now, skew_tolerance=values.skew_tolerance)
    return write_drawing(values.format, lambda: shown, monitor_graph(shown), "monitor map")


COMMAND = Command(
    "map",
    "draw lanes, agents, a context or monitors",
    subcommands=[
        Command("lane", "who owns what, who is alive", arguments=_lane_arguments, run=_lane),
        Command("agent", "who may do what", arguments=_agent_arguments, run=_agent),
        Command("context", "what went in", arguments=_context_arguments, run=_context),
        Command("monitor", "what is fresh", arguments=_monitor_arguments, run=_monitor),
    ],
)
