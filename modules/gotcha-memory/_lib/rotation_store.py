"""Keep the live file small: what overflows goes to an archive, which is bounded too.

The archive is written first and the live file is replaced after it. A crash in between
leaves lines in both, and whoever reads the archive drops ids that come twice.
"""

from __future__ import annotations

import os

from _lib.ownership import ARCHIVE, FAILURES

from hpp.core.durable import append
from hpp.core.errors import MachineError
from hpp.core.portable.fswrite import atomic_write
from hpp.core.strictjson import JsonRefusedError, parse_bytes

__all__ = ["LARGEST_ARCHIVE", "MOST_LINES", "archive", "rotate"]

MOST_LINES = 5000
LARGEST_ARCHIVE = 20 * 1024 * 1024
_KEPT_LINES = 4000  # fewer than the most, so that not every line makes a rotation
_KEPT_ARCHIVE = 16 * 1024 * 1024
_OLDEST_S = 45 * 86400
_LARGE = 256 * 1024
_SHORTEST = 2 * MOST_LINES  # bytes of so many lines, at the least
_OPEN = (
    os.O_RDWR
    | os.O_CREAT
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOFOLLOW", 0)
)


def rotate(store: str, now: float) -> int:
    """Move what overflows to the archive, under the caller's lock; return how many lines.

    A system that refuses leaves the live file as it is; nothing is lost, only not moved.
    """
    path = os.path.join(store, FAILURES)
    try:
        size = os.lstat(path).st_size
        if size <= _SHORTEST:
            return 0
        with open(path, "rb") as file:
            lines = file.read().splitlines(keepends=True)
        moved, kept = _parted(lines, now, is_large=size > _LARGE)
        if not moved:
            return 0
        archive(store, b"".join(moved))
        atomic_write(path, b"".join(kept))
    except (OSError, MachineError):
        return 0
    return len(moved)


def archive(store: str, data: bytes) -> None:
    """Add whole lines to the archive; the oldest go when it is too large.

    Raises:
        MachineError: The system refuses.

    """
    path = os.path.join(store, ARCHIVE)
    try:
        handle = os.open(path, _OPEN, 0o600)
    except OSError as error:
        raise MachineError(f"{ARCHIVE}: cannot be opened: {error.strerror}") from None
    try:
        append(handle, data, ARCHIVE)
        size = os.fstat(handle).st_size
        if size <= LARGEST_ARCHIVE:
            return
        os.lseek(handle, size - _KEPT_ARCHIVE, os.SEEK_SET)
        with os.fdopen(os.dup(handle), "rb") as file:
            newest = file.read().partition(b"\n")[2]
    finally:
        os.close(handle)
    atomic_write(path, newest)


def _parted(lines: list[bytes], now: float, *, is_large: bool) -> tuple[list[bytes], list[bytes]]:
    if len(lines) > MOST_LINES:
        return _closed(lines[:-_KEPT_LINES]), lines[-_KEPT_LINES:]
    first = next((ts for ts in map(_time, lines) if ts is not None), now) if is_large else now
    if now - first <= _OLDEST_S:
        return [], lines
    is_old = [(ts := _time(line)) is not None and now - ts > _OLDEST_S for line in lines]
    moved = [line for line, old in zip(lines, is_old, strict=True) if old]
    return _closed(moved), [line for line, old in zip(lines, is_old, strict=True) if not old]


def _closed(lines: list[bytes]) -> list[bytes]:
    return [line if line.endswith(b"\n") else line + b"\n" for line in lines]


def _time(line: bytes) -> float | None:
    try:
        ts = parse_bytes(line, "line", root=dict).get("ts")
    except JsonRefusedError:
        return None
    return float(ts) if isinstance(ts, (int, float)) and not isinstance(ts, bool) else None
