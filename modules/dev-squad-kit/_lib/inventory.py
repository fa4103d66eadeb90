"""A tree in figures: counts and bytes, without a word about what the files mean.

Links are counted and never followed. The same tree gives the same report.
"""

from __future__ import annotations

import os
import stat

from _lib import fileclass

from hpp.core.errors import RefusedError
from hpp.core.git import git
from hpp.core.portable.fsread import is_reparse
from hpp.core.text import shorten, utf8_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    Counts = dict[str, dict[str, int]]

__all__ = ["inventory"]

SCHEMA = "hpp.inventory/v1"
_SKIPPED = (
    ".git", ".hg", ".svn", ".jj", "node_modules", "bower_components", ".venv", "venv", ".tox",
    ".nox", "__pycache__", ".mypy_cache", ".pytest_cache", ".ruff_cache", "dist", "build", "target",
    ".next", ".gradle", ".idea", ".terraform",
)  # fmt: skip
_LISTING_S = 120


class _Tree:
    """The figures of one tree, added up file by file."""

    def __init__(self) -> None:
        self.files = self.size = self.links = self.binary = 0
        self.classes: Counts = {}
        self.extensions: Counts = {}
        self.top: Counts = {}
        self.sizes: list[tuple[int, str]] = []
        self.manifests: list[str] = []
        self.entries: list[str] = []
        self.generated: list[str] = []
        self.vendored: list[str] = []
        self.unreadable: list[dict[str, str]] = []

    def add(self, root: str, path: str) -> None:
        """Count one path, relative to the root, with ``/``."""
        place = os.path.join(root, *path.split("/"))
        shown = utf8_path(path)
        try:
            found = os.lstat(place)
            if stat.S_ISLNK(found.st_mode) or is_reparse(found):
                self.links += 1
                return
            if not stat.S_ISREG(found.st_mode):
                is_folder = stat.S_ISDIR(found.st_mode)
                self._unread(shown, "a repository of its own" if is_folder else "no regular file")
                return
            with open(place, "rb") as stream:
                head = stream.read(fileclass.HEAD)
        except OSError as error:
            self._unread(shown, error.strerror or "cannot be read")
            return
        self._count(shown, found.st_size, head)

    def _count(self, path: str, size: int, head: bytes) -> None:
        self.files += 1
        self.size += size
        self.binary += fileclass.is_binary(head)
        first, slash, _ = path.partition("/")
        _tally(self.classes, fileclass.class_of(path), size)
        _tally(self.extensions, fileclass.extension_of(path) or "(none)", size)
        _tally(self.top, first if slash else ".", size)
        self.sizes.append((-size, path))
        for listed, is_one in (
            (self.manifests, fileclass.is_manifest(path)),
            (self.entries, fileclass.is_entry(path)),
            (self.generated, fileclass.is_generated(path, head)),
            (self.vendored, fileclass.is_vendored(path)),
        ):
            if is_one:
                listed.append(path)

    def _unread(self, path: str, why: str) -> None:
        self.unreadable.append({"path": path, "why": why})

    def document(self, top: int) -> dict[str, Any]:
        """Return the figures; lists of paths are sorted and hold `top` of them at most."""
        share = round(self.binary / self.files, 4) if self.files else 0
        largest = [{"path": path, "bytes": -size} for size, path in sorted(self.sizes)[:top]]
        return {
            "files": self.files,
            "bytes": self.size,
            "links": self.links,
            "binary": {"files": self.binary, "share": share},
            "classes": self.classes,
            "extensions": self.extensions,
            "top_directories": self.top,
            "largest": largest,
            "manifests": sorted(self.manifests),
            "entry_points": sorted(self.entries),
            "generated": _few(self.generated, top),
            "vendored": _few(self.vendored, top),
            "unreadable": sorted(self.unreadable, key=lambda each: each["path"]),
        }


def inventory(folder: str, most: int, top: int) -> dict[str, Any]:
    """Return the report on a tree.

    Args:
        folder: Its root.
        most: Files that are looked at; what is beyond is declared, not counted.
        top: Entries of the lists that could be long.

    Raises:
        RefusedError: It is no folder, or cannot be listed.

    """
    if not os.path.isdir(folder):
        raise RefusedError(f"{shorten(folder)}: there is no such folder")
    tracked = _tracked(folder)
    tree = _Tree()
    paths = tracked or list(_walked(folder, tree))
    for path in paths[:most]:
        tree.add(folder, path)
    return {
        "schema": SCHEMA,
        "source": "git" if tracked else "walk",
        "limit": {
            "max_files": most,
            "reached": len(paths) > most,
            "beyond": max(0, len(paths) - most),
        },
        **tree.document(top),
    }


def _tracked(folder: str) -> list[str]:
    """Return the paths that git tracks below a folder, sorted; none without git."""
    answer = git(["ls-files", "-z"], cwd=folder, timeout_s=_LISTING_S)
    if not answer.ok:
        return []
    found = answer.stdout.decode("utf-8", "surrogateescape").split("\0")
    return sorted({path for path in found if path}, key=os.fsencode)


def _walked(folder: str, tree: _Tree) -> Iterator[str]:
    """Yield the paths below a folder, sorted within each, without what others left there."""
    waiting = [""]
    while waiting:
        below = waiting.pop()
        try:
            with os.scandir(os.path.join(folder, *below.split("/"))) as listed:
                entries = sorted(listed, key=lambda entry: os.fsencode(entry.name))
        except OSError as error:
            if not below:
                raise RefusedError(
                    f"{shorten(folder)}: cannot be listed: {error.strerror}"
                ) from None
            tree.unreadable.append({"path": utf8_path(below), "why": error.strerror or "unread"})
            continue
        folders = []
        for entry in entries:
            path = f"{below}/{entry.name}" if below else entry.name
            if not _is_folder(entry):
                yield path
            elif entry.name not in _SKIPPED:
                folders.append(path)
        waiting += reversed(folders)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    """Say whether an entry is a folder of the tree itself; what cannot be looked at is none."""
    try:
        found = entry.stat(follow_symlinks=False)
    except OSError:
        return False  # counted as unreadable where it is opened
    return stat.S_ISDIR(found.st_mode) and not is_reparse(found)


def _tally(counts: Counts, name: str, size: int) -> None:
    found = counts.setdefault(name, {"bytes": 0, "files": 0})
    found["files"] += 1
    found["bytes"] += size


def _few(paths: list[str], most: int) -> dict[str, Any]:
    return {"count": len(paths), "first": sorted(paths)[:most]}
