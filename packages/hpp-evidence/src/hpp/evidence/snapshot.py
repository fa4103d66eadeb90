"""A snapshot: every tracked and untracked file of a work tree, by the bytes on disk.

Nothing is normalised and no program of the repository runs. Names and digests are separate
values, so no two trees share a digest by shifting bytes from one to the other.
"""

from __future__ import annotations

import os
import stat

from hpp.core.canonical import canonical_bytes, sha256_hex
from hpp.core.errors import RefusedError
from hpp.core.text import shorten
from hpp.evidence.filehash import OPEN_FLAGS, hash_handle
from hpp.evidence.pathname import ESCAPED, stored
from hpp.evidence.repository import Repository

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
_TRIES = 3
_WORKERS = 4
_LARGEST_RECORD = 64 * 1024 * 1024
_NOTHING = sha256_hex(b"")
_GITLINK = "160000"


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
    if _listed(repository, beside) != paths:
        raise RefusedError("the work tree changed while it was read: files appeared or vanished")
    hidden = repository.listing(
        "--others", "--ignored", "--directory", "--exclude-per-directory=.gitignore"
    )
    return Snapshot(entries, len(hidden))


def is_attestation(path: str) -> bool:
    """Say whether a file is a record of ours; one that cannot be read is none."""
    from hpp.core.document import read_document

    try:
        document = read_document(path, root=dict, limit=_LARGEST_RECORD)
    except RefusedError:
        return False
    return bool(document.get("schema") == SCHEMA)


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
    """Return the entries of all paths; files are read by several threads."""
    from concurrent.futures import ThreadPoolExecutor

    def read(path: str) -> Entry:
        return _entry(repository, path, index)

    if os.name == "nt":
        index.mode("")  # every file asks for its mode there: read once, before the threads
    if len(paths) < 2 * _WORKERS:
        made = [read(path) for path in paths]
    else:
        with ThreadPoolExecutor(_WORKERS) as pool:
            made = list(pool.map(read, paths, chunksize=64))
    return sorted(made, key=lambda entry: str(entry["path"]))


def _entry(repository: Repository, path: str, index: _Index) -> Entry:
    full = os.path.join(repository.top, path)
    kind, digest = _measured(full, path, index)
    name, is_escaped = stored(path)
    entry: Entry = {"kind": kind, "path": name, "sha256": digest}
    return {**entry, "path_encoding": ESCAPED} if is_escaped else entry


def _measured(full: str, path: str, index: _Index) -> tuple[str, str]:
    """Return kind and hash of one path."""
    try:
        found = os.lstat(full)
    except (FileNotFoundError, NotADirectoryError):
        return _absent(path, index)
    except OSError as error:
        raise _unreadable(path, error) from None
    if stat.S_ISLNK(found.st_mode):
        return "symlink", sha256_hex(os.fsencode(os.readlink(full)))
    if stat.S_ISREG(found.st_mode):
        return _file_kind(found, path, index), _hashed(full, path)
    if stat.S_ISDIR(found.st_mode):
        return _folder(full, path, index)
    return "special", _NOTHING


def _absent(path: str, index: _Index) -> tuple[str, str]:
    mode, identity = index.mode(path)
    if mode == _GITLINK:
        return "submodule", sha256_hex(identity.encode())
    return "missing", _NOTHING


def _folder(full: str, path: str, index: _Index) -> tuple[str, str]:
    """Return kind and hash of a folder that git lists as one thing."""
    if os.path.lexists(os.path.join(full, ".git")):
        return "repository", _nested(full)
    if index.mode(path)[0] == _GITLINK:
        if os.listdir(full):
            raise RefusedError(f"{shorten(path)}: a submodule without its repository holds files")
        return _absent(path, index)
    return "missing", _NOTHING  # a folder stands where a file was tracked


def _nested(full: str) -> str:
    """Return the hash that stands for a work tree of its own."""
    inner = Repository(os.path.realpath(full), "")
    head = inner.current_head()
    digest = take_snapshot(inner).digest
    return sha256_hex(canonical_bytes({"head": head, "digest": digest}))


def _file_kind(found: os.stat_result, path: str, index: _Index) -> str:
    if os.name == "nt":
        return "executable" if index.mode(path)[0] == "100755" else "file"
    return "executable" if found.st_mode & stat.S_IXUSR else "file"


def _hashed(full: str, path: str) -> str:
    """Return the hash of a file that held still while it was read."""
    flags = OPEN_FLAGS | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
    for _ in range(_TRIES):
        try:
            handle = os.open(full, flags)
        except OSError as error:
            raise _unreadable(path, error) from None
        try:
            before = os.fstat(handle)
            _, digest = hash_handle(handle)
            after = os.fstat(handle)
        except OSError as error:
            raise _unreadable(path, error) from None
        finally:
            os.close(handle)
        if _stamp(before) == _stamp(after):
            return digest
    raise RefusedError(f"{shorten(path)}: it keeps changing while it is read")


def _stamp(found: os.stat_result) -> tuple[int, int, int]:
    return found.st_size, found.st_mtime_ns, found.st_ino


def _unreadable(path: str, error: OSError) -> RefusedError:
    return RefusedError(f"{shorten(path)}: cannot be read: {error.strerror}")
