"""Every change of a disk that an installation makes, one function each.

Windows refuses to rename what a scanner or an editor holds open; such a refusal is tried
again for three seconds.
"""

from __future__ import annotations

import os
import shutil
import sys
import time

from hpp.core.durable import write_all
from hpp.core.folder import is_link

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "create_file",
    "list_folder",
    "make_folder",
    "move",
    "remove_file",
    "remove_folder",
    "remove_tree",
    "sync_folder",
]

_PATIENCE_S = 3.0
_PAUSE_S = 0.05
_SHARING = (5, 32, 33)  # ERROR_ACCESS_DENIED, ERROR_SHARING_VIOLATION, ERROR_LOCK_VIOLATION
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


def create_file(path: str, data: bytes, mode: int = 0o644) -> None:
    """Write a new file, its name free before, and flush it to disk."""
    handle = os.open(path, _NEW | getattr(os, "O_NOFOLLOW", 0), mode)
    try:
        try:
            write_all(handle, data)
            os.fsync(handle)
        finally:
            os.close(handle)
        os.chmod(path, mode)  # the mask of the person who installs decides nothing
    except BaseException:
        remove_file(path)
        raise


def move(
    source: str,
    target: str,
    *,
    patience_s: float = _PATIENCE_S,
    wait: Callable[[float], None] = time.sleep,
) -> None:
    """Give a file or folder another name, in place of a file of that name if there is one."""
    end = time.monotonic() + patience_s
    while True:
        try:
            os.replace(source, target)
        except OSError as error:  # noqa: PERF203 -- a loop over time, not over items
            if getattr(error, "winerror", None) not in _SHARING or time.monotonic() >= end:
                raise
            wait(_PAUSE_S)
        else:
            return


def make_folder(path: str) -> bool:
    """Make a folder; False when it is there already."""
    try:
        os.mkdir(path)
    except FileExistsError:
        return False
    return True


def remove_file(path: str) -> None:
    """Remove a file that may be gone already."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        return


def remove_folder(path: str) -> bool:
    """Remove a folder if it is there and empty; say whether it is gone."""
    try:
        os.rmdir(path)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


def remove_tree(path: str) -> None:
    """Remove a folder of ours with all that is in it; a link in it is removed, not followed."""
    if is_link(path) or not os.path.isdir(path):
        remove_file(path)
        return
    if sys.version_info >= (3, 12):
        shutil.rmtree(path, onexc=_retried)
    else:
        shutil.rmtree(path, onerror=_retried)


def _retried(function: Callable[..., object], path: str, _: object) -> None:
    """Remove what is marked read-only as well (Windows), and what is gone meanwhile."""
    try:
        os.chmod(path, 0o700)
        function(path)
    except FileNotFoundError:
        return


def list_folder(path: str) -> list[str]:
    """Return the sorted names in a folder, none when there is no such folder."""
    try:
        return sorted(os.listdir(path))
    except (FileNotFoundError, NotADirectoryError):
        return []


def sync_folder(path: str) -> None:
    """Flush the entries of a folder to disk, where the system can."""
    if os.name == "nt":
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
