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
    from hpp.evidence.signing import Signer

__all__ = [
    "SCHEMA",
    "VERDICTS",
    "hash_without",
    "self_hash",
    "signature_report",
    "signed_bytes",
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
    return sha256_hex(signed_bytes(record, left_out))


def signed_bytes(record: Mapping[str, Any], left_out: Collection[str] = _NOT_HASHED) -> bytes:
    """Return the bytes that a record's hash and its signature cover."""
    return canonical_bytes({key: value for key, value in record.items() if key not in left_out})


def signature_report(
    record: Mapping[str, Any], allowed: str | None, left_out: Collection[str] = _NOT_HASHED
) -> dict[str, Any]:
    """Return what a report says of a record's signature.

    Args:
        record: The record.
        allowed: File of allowed signers, or None when nobody asked for a check.
        left_out: Keys that the record's hash does not cover.

    """
    if allowed is not None:
        from hpp.evidence.signing import check_signature

        return check_signature(record, signed_bytes(record, left_out), allowed)
    if "signature" not in record:
        return {"status": "not-signed"}
    signature = record["signature"]
    signer = signature.get("signer") if isinstance(signature, dict) else None
    return {"status": "not-verified", "signer": signer if isinstance(signer, str) else None}


def write_record(
    folder: Folder,
    record: dict[str, Any],
    out: tuple[str, ...],
    stem: str,
    signer: Signer | None = None,
) -> dict[str, Any]:
    """Write a record under a free name and return it with its path and hash.

    Args:
        folder: The open record folder.
        record: Without ``record_path`` and ``record_sha256``.
        out: Components of the folder, for ``record_path``.
        stem: ``<id>-<time>``; ``-2``, ``-3`` … is added while the name is taken.
        signer: Signs it, or None.

    Raises:
        RefusedError: The key does not sign any more.
        MachineError: The system refuses the write.

    """
    for count in range(1, _MOST_TRIES):
        name = f"{stem}.json" if count == 1 else f"{stem}-{count}.json"
        complete = {**record, "record_path": "/".join((*out, name))}
        if folder.exists(name):
            continue  # before a signature is asked for that nobody will see
        data = signed_bytes(complete)
        complete["record_sha256"] = sha256_hex(data)
        if signer is not None:
            complete["signature"] = signer.signature(data)
        try:
            durable.create(folder, name, pretty_json(complete))
        except FileExistsError:
            continue
        return complete
    raise MachineError(f"{'/'.join(out)}: {_MOST_TRIES} records of this second are there already")
