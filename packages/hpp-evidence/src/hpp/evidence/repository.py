"""The git work tree that an attestation speaks about."""

from __future__ import annotations

import hashlib
import os
import re

from hpp.core.errors import RefusedError
from hpp.core.git import Answer, git
from hpp.core.text import shorten

__all__ = ["Repository", "find_repository"]

_LISTING_S = 120
_USER = re.compile(r"(?<=://)[^/?#]*@")  # to the last @ of the host's part, as git reads it


class Repository:
    """A work tree with a commit.

    Attributes:
        top: Its top level, links followed.
        head: The commit that is checked out.
        name: Name of the top-level folder.

    """

    __slots__ = ("head", "name", "top")

    def __init__(self, top: str, head: str) -> None:
        self.top = top
        self.head = head
        self.name = os.path.basename(top)

    def identity(self) -> str:
        """Return the SHA-256 of the remote's URL without user info, else of the folder's name.

        The URL itself is stored nowhere.
        """
        told = git(["config", "--get", "remote.origin.url"], cwd=self.top)
        url = told.stdout.decode("utf-8", "surrogateescape").rstrip("\n") if told.ok else ""
        text = _USER.sub("", url, count=1) if url else self.name
        return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()

    def is_top(self) -> bool:
        """Say whether git, asked in the folder, takes it for the top of a work tree."""
        told = git(["rev-parse", "--show-toplevel"], cwd=self.top)
        return told.ok and _path(told) == self.top

    def listing(self, *words: str) -> list[str]:
        """Return the paths that `git ls-files` prints, as `os.fsdecode` gives them.

        Raises:
            RefusedError: git cannot list them.

        """
        told = git(["ls-files", "-z", *words], cwd=self.top, timeout_s=_LISTING_S)
        if not told.ok:
            raise RefusedError(f"git ls-files: {_reason(told)}")
        return [os.fsdecode(part) for part in told.stdout.split(b"\0") if part]

    def current_head(self) -> str | None:
        """Return the commit that is checked out now."""
        return _head(self.top)


def find_repository(folder: str) -> Repository:
    """Return the work tree that holds a folder.

    Raises:
        RefusedError: There is none, it is bare or shallow, or it has no commit.

    """
    shown = shorten(folder)
    if not os.path.isdir(folder):
        raise RefusedError(f"{shown}: there is no such folder")
    told = git(["rev-parse", "--is-bare-repository", "--is-shallow-repository"], cwd=folder)
    if not told.ok:
        raise RefusedError(f"{shown}: not a git repository: {_reason(told)}")
    is_bare, is_shallow = [*told.stdout.split(), b"", b""][:2]
    if is_bare == b"true":
        raise RefusedError(f"{shown}: a bare repository has no files to attest")
    if is_shallow == b"true":
        raise RefusedError(f"{shown}: a shallow repository does not hold its history")
    top = git(["rev-parse", "--show-toplevel"], cwd=folder)
    if not top.ok:
        raise RefusedError(f"{shown}: not inside a git work tree: {_reason(top)}")
    path = _path(top)
    head = _head(path)
    if head is None:
        raise RefusedError(f"{shown}: the repository has no commit yet")
    return Repository(path, head)


def _path(told: Answer) -> str:
    return os.path.realpath(os.fsdecode(told.stdout.rstrip(b"\r\n")))


def _head(folder: str) -> str | None:
    told = git(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], cwd=folder)
    return told.stdout.decode("ascii", "replace").strip() if told.ok else None


def _reason(told: Answer) -> str:
    known = {"no-git": "git is not installed", "timeout": "git did not answer in time"}
    lines = told.stderr.decode("utf-8", "replace").strip().splitlines()
    return known.get(told.fault) or (shorten(lines[0], 160) if lines else "git failed")
