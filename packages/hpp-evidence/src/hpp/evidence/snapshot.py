"""A snapshot: every tracked and untracked file of a work tree, by the bytes on disk.

Nothing is normalised and no program of the repository runs. Names and digests are separate
values, so no two trees share a digest by shifting bytes from one to the other.
"""

from __future__ import annotations

import os

from hpp.core.canonical import canonical_bytes, sha256_hex
from hpp.core.errors import RefusedError
from hpp.core.text import shorten
from hpp.evidence.pathname import ESCAPED, stored
from hpp.evidence.repository import Repository
from hpp.evidence.treeread import NOTHING, check_still, read_all, unreadable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    Entry = dict[str, Any]

__all__ = ["ALWAYS_EXCLUDED", "SCHEMA", "Snapshot", "is_attestation", "take_snapshot"]

SCHEMA = "hpp.evidence-attestation/v1"
ALWAYS_EXCLUDED = (
    ".hpp/events.jsonl",
    ".hpp/events.lock",
    ".hpp/evidence/",
    "attestations:.hpp/*.json",
)
# What a record may hold; the published schema says the same.
_KEYS = {
    "actors", "base_commit", "deliberation", "record_sha256", "repo", "schema", "session",
    "signature", "snapshot", "spec", "verdict",
}  # fmt: skip
_LARGEST_RECORD = 64 * 1024 * 1024
_GITLINK = "160000"
_EXECUTABLE = "100755"


class Snapshot:
    """What a work tree held.

    Attributes:
        entries: ``kind``, ``path``, ``sha256`` of each path, sorted by path.
        ignored: Entries that ignore rules of the tree hide; reported and not hashed.

    """

    __slots__ = ("entries", "ignored")

    def __init__(self, entries: list[Entry], ignored: int) -> None:
        self.entries = entries
        self.ignored = ignored

    @property
    def digest(self) -> str:
        """Return the SHA-256 of the canonical JSON of the entries."""
        return sha256_hex(canonical_bytes(self.entries))


def take_snapshot(repository: Repository, left_out: Iterable[str] = ()) -> Snapshot:
    """Return the snapshot of a work tree.

    Args:
        repository: The tree.
        left_out: Paths from its top, with ``/``, beside what is always excluded.

    Raises:
        RefusedError: A file cannot be read, keeps changing, appears or vanishes meanwhile.

    """
    beside = set(left_out)
    paths = _listed(repository, beside)
    index = _Index(repository)
    entries = _entries(repository, paths, index)
    moved = set(paths).symmetric_difference(_listed(repository, beside))
    if moved:
        raise RefusedError(f"{shorten(min(moved))}: it came or went while the tree was read")
    hidden = repository.listing(
        "--others", "--ignored", "--directory", "--exclude-per-directory=.gitignore"
    )
    return Snapshot(entries, len(hidden))


def is_attestation(path: str) -> bool:
    """Say whether a file is a record of ours; one that cannot be read is none.

    A snapshot leaves records out, so a file that holds anything beside the keys of one is
    none: it could be what another program reads.
    """
    from hpp.core.document import read_document

    if not os.path.isfile(path):
        return False  # a pipe would be waited for
    try:
        document = read_document(path, root=dict, limit=_LARGEST_RECORD)
    except RefusedError:
        return False
    return bool(document.get("schema") == SCHEMA) and document.keys() <= _KEYS


def _listed(repository: Repository, beside: set[str]) -> list[str]:
    found = repository.listing("--cached", "--others", "--exclude-per-directory=.gitignore")
    paths = {path.rstrip("/") for path in found}
    return sorted(
        path for path in paths if path not in beside and not _is_excluded(repository, path)
    )


def _is_excluded(repository: Repository, path: str) -> bool:
    if not path.startswith(".hpp/"):
        return False
    if path in ALWAYS_EXCLUDED or path.startswith(".hpp/evidence/"):
        return True
    is_direct = path.count("/") == 1 and path.endswith(".json")
    full = os.path.join(repository.top, path)
    return is_direct and not os.path.islink(full) and is_attestation(full)


class _Index:
    """Modes and commits of git's index, read when they are first asked for."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._modes: dict[str, tuple[str, str]] | None = None

    def mode(self, path: str) -> tuple[str, str]:
        """Return mode and object id of a path, empty texts for one that is not tracked."""
        if self._modes is None:
            self._modes = {}
            for line in self._repository.listing("--stage"):
                head, _, name = line.partition("\t")
                mode, identity, _stage = head.split(" ")
                self._modes[name] = (mode, identity)
        return self._modes.get(path, ("", ""))


def _entries(repository: Repository, paths: list[str], index: _Index) -> list[Entry]:
    """Return the entries of all paths, as they were at one moment."""
    readings = read_all(repository.top, paths)
    entries = []
    has_escaped = False
    for path, reading in zip(paths, readings, strict=True):
        if reading is None:
            kind, digest = _other(os.path.join(repository.top, path), path, index)
        else:
            kind, digest = _kind(reading[0], path, index), reading[1]
        if path.isascii():
            entries.append({"kind": kind, "path": path, "sha256": digest})
            continue
        name, is_escaped = stored(path)
        entry: Entry = {"kind": kind, "path": name, "sha256": digest}
        entries.append({**entry, "path_encoding": ESCAPED} if is_escaped else entry)
        has_escaped = has_escaped or is_escaped
    check_still(repository.top, paths, readings)
    return sorted(entries, key=lambda entry: str(entry["path"])) if has_escaped else entries


def _kind(kind: str, path: str, index: _Index, system: str = os.name) -> str:
    """Return the kind of what was read; Windows has no execute bit but the index's."""
    if system != "nt" or kind not in ("file", "executable"):
        return kind
    return "executable" if index.mode(path)[0] == _EXECUTABLE else "file"


def _other(full: str, path: str, index: _Index) -> tuple[str, str]:
    """Return kind and hash of what has no bytes of its own: a folder, or nothing."""
    is_gitlink = index.mode(path)[0] == _GITLINK
    if os.path.isdir(full) and not os.path.islink(full):
        if os.path.lexists(os.path.join(full, ".git")):
            return "repository", _nested(full, path)
        try:
            is_filled = is_gitlink and bool(os.listdir(full))
        except OSError as error:
            raise unreadable(path, error) from None
        if is_filled:
            raise RefusedError(f"{shorten(path)}: a submodule without its repository holds files")
    if is_gitlink:
        return "submodule", sha256_hex(index.mode(path)[1].encode())
    return "missing", NOTHING  # absent, or a folder where a file was tracked


def _nested(full: str, path: str) -> str:
    """Return the hash that stands for a work tree of its own.

    With a ``.git`` that is none, git would answer for the tree around it, or for another.
    """
    inner = Repository(os.path.realpath(full), "")
    if not inner.is_top():
        raise RefusedError(f"{shorten(path)}: its .git is no repository of this folder")
    head = inner.current_head()
    digest = take_snapshot(inner).digest
    return sha256_hex(canonical_bytes({"head": head, "digest": digest}))
