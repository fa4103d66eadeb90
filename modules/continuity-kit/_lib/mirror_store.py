"""Write the mirror and its manifest, and remove what it holds no longer."""

from __future__ import annotations

import json
import os
import time

from _lib import place
from _lib.instant import stamp
from _lib.mirrorplan import MANIFEST, Entry

from hpp.core.errors import HppError, RefusedError
from hpp.core.portable.fsread import contain
from hpp.core.portable.fswrite import atomic_write, locked, state_dir
from hpp.core.strictjson import parse_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Row = dict[str, Any]

__all__ = ["mirrored", "written_index"]

_SCHEMA = "state-mirror/v1"
_LARGEST_MANIFEST = 16 * 1024 * 1024
_PUBLIC = 0o644


def mirrored(
    root: str, folder: str, entries: list[Entry], *, is_applied: bool, prunes: bool
) -> list[Row]:
    """Return a row for each file, the files written when that is asked for.

    Raises:
        HppError: The manifest is not ours, or cannot be written.

    """
    if not is_applied:
        known = _manifest(root, folder)
        return [_row(root, folder, entry, known, is_applied=False) for entry in entries]
    os.makedirs(contain(folder, root), exist_ok=True)
    lock = state_dir(contain(".claude/state-mirror", root))
    with locked(os.path.join(lock, "mirror")):
        known = _manifest(root, folder)
        rows = [_row(root, folder, entry, known, is_applied=True) for entry in entries]
        if prunes:
            rows += _pruned(root, folder, {entry.dest for entry in entries}, known)
        _keep(root, folder, known)
    return rows


def written_index(path: str, document: Row) -> None:
    """Write the index of a long state document."""
    _put(path, (json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False) + "\n").encode())


def _row(root: str, folder: str, entry: Entry, known: dict[str, Row], *, is_applied: bool) -> Row:
    row: Row = {"source": entry.source, "destination": entry.dest, "status": entry.status}
    if entry.data is None:
        return row
    digest = _sha256(entry.data)
    try:
        path = contain(f"{folder}/{entry.dest}", root)
        there = place.read(path, _LARGEST_MANIFEST)
        if there is not None and _sha256(there) == digest and entry.dest in known:
            return {**row, "status": "unchanged"}
        if there is not None and entry.dest not in known and there != entry.data:
            return {**row, "status": "occupied"}  # not ours to replace
        if not is_applied:
            return {**row, "status": "would-copy"}
        os.makedirs(os.path.dirname(path), exist_ok=True)
        _put(path, entry.data)
    except (HppError, OSError) as error:
        return {**row, "status": "unwritable", "reason": str(error)}
    known[entry.dest] = {
        "source": entry.source, "destination": entry.dest, "size": len(entry.data),
        "sha256": digest, "mirrored_at": stamp(time.time()),
    }  # fmt: skip
    return {**row, "status": "copied"}


def _pruned(root: str, folder: str, selected: set[str], known: dict[str, Row]) -> list[Row]:
    """Remove what the manifest lists and no rule selects, unless somebody changed it."""
    rows = []
    for dest in sorted(known.keys() - selected):
        row: Row = {"source": known[dest]["source"], "destination": dest}
        try:
            path = contain(f"{folder}/{dest}", root)
            there = place.read(path, _LARGEST_MANIFEST)
            if there is not None and _sha256(there) != known[dest]["sha256"]:
                rows.append({**row, "status": "kept-changed"})
                continue
            if there is not None:
                os.unlink(path)
        except (HppError, OSError) as error:
            rows.append({**row, "status": "unwritable", "reason": str(error)})
            continue
        del known[dest]
        rows.append({**row, "status": "removed"})
    return rows


def _manifest(root: str, folder: str) -> dict[str, Row]:
    where = f"{folder}/{MANIFEST}"
    data = place.read(contain(where, root), _LARGEST_MANIFEST)
    if data is None:
        return {}
    found = parse_bytes(data, where, root=dict)
    files = found.get("files")
    if found.get("schema") != _SCHEMA or not isinstance(files, list):
        raise RefusedError(f"{where}: expected a manifest {_SCHEMA}")
    for number, file in enumerate(files):
        keys = ("source", "destination", "sha256")
        if not isinstance(file, dict) or any(not isinstance(file.get(k), str) for k in keys):
            raise RefusedError(f"{where}: files[{number}]: expected source, destination and sha256")
    return {file["destination"]: file for file in files}


def _keep(root: str, folder: str, known: dict[str, Row]) -> None:
    document = {"schema": _SCHEMA, "files": [known[dest] for dest in sorted(known)]}
    data = (json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False) + "\n").encode()
    path = contain(f"{folder}/{MANIFEST}", root)
    if place.read(path, _LARGEST_MANIFEST) != data:
        _put(path, data)


def _put(path: str, data: bytes) -> None:
    is_new = not os.path.lexists(path)
    atomic_write(path, data)
    if is_new:
        os.chmod(path, _PUBLIC)  # it is meant to be committed


def _sha256(data: bytes) -> str:
    from hashlib import sha256

    return sha256(data).hexdigest()
