"""The commit a run stands on, and whether the tree differed from it."""

from __future__ import annotations

from hpp.core.git import git

__all__ = ["Base", "base_of"]

_SINGLE_S = 10
_LISTING_S = 120


class Base:
    """The state of the work tree before a run.

    Attributes:
        commit: HEAD, or None outside a repository, without a commit or without git.
        is_dirty: Whether anything outside ``.hpp/`` differs, or None when unknown.

    """

    __slots__ = ("commit", "is_dirty")

    def __init__(self, commit: str | None, *, is_dirty: bool | None) -> None:
        self.commit = commit
        self.is_dirty = is_dirty


def base_of(root: str) -> Base:
    """Return the state of the work tree that holds a folder."""
    # One call tells both: outside a repository it says nothing, without a commit only that
    # this is one.
    told = git(["rev-parse", "--is-inside-work-tree", "HEAD"], cwd=root, timeout_s=_SINGLE_S)
    lines = told.stdout.decode("ascii", "replace").split()
    if lines[:1] != ["true"]:
        return Base(None, is_dirty=None)
    commit = lines[1] if told.ok else None
    listing = git(
        ["status", "--porcelain=v1", "-z", "--untracked-files=normal"],
        cwd=root,
        timeout_s=_LISTING_S,
    )
    return Base(commit, is_dirty=_is_dirty(listing.stdout) if listing.ok else None)


def _is_dirty(listing: bytes) -> bool:
    """Read ``XY path`` entries; a rename or copy is followed by the path it came from."""
    entries = iter(listing.split(b"\0"))
    for entry in entries:
        if not entry:
            continue
        paths = [entry[3:]]
        if entry[:1] in (b"R", b"C"):
            paths.append(next(entries, b""))
        if any(b".hpp" not in path.split(b"/") for path in paths):
            return True
    return False
