"""Fresh copies of a workspace, for runs that must not touch the original.

A link inside the tree that is written with an absolute path would lead from the copy back
to the original, so it is given the copy's path; a relative one that leads out of the tree
is given the absolute path that it leads to.
"""

from __future__ import annotations

import os
import shutil
import stat
import sys
from contextlib import suppress

from hpp.core.errors import RefusedError
from hpp.core.folder import is_link
from hpp.core.text import shorten
from hpp.evidence.pathname import climbs, has_drive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["LEFT_OUT", "check_links", "copy_tree", "remove_tree"]

LEFT_OUT = frozenset(
    {".git", ".hpp", "__pycache__", "node_modules", ".venv", "venv", ".tox"}
)  # fmt: skip
_FICLONE = 0x40049409  # linux/fs.h: share the blocks of another file until one is written


def check_links(root: str, links: Sequence[str]) -> list[str]:
    """Return the folders to link, with ``/``, without repeats.

    Raises:
        RefusedError: One is no folder of the workspace that copies leave out.

    """
    checked = []
    for link in dict.fromkeys(links):
        shown = f"--link {shorten(link)}"
        if not link or climbs(link) or has_drive(link) or "\0" in link:
            raise RefusedError(f"{shown}: expected a folder inside the workspace")
        parts = [part for part in link.replace("\\", "/").split("/") if part not in ("", ".")]
        if not parts or parts[-1] not in LEFT_OUT or LEFT_OUT & set(parts[:-1]):
            names = ", ".join(sorted(LEFT_OUT))
            raise RefusedError(f"{shown}: expected a folder that is not copied: {names}")
        if not os.path.isdir(os.path.join(root, *parts)):
            raise RefusedError(f"{shown}: there is no such folder")
        checked.append("/".join(parts))
    return checked


def copy_tree(source: str, target: str, *, links: Sequence[str] = (), linked: str = "") -> None:
    """Copy a workspace to a folder that is not there yet.

    Args:
        source: The workspace, links in its own path followed.
        target: The folder of the copy.
        links: Folders that are linked in place of being copied.
        linked: The workspace that those links lead to; an empty text is `source`.

    Raises:
        RefusedError: Something cannot be read or linked.

    """
    clone = _cloner()
    try:
        _copy_folder(source, target, source, target, clone)
        for link in links:
            parts = link.split("/")
            where = os.path.join(target, *parts)
            os.makedirs(os.path.dirname(where), exist_ok=True)
            os.symlink(os.path.join(linked or source, *parts), where, target_is_directory=True)
    except OSError as error:
        name = error.filename if isinstance(error.filename, str) else source
        reason = error.strerror or "not possible"
        raise RefusedError(f"{shorten(name)}: cannot be copied: {reason}") from None


def remove_tree(folder: str) -> None:
    """Remove a copy; what cannot be removed stays in the temporary folder."""
    for path, _, _ in os.walk(folder):
        with suppress(OSError):
            os.chmod(path, stat.S_IRWXU)
    shutil.rmtree(folder, ignore_errors=True)


def _copy_folder(
    source: str, target: str, root: str, copy: str, clone: Callable[[str, str], bool]
) -> None:
    os.mkdir(target)
    with os.scandir(source) as entries:
        for entry in entries:
            where = os.path.join(target, entry.name)
            if entry.name in LEFT_OUT:
                continue
            if is_link(entry.path):
                text = _link_text(entry.path, root, copy)
                os.symlink(text, where, target_is_directory=entry.is_dir())
            elif entry.is_dir(follow_symlinks=False):
                _copy_folder(entry.path, where, root, copy, clone)
            elif entry.is_file(follow_symlinks=False):
                if not clone(entry.path, where):
                    shutil.copyfile(entry.path, where, follow_symlinks=False)
                shutil.copystat(entry.path, where, follow_symlinks=False)
    shutil.copystat(source, target)
    os.chmod(target, stat.S_IMODE(os.stat(target).st_mode) | stat.S_IRWXU)


def _link_text(path: str, root: str, copy: str) -> str:
    text = os.readlink(path)
    full = os.path.normpath(os.path.join(os.path.dirname(path), text))
    is_inside = full == root or full.startswith(root.rstrip(os.sep) + os.sep)
    if is_inside:
        return os.path.join(copy, os.path.relpath(full, root)) if os.path.isabs(text) else text
    return full


def _cloner(system: str = sys.platform) -> Callable[[str, str], bool]:
    """Return a function that shares a file's blocks with a new one, or says that it cannot."""
    if system == "linux":
        return _clone_linux
    if system == "darwin":
        return _clone_darwin
    return _clone_nowhere


def _clone_nowhere(_source: str, _target: str) -> bool:
    return False


def _clone_linux(source: str, target: str) -> bool:
    import fcntl

    with open(source, "rb") as old, open(target, "xb") as new:
        try:
            fcntl.ioctl(new.fileno(), _FICLONE, old.fileno())
        except OSError:
            pass
        else:
            return True
    os.unlink(target)
    return False


def _clone_darwin(source: str, target: str) -> bool:
    import ctypes

    clone = ctypes.CDLL(None).clonefile
    return bool(clone(os.fsencode(source), os.fsencode(target), 0) == 0)
