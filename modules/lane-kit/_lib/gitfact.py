"""The few facts that the board asks git for."""

from __future__ import annotations

import time

__all__ = ["is_ancestor", "is_commit_id"]

_HEX = frozenset("0123456789abcdef")
_LENGTHS = (40, 64)
_WAIT_S = 20.0


def is_commit_id(text: str) -> bool:
    """Say whether a text is a full object id in lower case."""
    return len(text) in _LENGTHS and _HEX.issuperset(text)


def is_ancestor(project: str, commit: str, tip: str) -> bool:
    """Say whether a commit is contained in another one; an unknown one is not.

    Raises:
        GitError: Git is missing, or did not end in time.

    """
    from hpp.core.portable.gitproc import GitError, git

    words = ["merge-base", "--is-ancestor", commit, tip]
    try:
        git(project, words, time.monotonic() + _WAIT_S)
    except GitError as error:
        if error.fault == "failed":
            return False
        raise
    return True
