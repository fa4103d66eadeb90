"""The top of a working tree, found without asking any program."""

from __future__ import annotations

import os

__all__ = ["worktree_top"]


def worktree_top(folder: str) -> str | None:
    """Return the nearest folder with a ``.git`` from `folder` upward; None without one.

    Args:
        folder: An absolute path, which need not exist; links in it are not resolved.

    """
    while not os.path.lexists(os.path.join(folder, ".git")):
        above = os.path.dirname(folder)
        if above == folder:
            return None
        folder = above
    return folder
