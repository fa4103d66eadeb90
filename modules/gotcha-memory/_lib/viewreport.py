"""What `gotchas.py` says of the memory: lessons, the records behind one, and its health."""

from __future__ import annotations

import os

from _lib.curated import MOST_ENTRIES
from _lib.family import PREVENTION
from _lib.gotchas_memory import active, age, curated_entries, records
from _lib.ownership import ARCHIVE, CURATED, FAILURES, FOREIGN, MISSING, owner_of, store_id, tail
from _lib.recurrence import recurring
from _lib.taskkey import normalise, safe

from hpp.core.errors import RefusedError
from hpp.core.strictjson import JsonRefusedError, parse_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from _lib.recurrence import Lesson
    from _lib.setting import Settings

__all__ = ["behind", "health", "lesson_report", "lessons_report", "shown_lesson"]


def lessons_report(settings: Settings, now: float, *, with_all: bool = False) -> dict[str, Any]:
    """Return what recurs and the person's rules; `with_all` adds what failed only once or twice.

    Raises:
        RefusedError: The memory cannot be read.

    """
    try:
        found = active(settings, now)
        if with_all:
            wanted, settings.min_count = settings.min_count, 1
            found = recurring(records(settings, now, most=None)[0], settings, now)
            settings.min_count = wanted
        rules = curated_entries(settings)
    except OSError as error:
        raise RefusedError(f"the memory cannot be read: {error.strerror}") from None
    return {
        "schema": "gotcha.list/v1",
        "owner": owner_of(settings.root, settings.store),
        "recurring": [lesson_report(each) for each in sorted(found, key=lambda one: one.order())],
        "curated": [
            {name: safe(value) if isinstance(value, str) else value for name, value in each.items()}
            for each in sorted(rules, key=lambda one: (-int(one.get("severity", 90)), one["key"]))
        ],
    }


def lesson_report(lesson: Lesson) -> dict[str, Any]:
    """Return one lesson as data."""
    return {
        "key": safe(lesson.keys[0]),
        "other_keys": [safe(key) for key in lesson.keys[1:]],
        "family": lesson.family,
        "count": lesson.count,
        "first_seen": lesson.first,
        "last_seen": lesson.last,
        "strategy": lesson.strategy,
        "severity": lesson.severity,
        "excerpt": safe(lesson.text),
        "prevention": PREVENTION.get(lesson.family, safe(lesson.text)),
    }


def shown_lesson(found: dict[str, Any], now: float) -> str:
    """Return one lesson in a line."""
    ago = age(now - found["last_seen"])
    return f"[{found['count']}x] {found['family']}  last {ago} ago  {found['key']}"


def behind(settings: Settings, key: str) -> list[dict[str, Any]]:
    """Return the live records with a key, as they are stored, redacted once more."""
    keys = {key, normalise(key)}
    found = []
    for line in _read(settings, FAILURES):
        record = _object(line)
        if record is not None and not keys.isdisjoint(_texts(record)):
            found.append({name: _safe(value) for name, value in record.items()})
    return found


def health(settings: Settings, now: float) -> dict[str, Any]:
    """Return what `doctor` says; `status` is its exit code."""
    owner = owner_of(settings.root, settings.store)
    report: dict[str, Any] = {
        "schema": "gotcha.doctor/v1",
        "owner": owner,
        "store_id": store_id(settings.store),
        "bad_lines": 0,
        "files": {},
        "last_write": None,
        "longest_lock_wait_seconds": _longest_wait(settings.store),
        "fault": None,
        "status": 2 if owner == FOREIGN else 0,
    }
    try:
        report["records"], report["bad_lines"] = _counted(settings, now)
        for name in (FAILURES, ARCHIVE, CURATED):
            path = os.path.join(settings.store, name)
            if os.path.lexists(path):
                report["files"][name] = os.path.getsize(path)
        if FAILURES in report["files"]:
            report["last_write"] = os.path.getmtime(os.path.join(settings.store, FAILURES))
    except (OSError, RefusedError) as error:
        report["fault"] = str(getattr(error, "strerror", None) or error)
        report["status"] = 2
    if not report["status"] and report["bad_lines"] and owner != MISSING:
        report["status"] = 1
    return report


def _counted(settings: Settings, now: float) -> tuple[int, int]:
    found, bad = records(settings, now, most=None)
    rules = _read(settings, CURATED)
    sound = curated_entries(settings)
    return len(found), bad + max(0, min(len(rules), MOST_ENTRIES) - len(sound))


def _longest_wait(store: str) -> float:
    try:
        return float(b"".join(tail(os.path.join(store, "lock-wait.txt"), 64)) or 0)
    except (OSError, ValueError):
        return 0.0


def _read(settings: Settings, name: str) -> list[bytes]:
    try:
        return tail(os.path.join(settings.store, name), None)
    except OSError as error:
        raise RefusedError(f"{name}: cannot be read: {error.strerror}") from None


def _object(line: bytes) -> dict[str, Any] | None:
    try:
        found: dict[str, Any] = parse_bytes(line, "line", root=dict)
    except JsonRefusedError:
        return None
    return found


def _texts(record: dict[str, Any]) -> set[str]:
    values = (record.get("task_key"), record.get("cmd_key"))
    return {value for value in values if isinstance(value, str)}


def _safe(value: object) -> object:
    if isinstance(value, str):
        return safe(value)
    if isinstance(value, dict):
        return {name: _safe(each) for name, each in value.items()}
    return value
