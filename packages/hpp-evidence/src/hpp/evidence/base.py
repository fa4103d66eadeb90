"""The commit a run stands on, and whether the tree differed from it."""

from __future__ import annotations

from hpp.core.git import git

__all__ = ["Base", "base_of"]

_SINGLE_S = 10
_LISTING_S = 120
# How many fields stand between the kind of an entry and its path.
_FIELDS = {b"1": 7, b"u": 9, b"?": 0}


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
    # One call tells both. Renames are not looked for: the two paths of one count alike.
    words = ["--porcelain=v2", "--branch", "--no-ahead-behind", "--no-renames"]
    told = git(["status", *words, "-z", "--untracked-files=normal"], cwd=root, timeout_s=_LISTING_S)
    if told.ok:
        commit, is_dirty = _read(told.stdout)
        return Base(commit, is_dirty=is_dirty)
    if told.fault == "no-git":
        return Base(None, is_dirty=None)
    # No repository, no work tree, or one that is too slow: the commit may be known still.
    told = git(["rev-parse", "--is-inside-work-tree", "HEAD"], cwd=root, timeout_s=_SINGLE_S)
    lines = told.stdout.decode("ascii", "replace").split()
    is_known = told.ok and lines[:1] == ["true"]
    return Base(lines[1] if is_known else None, is_dirty=None)


def _read(listing: bytes) -> tuple[str | None, bool]:
    """Return commit and dirtiness of a listing in the second porcelain format."""
    commit, is_dirty = None, False
    for line in listing.split(b"\0"):
        kind, _, rest = line.partition(b" ")
        if kind == b"#":
            key, _, value = rest.partition(b" ")
            if key == b"branch.oid" and value != b"(initial)":
                commit = value.decode("ascii", "replace")
        elif kind in _FIELDS:
            path = rest.split(b" ", _FIELDS[kind])[-1]
            is_dirty = is_dirty or b".hpp" not in path.split(b"/")
    return commit, is_dirty
