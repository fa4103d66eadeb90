"""Evidence of a handoff that is a kept record, found by its name; nothing is opened."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

__all__ = ["is_record", "records"]

_LONGEST_ID = 80
_LONGEST = 400
_WORD = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-")
_DIGITS = frozenset("0123456789")
_STAMP = len("20260101T000000Z")
_COMMAND = "python -m hpp evidence verify"


def records(document: dict[str, Any]) -> Iterator[str]:
    """Yield one line that tells how each record of a document is checked, if it has any."""
    found = []
    for value in _values(document):
        if value not in found and is_record(value):
            found.append(value)
    if found:
        commands = "; ".join(f"{_COMMAND} {value}" for value in found)
        yield f"evidence records, check one before trusting it: {commands}"


def is_record(value: str) -> bool:
    """Say whether a text is the path of a record: ``<id>-<YYYYMMDDTHHMMSSZ>[-N].json``."""
    if len(value) > _LONGEST or not value.isprintable() or any(char in " ;" for char in value):
        return False
    name = value.replace("\\", "/").rpartition("/")[2]
    if not name.endswith(".json"):
        return False
    stem = name[: -len(".json")]
    return _is_stamped(stem) or (_DIGITS.issuperset(_last(stem)) and _is_stamped(_without(stem)))


def _values(document: dict[str, Any]) -> Iterator[str]:
    for key, names in (("already_done", ("evidence",)), ("evidence", ("ref", "value"))):
        entries = document.get(key)
        for entry in entries if isinstance(entries, list) else ():
            if isinstance(entry, dict):
                yield from (entry[name] for name in names if isinstance(entry.get(name), str))


def _last(stem: str) -> str:
    return stem.rpartition("-")[2] or "x"


def _without(stem: str) -> str:
    return stem.rpartition("-")[0]


def _is_stamped(stem: str) -> bool:
    record_id, dash, stamp = stem.rpartition("-")
    return (
        bool(dash)
        and 0 < len(record_id) <= _LONGEST_ID
        and _WORD.issuperset(record_id)
        and len(stamp) == _STAMP
        and stamp[8] == "T"
        and stamp[-1] == "Z"
        and _DIGITS.issuperset(stamp[:8] + stamp[9:15])
    )
