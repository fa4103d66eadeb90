"""Which units of a spec may begin, by what the event log says of their dependencies.

A unit is the piece of work of the same name. It is verified when the last event of that
piece is ``verified``; nothing else releases what depends on it.
"""

from __future__ import annotations

import os

from hpp.core.document import read_state, shown_name
from hpp.core.errors import RefusedError
from hpp.core.journal import History, Journal, replayed
from hpp.core.loop import VERIFIED, Loop
from hpp.core.strictjson import LARGE_LIMIT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hpp.core.workgraph import WorkGraph
    from hpp.core.workspec import Unit

__all__ = ["read_history", "readiness"]


def read_history(path: str | None, loop: Loop) -> History:
    """Return a log replayed over a loop: that of a file, or of this workspace for None.

    Raises:
        RefusedError: The file is absent or no regular file, or the log is corrupt or not
            one that the loop allows.

    """
    if path is None:
        return Journal(os.getcwd()).history(loop)
    data = read_state(path, limit=LARGE_LIMIT) if path else None
    if data is None:
        raise RefusedError(f"{shown_name(path) or '--events'}: there is no such event log")
    return replayed(lambda: data, loop, name=shown_name(path))


def readiness(graph: WorkGraph, history: History) -> dict[str, Any]:
    """Return the result ``hpp.work-ready/v1``: every unit, in the order of the waves.

    `waits_for` names the dependencies that are not verified, sorted; for a unit that has
    begun or is verified it shows that it went ahead of them.
    """
    works = {work.name: work for work in history.replay.works if work.name is not None}
    states = {name: work.state for name, work in works.items() if name in graph.by_id}
    verified = {name for name in states if works[name].history[-1] == VERIFIED}
    lists: dict[str, list[dict[str, Any]]] = {
        "ready": [],
        "begun": [],
        "blocked": [],
        "verified": [],
    }
    for index, wave in enumerate(graph.waves, 1):
        for unit in wave:
            entry = _entry(unit, index, verified)
            if unit.id in verified:
                lists["verified"].append(entry)
            elif unit.id in states:
                lists["begun"].append({**entry, "state": states[unit.id]})
            else:
                lists["blocked" if entry["waits_for"] else "ready"].append(entry)
    return {
        "schema": "hpp.work-ready/v1",
        **lists,
        "progress": {"numerator": len(verified), "denominator": len(graph.by_id)},
        "other_work": sorted(works.keys() - graph.by_id.keys()),
        "events": history.chain.events,
        "head_sha256": history.chain.head,
    }


def _entry(unit: Unit, wave: int, verified: set[str]) -> dict[str, Any]:
    waits_for = sorted(name for name in unit.depends_on if name not in verified)
    return {"id": unit.id, "tier": unit.tier, "wave": wave, "waits_for": waits_for}
