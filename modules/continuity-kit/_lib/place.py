"""Where handoffs lie in a project, and reading what lies there; nothing is written."""

from __future__ import annotations

import os
import stat

from hpp.core.errors import RefusedError
from hpp.core.portable.fsread import contain

__all__ = [
    "FOLDER",
    "LARGEST_DOCUMENT",
    "archive",
    "current",
    "degraded",
    "file",
    "folder",
    "lanes",
    "ledger",
    "read",
    "shown",
]

FOLDER = ".claude/handoff"
LARGEST_DOCUMENT = 65536
_CURRENT, _DEGRADED, _SUFFIX = "HANDOFF-CURRENT-", "HANDOFF-DEGRADED-", ".json"


def folder(root: str) -> str:
    """Return the state folder of a project; it may not exist yet.

    Raises:
        RefusedError: A link leads out of the project.

    """
    return contain(FOLDER, root)


def file(root: str, name: str) -> str:
    """Return the place of a file in the state folder, links refused; see `folder`."""
    return contain(f"{FOLDER}/{name}", root)


def current(root: str, lane: str) -> str:
    """Return the place of a lane's handoff."""
    return file(root, f"{_CURRENT}{lane}{_SUFFIX}")


def degraded(root: str, lane: str) -> str:
    """Return the place of the emergency record that stands beside a full handoff."""
    return file(root, f"{_DEGRADED}{lane}{_SUFFIX}")


def archive(root: str, handoff_id: str = "") -> str:
    """Return the folder of earlier handoffs, or the place of one of them."""
    return file(root, f"archive/{handoff_id}{_SUFFIX}" if handoff_id else "archive")


def ledger(root: str) -> str:
    """Return the place of the ledger."""
    return file(root, "HANDOFF-LEDGER.jsonl")


def lanes(root: str) -> list[str]:
    """Return the lanes that have a handoff, sorted."""
    from hpp.core.portable.lane import is_lane_id

    try:
        names = os.listdir(folder(root))
    except (FileNotFoundError, NotADirectoryError):
        return []
    found = [
        name[len(_CURRENT) : -len(_SUFFIX)]
        for name in names
        if name.startswith(_CURRENT) and name.endswith(_SUFFIX)
    ]
    return sorted(lane for lane in found if is_lane_id(lane))


def shown(root: str, path: str) -> str:
    """Return a place as a person types it: relative to the project, with ``/``."""
    return os.path.relpath(path, os.path.realpath(root)).replace(os.sep, "/")


def read(path: str, most: int = LARGEST_DOCUMENT) -> bytes | None:
    """Return the bytes of a regular file; None when there is none.

    Raises:
        RefusedError: It is something else, too large, or cannot be read.

    """
    name = os.path.basename(path)
    try:
        found = os.lstat(path)
        if not stat.S_ISREG(found.st_mode):
            raise RefusedError(f"{name}: expected a regular file")
        with open(path, "rb") as stream:
            data = stream.read(most + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise RefusedError(f"{name}: cannot be read: {error.strerror}") from None
    if len(data) > most:
        raise RefusedError(f"{name}: larger than {most} bytes")
    return data
