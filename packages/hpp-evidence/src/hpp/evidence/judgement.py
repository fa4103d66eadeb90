"""What a gate asks of records that it does not trust: more than that they verify.

Offered to other families as services, see `hpp.core.service`.
"""

from __future__ import annotations

from hpp.core.document import read_document
from hpp.core.schema import find_schema
from hpp.evidence.actor import compared
from hpp.evidence.attestverify import verify_attestation
from hpp.evidence.verification import verify_record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["judge_attestation", "judge_record"]


def judge_record(
    path: str, root: str, allowed_signers: str | None = None, *, demand_signature: bool = False
) -> dict[str, Any]:
    """Return what an evidence record is worth now, against the files below a folder.

    A signature that is there is checked whenever there is a list to check it against; a
    record without one passes unless one is demanded.

    Raises:
        RefusedError: It is missing, no strict JSON object, or of another schema.

    """
    report = verify_record(path, root=root)
    is_signed = "signature" in report.record
    if allowed_signers is not None and (is_signed or demand_signature):
        report = verify_record(path, root=root, allowed_signers=allowed_signers)
    record = report.record
    groups = record["artifacts"] if report.status == "valid" else []
    return {
        "status": report.status,
        "problems": report.problems,
        "id": record.get("id"),
        "record_path": record.get("record_path"),
        "record_sha256": record.get("record_sha256"),
        "base_commit": record.get("base_commit"),
        "files": sum(len(group["files"]) for group in groups),
        "signature": report.signature,
    }


def judge_attestation(path: str, repo: str, allowed_signers: str | None = None) -> dict[str, Any]:
    """Return the report of `verify_attestation`, with what only a gate asks.

    Three more mismatches are known here: `keys` for a record that holds a key which no
    record has (such a file can be something else as well), `signer` for a signature that
    is not the checker's own, and `scope` for one that covers a part of the tree.

    Raises:
        RefusedError: `path` is no record of this schema, or `repo` no work tree.

    """
    report = verify_attestation(path, repo=repo, allowed_signers=allowed_signers)
    record = read_document(path, root=dict)
    checker = _member(record, "actors", "checker")
    known = find_schema("evidence-attestation").document()["properties"]
    found = {
        "keys": not record.keys() <= known.keys(),
        "scope": _member(record, "snapshot", "paths") is not None,
        "signer": allowed_signers is not None
        and not _is_checker(report["signature"].get("signer"), checker),
    }
    mismatches = {*report["mismatches"], *(name for name, is_there in found.items() if is_there)}
    return {
        **report,
        "status": "blocked" if mismatches else "valid",
        "mismatches": sorted(mismatches),
        "verdict": record.get("verdict"),
        "checker": checker,
        "spec": _member(record, "spec", "path"),
    }


def _member(record: dict[str, Any], key: str, name: str) -> object:
    value = record.get(key)
    return value.get(name) if isinstance(value, dict) else None


def _is_checker(signer: object, checker: object) -> bool:
    if not isinstance(signer, str) or not isinstance(checker, str):
        return False
    return compared(signer) == compared(checker)
