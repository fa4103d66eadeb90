"""The parts of the status line; each says its own thing, and nothing when there is none.

Everything is read from files. What is not current is never shown as if it were.
"""

from __future__ import annotations

import os

from _lib.health_core import ABSENT, EXPIRED, OK, SKEW, Cache, age, read_cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = ["DEFAULT", "SEGMENTS", "View", "clean"]

DEFAULT = ("progress", "health", "data", "branch")
_LONGEST_NAME = 20
_MOST_SERVICES, _MOST_FEEDS = 6, 4
_CELLS = 8
_MOST_BYTES = 1024 * 1024
_OPEN, _CLOSE = "<!-- CHECKLIST -->", "<!-- /CHECKLIST -->"
_SHORT_ID = 8
_MOST_AUTONOMY = 5
_SERVICE = {"up": "OK", "down": "DOWN", "unknown": "?"}


class View:
    """What the status line is about.

    Attributes:
        root: The project's folder.
        profile: What the person set; empty without a profile.
        now: Unix seconds.
        is_wide: The terminal shows more than ASCII.

    """

    __slots__ = ("_cache", "is_wide", "now", "profile", "root")

    def __init__(self, root: str, profile: dict[str, Any], now: float, *, is_wide: bool) -> None:
        self.root = root
        self.profile = profile
        self.now = now
        self.is_wide = is_wide
        self._cache: Cache | None = None

    def cache(self) -> Cache:
        """Return the cache, read once."""
        if self._cache is None:
            from _lib.setting import cache_path

            self._cache = read_cache(cache_path(self.profile, self.root), self.now)
        return self._cache

    def path(self, key: str, default: str) -> str | None:
        """Return the absolute path of a setting that names a file; None when it names none."""
        from hpp.core.portable.fsread import contain
        from hpp.core.portable.profile_loader import text

        named = text(self.profile, key, default)
        return contain(named, self.root) if named else None


def clean(text: str, most: int = _LONGEST_NAME) -> str:
    """Return a text in one line without control characters, not longer than `most`."""
    shown = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    return shown[:most]


def progress(view: View) -> str:
    """Return how much of the state document is ticked off."""
    path = view.path("paths.state_doc", "docs/plans/execution/00-STATE.md")
    text = None if path is None else _text(path)
    if text is None:
        return ""
    if _OPEN in text:
        text = text.partition(_OPEN)[2].partition(_CLOSE)[0]
    done = total = 0
    for line in text.splitlines():
        item = line.lstrip()
        if item[:6].lower() in ("- [x] ", "- [ ] ") or item.lower() in ("- [x]", "- [ ]"):
            total += 1
            done += item[3] != " "
    if not total:
        return ""
    from hpp.core.portable.profile_loader import text as text_of

    name = text_of(view.profile, "project", os.path.basename(os.path.realpath(view.root)))
    filled = done * _CELLS // total
    full, empty = ("█", "░") if view.is_wide else ("#", "-")
    bar = full * filled + empty * (_CELLS - filled)
    return f"{clean(name)} {done * 100 // total}% {bar}"


def health(view: View) -> str:
    """Return the services, each for itself."""
    cache = view.cache()
    if cache.state != OK:
        return _not_current("health", cache, bool(cache.services))
    services = cache.services
    if len(services) > _MOST_SERVICES:
        return f"svc {sum(each['status'] == 'up' for each in services.values())}/{len(services)}"
    return " ".join(f"{clean(name)}:{_SERVICE[each['status']]}" for name, each in services.items())


def data(view: View) -> str:
    """Return the feeds, each with what its own time says."""
    cache = view.cache()
    if cache.state != OK:
        return _not_current("data", cache, bool(cache.feeds))
    feeds = cache.feeds
    if len(feeds) > _MOST_FEEDS:
        return f"data {sum(each['status'] == 'fresh' for each in feeds.values())}/{len(feeds)}"
    return " ".join(f"{clean(name)}:{_feed(each)}" for name, each in feeds.items())


def branch(view: View) -> str:
    """Return the branch, or the commit when there is none."""
    from hpp.core.portable import anchor

    named = anchor.branch(view.root)
    if named is not None:
        return clean(named, 2 * _LONGEST_NAME)
    commit = anchor.head(view.root)
    return commit[:_SHORT_ID] if commit else ""


def gates(view: View) -> str:
    """Return how many human gates are open."""
    path = view.path("paths.gate_sheet", "docs/GATES.md")
    text = None if path is None else _text(path)
    if text is None:
        return ""
    at = None
    count = 0
    for line in text.splitlines():
        if not line.lstrip().startswith("|"):
            at = None
            continue
        cells = [cell.strip().lower() for cell in line.strip().strip("|").split("|")]
        if at is None:
            at = cells.index("state") if "state" in cells else None
        elif at < len(cells):
            count += cells[at] == "open"
    return f"gates:{count}"


def autonomy(view: View) -> str:
    """Return the level that the person set."""
    from hpp.core.portable.profile_loader import get, integer

    if get(view.profile, "statusline.autonomy_level") is None:
        return ""
    return f"L{integer(view.profile, 'statusline.autonomy_level', 0, 0, _MOST_AUTONOMY)}"


def donegate(view: View) -> str:
    """Return what a file of the done gate says; free text says nothing."""
    path = view.path("statusline.donegate_file", "")
    if path is None:
        return ""
    from hpp.core.errors import RefusedError
    from hpp.core.strictjson import parse_text

    try:
        found = parse_text(_text(path) or "", "donegate", root=dict)
    except (OSError, RefusedError):
        return "dod:?"
    if isinstance(found.get("done"), bool):
        return "dod:done" if found["done"] else "dod:open"
    passed, total = found.get("passed"), found.get("total")
    if type(passed) is int and type(total) is int and 0 <= passed <= total:
        return f"dod:{passed}/{total}"
    return "dod:?"


SEGMENTS: dict[str, Callable[[View], str]] = {
    "progress": progress,
    "health": health,
    "data": data,
    "branch": branch,
    "gates": gates,
    "autonomy": autonomy,
    "donegate": donegate,
}


def _not_current(name: str, cache: Cache, has_entries: bool) -> str:  # noqa: FBT001 -- of two callers
    if cache.state == ABSENT or (cache.state in (EXPIRED, SKEW) and not has_entries):
        return ""
    if cache.state == EXPIRED:
        return f"{name}:OLD {age(cache.age_s)}"
    return f"{name}:CLOCK" if cache.state == SKEW else f"{name}:ERR"


def _feed(entry: dict[str, Any]) -> str:
    if entry["status"] == "stale":
        return f"{age(entry['age_seconds'])}!"
    return {"fresh": "ok", "skew": "clock"}.get(entry["status"], "?")


def _text(path: str) -> str | None:
    """Return a file's text; None when there is none.

    Raises:
        OSError: It is there and cannot be read.

    """
    import stat

    try:
        found = os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    if not stat.S_ISREG(found.st_mode):
        raise OSError(0, "not a regular file")
    with open(path, "rb") as file:
        return file.read(_MOST_BYTES).decode("utf-8", "replace")
