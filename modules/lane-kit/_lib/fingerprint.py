"""The state of a worktree and its repository, so that a change can be proved and named.

Writes outside of the repository are not seen.
"""

from __future__ import annotations

import os
import time
from hashlib import sha256

from hpp.core.errors import RefusedError
from hpp.core.portable.anchor import common_dir, git_dir
from hpp.core.portable.gitproc import git

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["changed", "fingerprint"]

_WAIT_S = 60.0
_QUESTIONS = (
    ("HEAD", ["symbolic-ref", "--quiet", "HEAD"]),
    ("commit", ["rev-parse", "--verify", "--quiet", "HEAD"]),
    ("refs", ["for-each-ref", "--format=%(refname) %(objectname)"]),
    ("stash", ["stash", "list"]),
    ("worktrees", ["worktree", "list", "--porcelain"]),
    ("status", ["status", "--porcelain=v1", "-z", "--untracked-files=all"]),
)


def fingerprint(top: str) -> dict[str, str]:
    """Return what there is, each with a digest, by names that a person understands.

    Args:
        top: Top of a worktree.

    Raises:
        RefusedError: It is no worktree, or cannot be read.

    """
    own, common = git_dir(top), common_dir(top)
    if own is None or common is None:
        raise RefusedError(f"{top}: it is no worktree of git")
    deadline = time.monotonic() + _WAIT_S
    found = {f"git {name}": _digest(_said(top, words, deadline)) for name, words in _QUESTIONS}
    for name in ("index", "HEAD", "config.worktree"):
        found[f".git/{name}"] = _of_file(os.path.join(own, name))
    for name in ("config", os.path.join("info", "exclude"), "packed-refs"):
        found[f".git/{name}".replace(os.sep, "/")] = _of_file(os.path.join(common, name))
    for path in _walk(os.path.join(common, "hooks")):
        found[f".git/hooks/{os.path.basename(path)}"] = _of_file(path)
    for name in _names(top, ["diff", "--name-only", "-z", "--no-ext-diff", "HEAD"], deadline):
        found[name] = _of_file(os.path.join(top, name))
    for name in _names(top, ["ls-files", "-z", "--others", "--exclude-standard"], deadline):
        found[name] = _of_file(os.path.join(top, name))
    ignored = ["ls-files", "-z", "--others", "--ignored", "--exclude-standard"]
    for name in _names(top, ignored, deadline):
        found[name] = _measure(os.path.join(top, name))
    return found


def changed(before: dict[str, str], after: dict[str, str]) -> list[str]:
    """Return the names whose state differs, sorted."""
    return sorted(
        name for name in before.keys() | after.keys() if before.get(name) != after.get(name)
    )


def _said(top: str, words: list[str], deadline: float) -> bytes:
    from hpp.core.portable.gitproc import GitError

    try:
        return git(top, words, deadline)
    except GitError as error:
        if error.fault == "failed":  # no commit yet, or HEAD is detached
            return b"-"
        raise


def _names(top: str, words: list[str], deadline: float) -> Iterator[str]:
    for name in _said(top, words, deadline).split(b"\0"):
        if name not in (b"", b"-"):
            yield os.fsdecode(name)


def _walk(folder: str) -> Iterator[str]:
    for base, _, files in os.walk(folder):
        for name in files:
            yield os.path.join(base, name)


def _of_file(path: str) -> str:
    """Return a digest of a file's bytes; of a link, of where it leads."""
    try:
        if os.path.islink(path):
            return f"link {_digest(os.fsencode(os.readlink(path)))}"
        with open(path, "rb") as file:
            digest = sha256()
            while data := file.read(1024 * 1024):
                digest.update(data)
        return digest.hexdigest()
    except OSError:
        return "absent"


def _measure(path: str) -> str:
    """Return size and time of an ignored file, whose bytes may be many."""
    try:
        status = os.lstat(path)
    except OSError:
        return "absent"
    return f"{status.st_size} {status.st_mtime_ns}"


def _digest(data: bytes) -> str:
    return sha256(data).hexdigest()
