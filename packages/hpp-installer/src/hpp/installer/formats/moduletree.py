"""The files of a module's folder, each read once, links never followed."""

from __future__ import annotations

import os
import stat

from hpp.core.folder import is_link
from hpp.core.text import utf8_path
from hpp.installer.formats.archive import LARGEST_MEMBER, LARGEST_TOTAL, MOST_MEMBERS
from hpp.installer.formats.problem import block

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hpp.installer.formats.problem import Problem

__all__ = ["ModuleTree", "is_leftover", "read_module"]

_DEEPEST = 100  # folders; a portable path has fewer
_CACHES = (".pytest_cache",)
_BYTECODE = "__pycache__"
_FLAGS = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)
_NO_WAIT = getattr(os, "O_NONBLOCK", 0)
_AGAIN = "take the module from its distribution again"


class ModuleTree:
    """What a folder holds.

    Attributes:
        files: Bytes by path.
        links: Paths that are links.
        problems: Links, things that are no files, and what goes past a limit.

    """

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.links: list[str] = []
        self.problems: list[Problem] = []


def read_module(root: str) -> ModuleTree:
    """Read every regular file below a folder, up to the limits of an archive.

    Raises:
        OSError: A folder cannot be listed; the error names it.

    """
    found = ModuleTree()
    total = 0
    for path, entry in _walk(root, ""):
        if is_link(entry):
            found.links.append(path)
            _refuse(found, "link-in-module", path, "it is a link", "regular files and folders")
            continue
        data = _read(found, path, entry)
        if data is None:
            continue
        total += len(data)
        if len(found.files) >= MOST_MEMBERS or total > LARGEST_TOTAL:
            most = f"at most {MOST_MEMBERS} files and {LARGEST_TOTAL} bytes"
            _refuse(found, "archive-limit", path, "the module is too large", most)
            return found
        found.files[path] = data
    return found


def _walk(folder: str, above: str) -> Iterator[tuple[str, str]]:
    """Yield path and place of everything but folders, in the order of the paths' bytes."""
    names = sorted(os.listdir(folder), key=os.fsencode)
    for name in names:
        place = os.path.join(folder, name)
        path = f"{above}{utf8_path(name)}"
        is_folder = not is_link(place) and os.path.isdir(place)
        if is_folder and path.count("/") < _DEEPEST:
            yield from _walk(place, f"{path}/")
        else:
            yield path, place


def _read(found: ModuleTree, path: str, place: str) -> bytes | None:
    try:
        handle = os.open(place, _FLAGS | _NO_WAIT)
        with os.fdopen(handle, "rb") as stream:
            if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                _refuse(found, "unsafe-path", path, "it is no regular file", "regular files alone")
                return None
            data = stream.read(LARGEST_MEMBER + 1)
    except OSError as error:
        told = f"it cannot be read: {error.strerror}"
        _refuse(found, "unsafe-path", path, told, "a readable regular file")
        return None
    if len(data) > LARGEST_MEMBER:
        most = f"at most {LARGEST_MEMBER} bytes"
        _refuse(found, "archive-limit", path, "the file is too large", most)
        return None
    return data


def _refuse(found: ModuleTree, code: str, path: str, measured: str, expected: str) -> None:
    found.problems.append(block(code, path, measured, expected=expected, next_step=_AGAIN))


def is_leftover(path: str, listed: dict[str, str]) -> bool:
    """Say whether running the module's own files left this one behind: bytecode, a test's cache.

    Args:
        path: A file that the inventory does not list.
        listed: What it lists.

    """
    parts = path.split("/")
    if any(part in _CACHES for part in parts[:-1]):
        return True
    if len(parts) < 2 or parts[-2] != _BYTECODE or not parts[-1].endswith(".pyc"):  # noqa: PLR2004 -- folder and name
        return False
    source = "/".join([*parts[:-2], parts[-1].split(".", 1)[0] + ".py"])
    return source in listed
