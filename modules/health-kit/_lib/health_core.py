"""Health without probing: the settings, the rules of a status, and the cache as it is read.

Up, fresh and right are three questions. Nothing here answers one of them by another, and
what was not probed is unknown. No process is started and no network is reached.
"""

from __future__ import annotations

import os
import stat

from hpp.core.errors import RefusedError
from hpp.core.strictjson import parse_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from _lib.probe import Probe

__all__ = [
    "ABSENT",
    "CACHE_SCHEMA",
    "DEFAULT_CACHE",
    "EXPIRED",
    "OK",
    "SKEW",
    "UNREADABLE",
    "Cache",
    "age",
    "data_status",
    "exit_code",
    "read_cache",
    "read_data",
    "summary",
]

CACHE_SCHEMA = "health.cache/v1"
DEFAULT_CACHE = ".claude/health/cache.json"
ABSENT, UNREADABLE, SKEW, EXPIRED, OK = "absent", "unreadable", "skew", "expired", "ok"
LONGEST_TTL_S = 86400
_AHEAD_S = 5
_MOST_BYTES = 1024 * 1024
_MOST_DATA = 8 * 1024 * 1024
_LATEST = 1e12
_SERVICE = frozenset({"up", "down", "unknown"})
_DATA = frozenset({"fresh", "stale", "skew", "unknown"})
_BAD = frozenset({"down", "stale", "skew"})
_MINUTE, _HOUR, _DAY = 60, 3600, 86400


class Cache:
    """What the last run left.

    Attributes:
        state: `ABSENT`, `UNREADABLE`, `SKEW`, `EXPIRED` or `OK`; only the last one is current.
        age_s: Seconds since it was written.
        services, feeds: Entries by name; empty unless it could be read.

    """

    __slots__ = ("age_s", "feeds", "services", "state")

    def __init__(
        self,
        state: str,
        age_s: float = 0,
        services: dict[str, dict[str, Any]] | None = None,
        feeds: dict[str, dict[str, Any]] | None = None,
    ) -> None:
        self.state = state
        self.age_s = age_s
        self.services = services or {}
        self.feeds = feeds or {}


def read_cache(path: str, now: float, max_age_s: float | None = None) -> Cache:
    """Return the cache, its own age judged first.

    A feed that was fresh when it was probed and is too old by now is stale.

    Args:
        path: Its file.
        now: Unix seconds.
        max_age_s: Most age in place of the one that it names.

    """
    try:
        found = os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return Cache(ABSENT)
    except OSError:
        return Cache(UNREADABLE)
    if not stat.S_ISREG(found.st_mode) or found.st_size > _MOST_BYTES:
        return Cache(UNREADABLE)
    try:
        with open(path, "rb") as file:
            document = parse_bytes(file.read(_MOST_BYTES + 1), "cache", root=dict)
    except (OSError, RefusedError):
        return Cache(UNREADABLE)
    if not _is_sound(document):
        return Cache(UNREADABLE)
    age_s = now - document["written_at"]
    limit = document["ttl_seconds"] if max_age_s is None else max_age_s
    state = SKEW if age_s < -_AHEAD_S else EXPIRED if age_s > limit else OK
    feeds = {name: _aged(feed, now) for name, feed in document["feeds"].items()}
    return Cache(state, age_s, document["services"], feeds)


def data_status(signal: float, now: float, freshness: float, skew_tolerance: float) -> str:
    """Return what a signal's age says; one from the future is no fresh one."""
    if signal > now + skew_tolerance:
        return "skew"
    return "fresh" if now - signal <= freshness else "stale"


def read_data(probe: Probe, root: str) -> tuple[float | None, str]:
    """Return the signal of a probe that only looks at a file, or None and the reason."""
    from hpp.core.portable.fsread import contain

    try:
        path = contain(probe.target, root)
        found = os.lstat(path)
    except RefusedError:
        return None, "config"
    except OSError:
        return None, "missing"
    if not stat.S_ISREG(found.st_mode):
        return None, "missing"
    return (found.st_mtime, "") if probe.type == "file-mtime" else _field(path, probe.field)


def _field(path: str, field: str) -> tuple[float | None, str]:
    from _lib.timestamp import MISSING, UNPARSABLE, at_field, seconds_of

    try:
        with open(path, "rb") as file:
            document = parse_bytes(file.read(_MOST_DATA + 1), "data")
    except OSError:
        return None, MISSING
    except RefusedError:
        return None, UNPARSABLE
    return seconds_of(at_field(document, field))


def exit_code(entries: list[tuple[str, str]]) -> int:
    """Return 0, 1 or 2 for pairs of status and severity."""
    if any(status in _BAD and severity == "block" for status, severity in entries):
        return 2
    return 0 if all(status in ("up", "fresh") for status, _ in entries) else 1


def summary(services: dict[str, dict[str, Any]], feeds: dict[str, dict[str, Any]]) -> str:
    """Return both questions in one line, never merged."""
    up = sum(entry["status"] == "up" for entry in services.values())
    fresh = sum(entry["status"] == "fresh" for entry in feeds.values())
    return (
        f"services {up}/{len(services)} up{_others(services, 'up')} · "
        f"data {fresh}/{len(feeds)} fresh{_others(feeds, 'fresh')}"
    )


def age(seconds: float) -> str:
    """Return a span of time in its two largest units, such as ``2h46m``."""
    left = max(0, int(seconds))
    if left < _MINUTE:
        return f"{left}s"
    if left < _HOUR:
        return f"{left // _MINUTE}m"
    if left < _DAY:
        minutes = left % _HOUR // _MINUTE
        return f"{left // _HOUR}h{f'{minutes}m' if minutes else ''}"
    hours = left % _DAY // _HOUR
    return f"{left // _DAY}d{f'{hours}h' if hours else ''}"


def _others(entries: dict[str, dict[str, Any]], good: str) -> str:
    groups: dict[str, list[str]] = {}
    for name, entry in entries.items():
        if entry["status"] != good:
            said = f" {age(entry['age_seconds'])}" if entry["status"] == "stale" else ""
            reason = entry.get("reason")
            said += f" ({reason})" if entry["status"] == "unknown" and reason else ""
            groups.setdefault(entry["status"], []).append(name + said)
    parts = [f"{status}: {', '.join(names)}" for status, names in sorted(groups.items())]
    return f" ({'; '.join(parts)})" if parts else ""


def _aged(feed: dict[str, Any], now: float) -> dict[str, Any]:
    signal = feed.get("last_signal")
    if feed["status"] not in ("fresh", "stale") or signal is None:
        return feed
    age_s = now - signal
    status = "stale" if age_s > feed["freshness"] else feed["status"]
    return {**feed, "status": status, "age_seconds": int(max(0, age_s))}


def _is_sound(document: dict[str, Any]) -> bool:
    ttl = document.get("ttl_seconds")
    return (
        document.get("schema") == CACHE_SCHEMA
        and _is_time(document.get("written_at"))
        and type(ttl) is int
        and 0 < ttl <= LONGEST_TTL_S
        and _are_entries(document.get("services"), _SERVICE)
        and _are_entries(document.get("feeds"), _DATA)
        and all(_is_feed(feed) for feed in document["feeds"].values())
    )


def _are_entries(value: object, statuses: frozenset[str]) -> bool:
    return isinstance(value, dict) and all(
        isinstance(entry, dict)
        and isinstance(entry.get("status"), str)
        and entry["status"] in statuses
        and entry.get("severity", "warn") in ("block", "warn")
        for entry in value.values()
    )


def _is_feed(feed: dict[str, Any]) -> bool:
    needs_time = feed["status"] != "unknown"
    signal = feed.get("last_signal")
    return _is_time(feed.get("freshness")) and (
        _is_time(signal) or (signal is None and not needs_time)
    )


def _is_time(value: object) -> bool:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return is_number and 0 <= value < _LATEST  # type: ignore[operator] # it is a number
