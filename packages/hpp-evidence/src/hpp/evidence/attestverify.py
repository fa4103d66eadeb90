"""Measure again what an attestation was given on, and say what differs."""

from __future__ import annotations

import os
import re

from hpp.core.document import read_document
from hpp.core.errors import RefusedError
from hpp.core.text import shorten
from hpp.evidence.actor import are_two, is_session
from hpp.evidence.attestation import NOT_HASHED, file_hash, self_hash, spec_path
from hpp.evidence.pathname import climbs, has_drive
from hpp.evidence.record import signature_report
from hpp.evidence.repository import Repository, find_repository
from hpp.evidence.scope import Scope, digest_of
from hpp.evidence.snapshot import (
    ALWAYS_EXCLUDED,
    SCHEMA,
    is_attestation,
    take_snapshot,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

__all__ = ["verify_attestation"]

_MOST_PATHS = 100
_GONE = "missing"
_ABSENT = object()
_DELIBERATION = {"record_sha256", "status", "value", "judge_family"}
_SHA256 = re.compile(r"[0-9a-f]{64}")
_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


def verify_attestation(
    path: str, *, repo: str, spec: str | None = None, allowed_signers: str | None = None
) -> dict[str, Any]:
    """Return the report ``hpp.attestation-verification/v1``.

    Args:
        path: The record, anywhere on disk.
        repo: Any folder of the work tree that is measured.
        spec: The spec that the record must be about, or None to take its own.
        allowed_signers: File of the keys that may sign; None asks for no signature.

    Raises:
        RefusedError: `path` is no record of this schema, or `repo` no work tree.

    """
    record = read_document(path, root=dict)
    if record.get("schema") != SCHEMA:
        raise RefusedError(f"{shorten(path)}: schema: expected {SCHEMA}")
    repository = find_repository(repo)
    snapshot = _mapping(record, "snapshot")
    excluded = snapshot.get("excluded")
    left_out = _left_out(repository, excluded)
    here = os.path.relpath(os.path.realpath(path), repository.top).replace(os.sep, "/")
    beside = set(left_out or ()) if here.startswith("../") else {*(left_out or ()), here}
    now = take_snapshot(repository, beside)
    is_scoped = "paths" in snapshot or "outside" in snapshot
    scope = Scope.recorded(snapshot) if is_scoped else None
    inside, outside = (now.entries, []) if scope is None else scope.split(now.entries)
    digest = digest_of(inside)
    signature = signature_report(record, allowed_signers, NOT_HASHED)
    checks = {
        "record_sha256": record.get("record_sha256") == self_hash(record),
        "verdict": record.get("verdict") == "approved",
        "actors": are_two(
            _mapping(record, "actors").get("maker"), _mapping(record, "actors").get("checker")
        ),
        "session": is_session(record.get("session")),
        "repo": _mapping(record, "repo").get("id") == repository.identity(),
        "base_commit": _base_holds(record.get("base_commit"), repository, scope),
        "spec_sha256": _spec_holds(repository, _mapping(record, "spec"), spec),
        "snapshot_digest": snapshot.get("digest") == digest
        and digest_of(snapshot.get("entries")) == digest
        and (not is_scoped or (scope is not None and bool(inside))),
        "snapshot_excluded": left_out is not None,
        "deliberation": _is_deliberation(record.get("deliberation", _ABSENT)),
        "signature": allowed_signers is None or signature["status"] == "verified",
    }
    mismatches = sorted(name for name, holds in checks.items() if not holds)
    report: dict[str, Any] = {
        "schema": "hpp.attestation-verification/v1",
        "status": "blocked" if mismatches else "valid",
        "mismatches": mismatches,
        "base_commit": repository.head,
        "snapshot_digest": digest,
        "signature": signature,
    }
    report.update(_differences(snapshot.get("entries"), inside))
    if scope is not None:
        report["scope"] = {
            "paths": scope.paths,
            "attested_commit": record["base_commit"] if checks["base_commit"] else None,
            "outside": _differences(snapshot["outside"]["entries"], outside),
        }
    return report


def _is_deliberation(recorded: object) -> bool:
    """Say whether what a record holds of a panel's session, if anything, is well formed."""
    if recorded is _ABSENT:
        return True
    if not isinstance(recorded, dict) or set(recorded) != _DELIBERATION:
        return False
    digest, value = recorded["record_sha256"], recorded["value"]
    return (
        isinstance(digest, str)
        and _SHA256.fullmatch(digest) is not None
        and all(isinstance(recorded[key], str) for key in ("status", "judge_family"))
        and (value is None or isinstance(value, str))
    )


def _base_holds(recorded: object, repository: Repository, scope: Scope | None) -> bool:
    """Say whether the commit is still the one; a scope lets it move for others' changes."""
    if scope is None:
        return recorded == repository.head
    return isinstance(recorded, str) and _COMMIT.fullmatch(recorded) is not None


def _mapping(record: Mapping[str, Any], key: str) -> dict[str, Any]:
    value = record.get(key)
    return value if isinstance(value, dict) else {}


def _left_out(repository: Repository, excluded: object) -> list[str] | None:
    """Return the paths that a record excludes beside the usual ones; None when it may not.

    The only one is the place it was written to: absent now, or a record of ours.
    """
    if not isinstance(excluded, list) or not all(isinstance(item, str) for item in excluded):
        return None
    if not set(ALWAYS_EXCLUDED) <= set(excluded):
        return None
    further = [item for item in excluded if item not in ALWAYS_EXCLUDED]
    for item in further:
        full = os.path.join(repository.top, *item.split("/"))
        if not item or climbs(item) or has_drive(item):
            return None
        if os.path.lexists(full) and (os.path.islink(full) or not is_attestation(full)):
            return None
    return further if len(further) <= 1 else None


def _spec_holds(repository: Repository, recorded: dict[str, Any], spec: str | None) -> bool:
    name, digest = recorded.get("path"), recorded.get("sha256")
    if not isinstance(name, str) or not name or climbs(name) or has_drive(name) or "\0" in name:
        return False
    try:
        found = spec_path(repository, os.path.join(repository.top, *name.split("/")))
        if spec is not None and spec_path(repository, spec) != found:
            return False
        return file_hash(os.path.join(repository.top, *found.split("/"))) == digest
    except RefusedError:
        return False


def _differences(recorded: object, now: list[dict[str, Any]]) -> dict[str, Any]:
    """Return which paths changed, were added and were removed; at most a hundred each."""
    before = _by_path(recorded if isinstance(recorded, list) else [])
    after = _by_path(now)
    present = {path for path, entry in after.items() if entry.get("kind") != _GONE}
    were = {path for path, entry in before.items() if entry.get("kind") != _GONE}
    both = present & were
    found = {
        "changed": sorted(path for path in both if before[path] != after[path]),
        "added": sorted(present - were),
        "removed": sorted(were - present),
    }
    shown: dict[str, Any] = {name: paths[:_MOST_PATHS] for name, paths in found.items()}
    more = {
        name: {"more": len(paths) - _MOST_PATHS}
        for name, paths in found.items()
        if len(paths) > _MOST_PATHS
    }
    return {**shown, "truncated": more} if more else shown


def _by_path(entries: list[Any]) -> dict[str, dict[str, Any]]:
    sound = [e for e in entries if isinstance(e, dict) and isinstance(e.get("path"), str)]
    return {entry["path"]: entry for entry in sound}
