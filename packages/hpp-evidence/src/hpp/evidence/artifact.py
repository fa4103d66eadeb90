"""What a run wrote: every declared pattern's files, compared with how they were before.

A file counts as written by the run unless device, inode, size, modification time and
SHA-256 are all as they were. Changed permissions alone leave all five equal.
"""

from __future__ import annotations

import os

from hpp.core.errors import RefusedError
from hpp.core.text import shorten
from hpp.evidence.filehash import OPEN_FLAGS, hash_handle
from hpp.evidence.pathname import ESCAPED, stored

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from hpp.evidence.pattern import Pattern, Workspace

__all__ = ["Collection", "Stamp", "collect", "stamp_existing"]


class Stamp:
    """One file at one moment; `sha256` is None when it could not be read."""

    __slots__ = ("device", "inode", "mtime_ns", "sha256", "size")

    def __init__(self, found: os.stat_result, sha256: str | None) -> None:
        self.device = found.st_dev
        self.inode = found.st_ino
        self.size = found.st_size
        self.mtime_ns = found.st_mtime_ns
        self.sha256 = sha256

    def same_file_as(self, other: Stamp) -> bool:
        """Say whether nothing was written between two stamps, as far as a stamp can tell."""
        has_inodes = bool(self.inode and other.inode)
        if has_inodes and (self.device, self.inode) != (other.device, other.inode):
            return False
        if (self.size, self.mtime_ns) != (other.size, other.mtime_ns):
            return False
        return other.sha256 is None or self.sha256 == other.sha256


class Collection:
    """The artifacts of one run.

    Attributes:
        groups: One object a pattern, as the record holds it.
        missing: Patterns that no file of this run matches.
        warnings: ``{code, message}`` objects.

    """

    def __init__(self) -> None:
        self.groups: list[dict[str, Any]] = []
        self.missing: list[str] = []
        self.warnings: list[dict[str, str]] = []


def stamp_existing(workspace: Workspace, patterns: Sequence[Pattern]) -> dict[str, Stamp]:
    """Return a stamp of every file that matches before the run.

    Raises:
        RefusedError: A match leads out of the workspace through a link.

    """
    stamps: dict[str, Stamp] = {}
    for pattern in patterns:
        for path in pattern.matches(workspace):
            if path in stamps:
                continue
            if not workspace.holds(workspace.path(path)):
                place = f"--artifact {shorten(pattern.text)}: {shorten(path)}"
                raise RefusedError(f"{place} leads outside the workspace")
            found = _stamp(workspace.path(path))
            if found is not None:
                stamps[path] = found
    return stamps


def collect(
    workspace: Workspace, patterns: Sequence[Pattern], before: dict[str, Stamp]
) -> Collection:
    """Return what the run wrote."""
    result = Collection()
    for pattern in patterns:
        group = _group(workspace, pattern, before, result.warnings)
        if not group["files"]:
            result.missing.append(pattern.text)
        result.groups.append(group)
    return result


def _group(
    workspace: Workspace,
    pattern: Pattern,
    before: dict[str, Stamp],
    warnings: list[dict[str, str]],
) -> dict[str, Any]:
    files: list[dict[str, Any]] = []
    unchanged: list[str] = []
    outside: list[str] = []
    is_readable = True
    for path in pattern.matches(workspace):
        name, is_escaped = stored(path)
        if not workspace.holds(workspace.path(path)):
            outside.append(name)
            _warn(warnings, "LINK_OUTSIDE", f"{name} leads outside the workspace")
            continue
        now = _stamp(workspace.path(path))
        if now is None:
            continue  # it vanished while we looked
        if path in before and now.same_file_as(before[path]):
            unchanged.append(name)
        elif now.sha256 is None:
            is_readable = False
            _warn(warnings, "UNREADABLE", f"{name} cannot be read")
        else:
            entry = {"path": name, "size": now.size, "sha256": now.sha256}
            files.append({**entry, "path_encoding": ESCAPED} if is_escaped else entry)
    group: dict[str, Any] = {
        "pattern": pattern.text,
        "files": sorted(files, key=lambda entry: str(entry["path"])) if is_readable else [],
        "unchanged": sorted(unchanged),
    }
    if outside:
        group["outside"] = sorted(outside)
    return group


def _warn(warnings: list[dict[str, str]], code: str, message: str) -> None:
    warning = {"code": code, "message": message}
    if warning not in warnings:
        warnings.append(warning)


def _stamp(path: str) -> Stamp | None:
    """Return the stamp of a file, following links; None when it is gone."""
    try:
        handle = os.open(path, OPEN_FLAGS)
    except FileNotFoundError:
        return None
    except OSError:
        return _unreadable(path)
    try:
        size, digest = hash_handle(handle)
        found = os.fstat(handle)
    except OSError:
        return _unreadable(path)
    finally:
        os.close(handle)
    stamp = Stamp(found, digest)
    stamp.size = size  # of the bytes that were hashed, should the file still grow
    return stamp


def _unreadable(path: str) -> Stamp | None:
    try:
        return Stamp(os.stat(path), None)
    except OSError:
        return None
