"""What git says of a project now, within a few seconds; ``unknown`` where it says nothing."""

from __future__ import annotations

import os
import time

from hpp.core.portable import anchor, redact
from hpp.core.portable.gitproc import GitError, decode, git

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["UNKNOWN", "commits", "measured", "porcelain", "status"]

UNKNOWN = "unknown"
_WAIT_S = 10.0
_LONGEST = 4000


def measured(root: str, deadline: float | None = None) -> dict[str, Any]:
    """Return head, branch, whether tracked files differ, and how many files are untracked."""
    entries = status(root, deadline) or []
    return {
        "head": anchor.head(root) or _asked(root, deadline) or UNKNOWN,
        "branch": anchor.branch(root) or UNKNOWN,
        "dirty": any(not entry.startswith("?? ") for entry in entries),
        "untracked": sum(entry.startswith("?? ") for entry in entries),
    }


def status(root: str, deadline: float | None = None) -> list[str] | None:
    """Return what differs from the last commit, a text each; None when git does not say."""
    # Renames would take two entries each, and reading them all is not what this is for.
    words = ["status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=normal"]
    try:
        data = git(root, words, _deadline(deadline))
    except GitError:
        return None
    return [entry for entry in decode(data).split("\0") if entry]


def porcelain(root: str, deadline: float | None = None) -> str:
    """Return the status as text for a document: at most 4,000 characters, no secrets."""
    lines = [_shown(entry) for entry in status(root, deadline) or []]
    kept: list[str] = []
    room = _LONGEST
    for line in lines:
        room -= len(line) + 1
        if room < len("... 100000 more"):
            kept.append(f"... {len(lines) - len(kept)} more")
            break
        kept.append(line)
    return "\n".join(kept)[:_LONGEST]


def commits(root: str, count: int, deadline: float | None = None) -> list[tuple[str, str]]:
    """Return id and subject of the last commits, the newest first."""
    words = ["log", f"-{count}", "-z", "--no-show-signature", "--format=%H %s", "HEAD"]
    try:
        data = git(root, words, _deadline(deadline))
    except GitError:
        return []
    found = [entry.partition(" ") for entry in decode(data).split("\0") if entry.strip()]
    return [(commit, _shown(subject)) for commit, _, subject in found]


def _asked(root: str, deadline: float | None) -> str | None:
    """Return HEAD where no file tells, as with a reftable."""
    if not os.path.lexists(os.path.join(root, ".git")):
        return None
    try:
        data = git(root, ["rev-parse", "--verify", "-q", "HEAD"], _deadline(deadline))
    except GitError:
        return None
    return decode(data).strip() or None


def _shown(text: str) -> str:
    plain = text.encode("utf-8", "replace").decode()
    return " ".join(redact.redact(plain).split("\n"))


def _deadline(given: float | None) -> float:
    return time.monotonic() + _WAIT_S if given is None else given
