"""The record ``hpp.evidence/v1`` of one run, and the hash it carries of itself."""

from __future__ import annotations

from hpp.core import durable
from hpp.core.canonical import canonical_bytes, sha256_hex
from hpp.core.errors import MachineError
from hpp.core.output import pretty_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from typing import Any

    from hpp.core.folder import Folder

__all__ = [
    "SCHEMA",
    "VERDICTS",
    "hash_without",
    "self_hash",
    "signature_status",
    "write_record",
]

SCHEMA = "hpp.evidence/v1"
VERDICTS = ("passed", "missing-artifacts", "failed", "timeout", "could-not-start")
# What is printed beside a record, or added to it afterwards, and so not covered by its hash.
_NOT_HASHED = ("record_sha256", "event", "event_error", "signature")
_MOST_TRIES = 1000


def self_hash(record: Mapping[str, Any]) -> str:
    """Return the SHA-256 of the canonical JSON of a record, as far as its hash covers it."""
    return hash_without(record, _NOT_HASHED)


def hash_without(record: Mapping[str, Any], left_out: Collection[str]) -> str:
    """Return the SHA-256 of the canonical JSON of a record but for some of its keys."""
    covered = {key: value for key, value in record.items() if key not in left_out}
    return sha256_hex(canonical_bytes(covered))


def signature_status(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a report says of a record's signature, which nobody has checked."""
    if "signature" not in record:
        return {"status": "not-signed"}
    signature = record["signature"]
    signer = signature.get("signer") if isinstance(signature, dict) else None
    return {"status": "not-verified", "signer": signer if isinstance(signer, str) else None}


def write_record(
    folder: Folder, record: dict[str, Any], out: tuple[str, ...], stem: str
) -> dict[str, Any]:
    """Write a record under a free name and return it with its path and hash.

    Args:
        folder: The open record folder.
        record: Without ``record_path`` and ``record_sha256``.
        out: Components of the folder, for ``record_path``.
        stem: ``<id>-<time>``; ``-2``, ``-3`` … is added while the name is taken.

    Raises:
        MachineError: The system refuses the write.

    """
    for count in range(1, _MOST_TRIES):
        name = f"{stem}.json" if count == 1 else f"{stem}-{count}.json"
        complete = {**record, "record_path": "/".join((*out, name))}
        complete["record_sha256"] = self_hash(complete)
        try:
            durable.create(folder, name, pretty_json(complete))
        except FileExistsError:
            continue
        return complete
    raise MachineError(f"{'/'.join(out)}: {_MOST_TRIES} records of this second are there already")
