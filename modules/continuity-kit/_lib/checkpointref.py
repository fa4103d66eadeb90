"""The refs of checkpoints: whose they are, which there are, which are old."""

from __future__ import annotations

import time

from hpp.core.errors import HppError
from hpp.core.portable.digest import text_digest
from hpp.core.portable.gitproc import GitError, decode, git

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = [
    "CheckpointError", "Turn", "head_tree", "key_of", "namespace", "prune", "read_turns",
]  # fmt: skip

_BASE = "refs/hpp/checkpoints"
_KEPT = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-")
_LONGEST_KEY = 60
_OLD_S = 30 * 86400


class CheckpointError(HppError):
    """No checkpoint could be taken; the message says why."""

    code = "continuity.checkpoint"
    exit_code = 1


class Turn:
    """One checkpoint.

    Attributes:
        number: From 1.
        ref: Its ref.
        commit: Its commit.
        tree: The commit's tree.
        parent: The commit before it; None for the first one of a repository.

    """

    __slots__ = ("commit", "number", "parent", "ref", "tree")

    def __init__(self, number: int, ref: str, commit: str, tree: str, parent: str | None) -> None:
        self.number = number
        self.ref = ref
        self.commit = commit
        self.tree = tree
        self.parent = parent

    def document(self, session: str) -> dict[str, Any]:
        """Return the checkpoint as a command prints it."""
        return {
            "session": session, "turn": self.number, "ref": self.ref, "commit": self.commit,
            "tree": self.tree, "parent": self.parent,
        }  # fmt: skip


def key_of(session: str) -> str:
    """Return the part of a ref that stands for a session; no two sessions share one.

    The digest tells apart what differs only in letter case or in what a ref cannot hold.
    """
    text = "".join(char if char in _KEPT else "-" for char in session)
    while "--" in text or ".." in text:
        text = text.replace("--", "-").replace("..", "")
    text = _trimmed(text)[:_LONGEST_KEY]
    text = _trimmed(text) or "unknown"
    return f"{text}-{text_digest(session)[:8]}"


def namespace(session: str) -> str:
    """Return the ref below which a session's turns are."""
    return f"{_BASE}/{key_of(session)}/turn"


def read_turns(root: str, session: str, deadline: float) -> list[Turn]:
    """Return the checkpoints of a session, oldest first.

    Raises:
        GitError: Git does not say.

    """
    form = "--format=%(refname)%00%(objectname)%00%(tree)%00%(parent)"
    base = namespace(session)
    found = []
    for line in decode(git(root, ["for-each-ref", form, base], deadline)).splitlines():
        ref, commit, tree, parent = line.split("\0")
        number = ref.rpartition("/")[2]
        if number.isascii() and number.isdigit():
            found.append(Turn(int(number), ref, commit, tree, parent.split(" ")[0] or None))
    return sorted(found, key=lambda turn: turn.number)


def head_tree(root: str, deadline: float) -> str | None:
    """Return the tree of HEAD; None before the first commit.

    Raises:
        GitError: Git cannot be asked.

    """
    try:
        return decode(git(root, ["rev-parse", "--verify", "-q", "HEAD^{tree}"], deadline)).strip()
    except GitError as error:
        if error.fault == "failed" and error.status == 1:
            return None
        raise


def prune(root: str, budget_s: float, *, is_applied: bool) -> list[dict[str, Any]]:
    """Return the namespaces whose newest checkpoint is over 30 days old, gone when applied."""
    deadline = time.monotonic() + budget_s
    form = "--format=%(refname)%00%(objectname)%00%(committerdate:unix)"
    spaces: dict[str, list[tuple[str, str, int]]] = {}
    for line in decode(git(root, ["for-each-ref", form, _BASE], deadline)).splitlines():
        ref, commit, when = line.split("\0")
        spaces.setdefault(ref.split("/")[3], []).append((ref, commit, int(when or 0)))
    limit = time.time() - _OLD_S
    old = {key: refs for key, refs in spaces.items() if max(one[2] for one in refs) < limit}
    if is_applied:
        for refs in old.values():
            for ref, commit, _ in refs:
                git(root, ["update-ref", "-d", ref, commit], deadline)
    return [{"key": key, "turns": len(refs)} for key, refs in sorted(old.items())]


def _trimmed(text: str) -> str:
    before = ""
    while text != before:
        before = text
        text = text.strip(".-")
        text = text.removesuffix(".lock")
    return text
