"""Which repository a folder belongs to, read from files; no process is started."""

from __future__ import annotations

import os

from hpp.core.worktree import worktree_top

__all__ = ["is_same_place", "shared_folder", "top_of"]


def top_of(folder: str) -> str | None:
    """Return the top of the working tree that a folder lies in, links resolved; None without.

    The folder need not exist yet.
    """
    return worktree_top(os.path.realpath(folder))


def shared_folder(top: str) -> str | None:
    """Return the folder that all working trees of a repository share, links resolved."""
    from hpp.core.portable.anchor import common_dir

    found = common_dir(top)
    return None if found is None else os.path.realpath(found)


def is_same_place(one: str, other: str) -> bool:
    """Say whether two names are one folder; where the system's names have no case, neither here."""
    if one == other:
        return True
    try:
        return os.path.samefile(one, other)
    except OSError:
        return False
