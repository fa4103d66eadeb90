"""What happened to handoffs, as the ledger tells it; reading only.

A line that is torn or foreign is passed over: it must not keep a session from starting.
"""

from __future__ import annotations

import os

from _lib import place
from _lib.instant import parse

from hpp.core.strictjson import JsonRefusedError, parse_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Event = dict[str, Any]

__all__ = [
    "EVENTS",
    "KEPT",
    "MOST_LINES",
    "booted",
    "consumed_by_other",
    "events",
    "is_known",
    "requested_at",
    "rotated",
    "taken",
]

EVENTS = ("booted", "requested", "written", "consumed", "superseded", "refused")
MOST_LINES = 5000
KEPT = 4
_MOST_BYTES = 64 * 1024 * 1024
_PREFIX, _SUFFIX = "HANDOFF-LEDGER-", ".jsonl"


def events(root: str, *marks: str) -> list[Event]:
    """Return the events, oldest first.

    Args:
        root: The project.
        marks: Only lines with all of these texts are parsed, which keeps a long ledger quick.

    """
    needles = [mark.encode("utf-8", "replace") for mark in marks if _is_plain(mark)]
    found: list[Event] = []
    for line in _raw(root).split(b"\n"):
        if not line or not all(needle in line for needle in needles):
            continue
        try:
            record = parse_bytes(line, "line", root=dict)
        except JsonRefusedError:
            continue
        if record.get("event") in EVENTS and type(record.get("details", {})) is dict:
            found.append(record)
    return found


def booted(root: str, session: str) -> Event | None:
    """Return the start of a session: the newest one that is no going on after a compaction."""
    found = [one for one in events(root, session, "booted") if _is(one, "booted", session)]
    starts = [one for one in found if one.get("details", {}).get("source") != "compact"]
    either = starts or found
    return either[-1] if either else None


def requested_at(root: str, session: str) -> float | None:
    """Return when a session was last asked for a handoff, in seconds; None for never."""
    found = [
        parse(one.get("ts"))
        for one in events(root, session, "requested")
        if _is(one, "requested", session)
    ]
    times = [one for one in found if one is not None]
    return max(times) if times else None


def consumed_by_other(root: str, handoff_id: str, session: str) -> Event | None:
    """Return the newest time that another session was handed a document."""
    for one in reversed(events(root, handoff_id, "consumed")):
        is_of_it = one.get("event") == "consumed" and one.get("handoff_id") == handoff_id
        if is_of_it and one.get("by_session") != session:
            return one
    return None


def is_known(root: str, handoff_id: str) -> bool:
    """Say whether a document was ever written under an id here."""
    return any(
        one.get("handoff_id") == handoff_id and one["event"] in ("written", "superseded")
        for one in events(root, handoff_id)
    )


def taken(root: str, base: str) -> set[str]:
    """Return the ids in the ledger that begin in a certain way."""
    return {
        one["handoff_id"]
        for one in events(root, base)
        if type(one.get("handoff_id")) is str and one["event"] != "refused"
    }


def rotated(root: str) -> list[str]:
    """Return the places of the ledgers that were put aside, oldest first."""
    try:
        names = os.listdir(place.folder(root))
    except (FileNotFoundError, NotADirectoryError):
        return []
    return [
        place.file(root, name)
        for name in sorted(names)
        if name.startswith(_PREFIX) and name.endswith(_SUFFIX)
    ]


def _raw(root: str) -> bytes:
    """Return the ledger's bytes, with the newest one that was put aside before it."""
    paths = [*rotated(root)[-1:], place.ledger(root)]
    return b"\n".join(place.read(path, _MOST_BYTES) or b"" for path in paths)


def _is(record: Event, event: str, session: str) -> bool:
    return record.get("event") == event and record.get("by_session") == session


def _is_plain(text: str) -> bool:
    """Say whether a text stands in a JSON line as it is."""
    return text.isascii() and text.isprintable() and '"' not in text and "\\" not in text
