"""An exclusive lock on an open file, released by the system when its holder dies."""

from __future__ import annotations

import os
import time

from hpp.core.errors import MachineError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["acquire", "platform_lock"]

_FIRST_PAUSE_S = 0.001
_LONGEST_PAUSE_S = 0.025


def acquire(handle: int, *, timeout_s: float) -> bool:
    """Take the lock, or return False when another holder keeps it for `timeout_s` seconds.

    Advisory, and per open file: closing the handle, or the end of the process, releases it.

    Raises:
        MachineError: The file system knows no locks.

    """
    attempt = platform_lock(os.name)
    deadline = time.monotonic() + timeout_s
    pause = _FIRST_PAUSE_S
    while not attempt(handle):
        if time.monotonic() >= deadline:
            return False
        time.sleep(pause)
        pause = min(pause * 2, _LONGEST_PAUSE_S)
    return True


def platform_lock(system: str) -> Callable[[int], bool]:
    """Return the function that tries once on this kind of system (`os.name`)."""
    return _try_windows if system == "nt" else _try_posix


def _try_posix(handle: int) -> bool:
    import fcntl

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):  # EWOULDBLOCK, and EACCES on some systems
        return False
    except OSError as error:
        raise MachineError(f"the lock cannot be taken: {error.strerror}") from error
    return True


def _try_windows(handle: int) -> bool:
    import msvcrt

    os.lseek(handle, 0, os.SEEK_SET)
    try:
        # One byte at the start; a range may lie beyond the end of an empty file.
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
    except PermissionError:
        return False
    except OSError as error:
        raise MachineError(f"the lock cannot be taken: {error.strerror}") from error
    return True
