"""A scope: the part of a work tree that an attestation binds.

What lies outside is recorded too, so that a later check can tell which changes are inside
and which are not; only those inside can block.
"""

from __future__ import annotations

import os

from hpp.core.canonical import canonical_bytes, sha256_hex
from hpp.core.errors import RefusedError
from hpp.core.text import shorten
from hpp.evidence.pathname import climbs, has_drive, unstored

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from hpp.evidence.repository import Repository

    Entry = dict[str, Any]

__all__ = ["Scope", "digest_of"]


class Scope:
    """Files and folders of a work tree, each with all that is below it.

    Attributes:
        paths: From the top of the tree, with ``/``, sorted; none lies below another.

    """

    __slots__ = ("paths",)

    def __init__(self, paths: Iterable[str]) -> None:
        kept: list[str] = []
        for path in sorted(set(paths), key=lambda path: path.split("/")):
            if not (kept and _is_below(path, kept[-1])):
                kept.append(path)
        self.paths = sorted(kept)

    @staticmethod
    def asked_for(repository: Repository, words: Sequence[str]) -> Scope | None:
        """Return the scope of ``--paths``; None when there is no such option.

        Args:
            repository: The work tree.
            words: Paths from the current folder.

        Raises:
            RefusedError: One is empty, lies outside, or is the whole tree.

        """
        return Scope(_from_top(repository, word) for word in words) if words else None

    @staticmethod
    def recorded(snapshot: Mapping[str, Any]) -> Scope | None:
        """Return the scope of a record's snapshot; None when it is not as it was made."""
        paths, outside = snapshot.get("paths"), snapshot.get("outside")
        if not isinstance(paths, list) or not paths or not isinstance(outside, dict):
            return None
        if not all(isinstance(path, str) and _is_plain(path) for path in paths):
            return None
        scope = Scope(paths)
        is_sound = digest_of(outside.get("entries")) == outside.get("digest")
        return scope if is_sound and scope.paths == paths else None

    def split(self, entries: Iterable[Entry]) -> tuple[list[Entry], list[Entry]]:
        """Return the entries inside, and those outside, in their order."""
        inside: list[Entry] = []
        outside: list[Entry] = []
        for entry in entries:
            (inside if self._holds(entry) else outside).append(entry)
        return inside, outside

    def check_filled(self, inside: Sequence[Entry]) -> None:
        """Refuse a path at which nothing is, which would bind nothing.

        Raises:
            RefusedError: There is one.

        """
        names = [_name(entry) for entry in inside]
        for path in self.paths:
            if not any(_is_below(name, path) for name in names):
                raise RefusedError(f"--paths {shorten(path)}: no file of the repository is there")

    def _holds(self, entry: Entry) -> bool:
        name = _name(entry)
        return any(_is_below(name, path) for path in self.paths)


def digest_of(entries: object) -> str | None:
    """Return the SHA-256 of the canonical JSON of entries; None when they are no list."""
    return sha256_hex(canonical_bytes(entries)) if isinstance(entries, list) else None


def _is_below(name: str, path: str) -> bool:
    return name.startswith(path) and name[len(path) : len(path) + 1] in ("", "/")


def _name(entry: Entry) -> str:
    return unstored(entry["path"], escaped="path_encoding" in entry)


def _is_plain(path: str) -> bool:
    parts = path.split("/")
    return not (climbs(path) or has_drive(path) or "" in parts or "." in parts)


def _from_top(repository: Repository, word: str) -> str:
    shown = f"--paths {shorten(word)}"
    if not word or "\0" in word:
        raise RefusedError(f"{shown}: expected a file or folder of the repository")
    full = os.path.abspath(word)
    real = os.path.join(os.path.realpath(os.path.dirname(full)), os.path.basename(full))
    if real == repository.top:
        raise RefusedError(f"{shown}: it is the whole repository, which needs no --paths")
    if not real.startswith(repository.top.rstrip(os.sep) + os.sep):
        raise RefusedError(f"{shown}: it is not inside the repository")
    path = os.path.relpath(real, repository.top).replace(os.sep, "/")
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        raise RefusedError(f"{shown}: it is not valid UTF-8") from None
    return path
