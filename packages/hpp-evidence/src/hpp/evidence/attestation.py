"""An attestation binds a checker's verdict to the bytes it was given on.

It proves that the verdict was given on these bytes, not that it was right; makers and
checkers are claimed names.
"""

from __future__ import annotations

import os

from hpp.core import durable
from hpp.core.canonical import sha256_hex
from hpp.core.errors import RefusedError
from hpp.core.folder import Folder, is_link
from hpp.core.output import pretty_json
from hpp.core.secret import first_kind
from hpp.core.text import shorten
from hpp.evidence.actor import are_two, is_session
from hpp.evidence.filehash import hash_handle
from hpp.evidence.record import hash_without, signed_bytes
from hpp.evidence.repository import Repository, find_repository
from hpp.evidence.scope import Scope, digest_of
from hpp.evidence.snapshot import (
    ALWAYS_EXCLUDED,
    SCHEMA,
    Snapshot,
    is_attestation,
    take_snapshot,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from hpp.evidence.panelverdict import PanelVerdict

__all__ = ["NOT_HASHED", "VERDICTS", "create_attestation", "file_hash", "self_hash", "spec_path"]

VERDICTS = ("approved", "revise", "blocked")
NOT_HASHED = ("record_sha256", "signature")


def create_attestation(  # noqa: PLR0913 -- the options of the command
    *,
    repo: str,
    spec: str,
    maker: str,
    checker: str,
    session: str,
    verdict: str,
    output: str,
    sign_key: str | None = None,
    signer: str | None = None,
    paths: Sequence[str] = (),
    deliberation: str | None = None,
    maker_family: str | None = None,
) -> dict[str, Any]:
    """Take a snapshot, write the record to `output` and return it.

    Args:
        repo: Any folder of the work tree.
        spec: File inside it that the verdict is about.
        maker: Claimed name of who made the work.
        checker: Claimed name of who checked it; another one after folding.
        session: Id of the review.
        verdict: One of `VERDICTS`.
        output: File of the record; one of this schema is replaced, nothing else is.
        sign_key: Key that signs it, or None.
        signer: Name the signature is under; None is the checker's.
        paths: Files and folders that the verdict is bound to; none is the whole tree.
        deliberation: Sealed session of a release gate, or None; its verdict counts when it
            is the stricter one.
        maker_family: Family of who made the work, when there is a session.

    Raises:
        RefusedError: A rule is broken; nothing was written.
        UsageError: There is a session, and nothing installed can read it.

    """
    _check_words(maker, checker, session)
    repository = find_repository(repo)
    spec_name = spec_path(repository, spec)
    scope = Scope.asked_for(repository, paths)
    target = _Target(repository, output)
    signing = None
    if sign_key is not None or signer is not None:
        from hpp.evidence.signing import Signer

        signing = Signer.asked_for(sign_key, signer, otherwise=checker.strip())
    panel = _panel(deliberation, maker_family)
    snapshot = take_snapshot(repository, target.excluded)
    record: dict[str, Any] = {
        "schema": SCHEMA,
        "session": session,
        "verdict": verdict if panel is None else panel.stricter(verdict),
        "repo": {"name": repository.name, "id": repository.identity()},
        "base_commit": repository.head,
        "spec": {"path": spec_name, "sha256": _spec_hash(repository, spec_name, snapshot)},
        "actors": {"maker": maker.strip(), "checker": checker.strip()},
        "snapshot": {
            **_entries(snapshot, scope),
            "excluded": [*ALWAYS_EXCLUDED, *target.excluded],
            "ignored": snapshot.ignored,
        },
    }
    if panel is not None:
        record["deliberation"] = panel.document()
    if repository.current_head() != repository.head:
        raise RefusedError("HEAD moved while the work tree was read")
    data = signed_bytes(record, NOT_HASHED)
    record["record_sha256"] = sha256_hex(data)
    if signing is not None:
        record["signature"] = signing.signature(data)
    target.write(pretty_json(record))
    return record


def _panel(deliberation: str | None, maker_family: str | None) -> PanelVerdict | None:
    if deliberation is None:
        if maker_family is not None:
            raise RefusedError("--maker-family is held against the judge of a --deliberation")
        return None
    from hpp.evidence.panelverdict import read_panel_verdict

    return read_panel_verdict(deliberation, maker_family)


def _entries(snapshot: Snapshot, scope: Scope | None) -> dict[str, Any]:
    """Return what a record holds of the entries: all at once, or by inside and outside."""
    if scope is None:
        return _counted(snapshot.entries)
    inside, outside = scope.split(snapshot.entries)
    scope.check_filled(inside)
    return {**_counted(inside), "paths": scope.paths, "outside": _counted(outside)}


def _counted(entries: list[dict[str, Any]]) -> dict[str, Any]:
    return {"file_count": len(entries), "digest": digest_of(entries), "entries": entries}


def _spec_hash(repository: Repository, name: str, snapshot: Snapshot) -> str:
    """Return the hash of the spec, which is the one in the snapshot if it is there."""
    found = file_hash(os.path.join(repository.top, *name.split("/")))
    for entry in snapshot.entries:
        is_it = entry["path"] == name and entry["kind"] in ("file", "executable")
        if is_it and entry["sha256"] != found:
            raise RefusedError(f"{shorten(name)}: it changed while the tree was read")
    return found


def self_hash(record: Mapping[str, Any]) -> str:
    """Return the SHA-256 of the canonical JSON of what the record's hash covers."""
    return hash_without(record, NOT_HASHED)


def spec_path(repository: Repository, spec: str) -> str:
    """Return a spec's path from the top of its work tree, with ``/``.

    Raises:
        RefusedError: It is no regular file inside the work tree.

    """
    real = os.path.realpath(spec)
    if not os.path.isfile(real):
        raise RefusedError(f"--spec {shorten(spec)}: there is no such file")
    relative = _inside(repository.top, real)
    if relative is None:
        raise RefusedError(f"--spec {shorten(spec)}: it is not inside the repository")
    return relative


def file_hash(path: str) -> str:
    """Return the SHA-256 of a file's bytes.

    Raises:
        RefusedError: It cannot be read.

    """
    try:
        with open(path, "rb") as stream:
            return hash_handle(stream.fileno())[1]
    except OSError as error:
        raise RefusedError(f"{shorten(path)}: cannot be read: {error.strerror}") from None


def _inside(top: str, path: str) -> str | None:
    if not path.startswith(top.rstrip(os.sep) + os.sep):
        return None
    return os.path.relpath(path, top).replace(os.sep, "/")


def _check_words(maker: str, checker: str, session: str) -> None:
    for option, text in (("--maker", maker), ("--checker", checker), ("--session", session)):
        kind = first_kind(text)
        if kind is not None:
            raise RefusedError(f"{option}: secret-like text ({kind}) would be recorded")
        try:
            text.encode("utf-8")
        except UnicodeEncodeError:
            raise RefusedError(f"{option}: it is not valid UTF-8") from None
    if not are_two(maker, checker):
        raise RefusedError("maker and checker must be different non-empty actors")
    if not is_session(session):
        raise RefusedError(
            f"--session {shorten(session)!r}: expected a letter or digit, then at most 127 letters,"
            " digits, dots, underscores, colons or dashes"
        )


class _Target:
    """Where a record goes: checked before the snapshot, written after it.

    Attributes:
        excluded: The path from the top of the work tree, when it lies in it and is not
            one of those that are always excluded.

    """

    def __init__(self, repository: Repository, output: str) -> None:
        if not output:
            raise RefusedError("--output: an empty value names no file")
        full = os.path.abspath(output)
        shown = f"--output {shorten(output)}"
        if os.path.isdir(full) and not is_link(full):
            raise RefusedError(f"{shown}: it is a folder")
        if is_link(full):
            raise RefusedError(f"{shown}: it is a link")
        parent = os.path.realpath(os.path.dirname(full))
        self.path = os.path.join(parent, os.path.basename(full))
        if ".git" in self.path.split(os.sep):
            raise RefusedError(f"{shown}: records do not belong inside .git")
        if os.path.lexists(self.path) and not is_attestation(self.path):
            raise RefusedError(f"{shown}: it exists and is no attestation; nothing replaces it")
        relative = _inside(repository.top, self.path)
        self.excluded: list[str] = []
        self._root, self._names = _existing(parent)
        if relative is not None:
            # Below the work tree no link is followed, as a repository can carry one.
            given = _inside(repository.top, os.path.abspath(output))
            if given is not None and given != relative:
                raise RefusedError(f"{shown}: it leads through a link")
            self._root = repository.top
            self._names = tuple(relative.split("/")[:-1])
            is_covered = relative.startswith(".hpp/") and relative.count("/") == 1
            if not (is_covered and relative.endswith(".json")):
                self.excluded.append(relative)

    def write(self, data: bytes) -> None:
        """Write the record whole."""
        with Folder(self._root, self._names, create=True) as folder:
            durable.replace(folder, os.path.basename(self.path), data)


def _existing(folder: str) -> tuple[str, tuple[str, ...]]:
    """Return the part of a folder's path that exists, and the names below it."""
    names: list[str] = []
    while not os.path.isdir(folder):
        folder, name = os.path.split(folder)
        names.insert(0, name)
    return folder, tuple(names)
