"""Records as in-toto Statements (v1) in a DSSE envelope, which supply-chain tools read.

A Statement says that a predicate holds for subjects, each named by a digest. The predicate
is the record itself, whole, so what verified before still verifies. The envelope is signed
over its pre-authentication encoding (DSSE v1) with an SSHSIG signature, or not at all.
"""

from __future__ import annotations

import base64
import re

from hpp.core.canonical import canonical_bytes
from hpp.core.document import read_document
from hpp.core.errors import RefusedError
from hpp.core.schema import check_document
from hpp.core.text import shorten
from hpp.evidence.attestation import self_hash

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from hpp.evidence.signing import Key

__all__ = ["attestation_statement", "envelope", "evidence_statement", "sound_attestation"]

STATEMENT = "https://in-toto.io/Statement/v1"
PAYLOAD = "application/vnd.in-toto+json"
EVIDENCE = "urn:hpp:evidence:v1"
ATTESTATION = "urn:hpp:evidence-attestation:v1"
_SHA256 = re.compile(r"[0-9a-f]{64}")
_CONTENT = ("file", "executable")  # the kinds whose hash is that of a file's bytes


def evidence_statement(record: dict[str, Any]) -> dict[str, Any]:
    """Return the Statement of an evidence record; its subjects are the artifacts.

    A run without any is about the commit, as long as the tree was that commit's.

    Raises:
        RefusedError: There is nothing that the Statement could be about.

    """
    files = [entry for group in record["artifacts"] for entry in group["files"]]
    subjects = _subjects(files)
    if not subjects and record["base_commit"] and record["dirty"] is False:
        subjects = [{"digest": {"gitCommit": record["base_commit"]}}]
    if not subjects:
        raise RefusedError(
            "the run has no artifact and no clean commit, so a Statement would have no subject"
        )
    return _statement(subjects, EVIDENCE, record)


def attestation_statement(record: dict[str, Any]) -> dict[str, Any]:
    """Return the Statement of an attestation; its subjects are the files of the snapshot.

    Links, nested repositories and what is missing have no bytes of their own. Where there
    is no file at all, the spec is the subject.
    """
    entries = [entry for entry in record["snapshot"]["entries"] if entry["kind"] in _CONTENT]
    return _statement(_subjects(entries or [record["spec"]]), ATTESTATION, record)


def envelope(statement: dict[str, Any], key: Key | None = None) -> dict[str, Any]:
    """Return the DSSE envelope of a Statement, with one signature or none.

    Raises:
        RefusedError: The key does not sign any more.

    """
    payload = canonical_bytes(statement)
    signatures = []
    if key is not None:
        kind = PAYLOAD.encode()
        authenticated = b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload)
        fingerprint, signature = key.signed(authenticated)
        signatures.append({"keyid": fingerprint, "sig": _base64(signature)})
    return {"payloadType": PAYLOAD, "payload": _base64(payload), "signatures": signatures}


def sound_attestation(path: str) -> dict[str, Any]:
    """Return the attestation at `path`, which agrees with itself; no tree is measured.

    Raises:
        RefusedError: It is no attestation, or its hash is another.

    """
    record: dict[str, Any] = read_document(path, root=dict)
    shown = shorten(path)
    snapshot = record.get("snapshot")
    if isinstance(snapshot, dict):
        bare = _checked_entries(snapshot, f"{shown}: snapshot")
        if isinstance(bare.get("outside"), dict):
            bare["outside"] = _checked_entries(bare["outside"], f"{shown}: snapshot.outside")
        check_document({**record, "snapshot": bare}, _NAME, shown)
    else:
        check_document(record, _NAME, shown)
    if record["record_sha256"] != self_hash(record):
        raise RefusedError(f"{shown}: record_sha256: the record is not the one that was hashed")
    return record


_NAME = "evidence-attestation"


def _checked_entries(snapshot: dict[str, Any], place: str) -> dict[str, Any]:
    """Return a snapshot without its entries, once they are what they must be.

    A hundred thousand of them are looked at by hand, as a schema takes its time.
    """
    entries = snapshot.get("entries")
    if not isinstance(entries, list):
        return dict(snapshot)
    for number, entry in enumerate(entries):
        if not _is_entry(entry):
            raise RefusedError(f"{place}.entries[{number}]: it is no entry")
    return {**snapshot, "entries": []}


def _is_entry(entry: object) -> bool:
    if not isinstance(entry, dict):
        return False
    texts = [entry.get(key) for key in ("kind", "path", "sha256")]
    return all(isinstance(text, str) and text for text in texts) and bool(
        _SHA256.fullmatch(entry["sha256"])
    )


def _statement(
    subjects: list[dict[str, Any]], predicate_type: str, record: dict[str, Any]
) -> dict[str, Any]:
    return {
        "_type": STATEMENT,
        "subject": subjects,
        "predicateType": predicate_type,
        "predicate": record,
    }


def _subjects(entries: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return a resource descriptor for each file, once, in the order of the record."""
    subjects: dict[tuple[str, str], dict[str, Any]] = {}
    for entry in entries:
        subject: dict[str, Any] = {"name": entry["path"], "digest": {"sha256": entry["sha256"]}}
        if "path_encoding" in entry:
            subject["annotations"] = {"path_encoding": entry["path_encoding"]}
        subjects[entry["path"], entry["sha256"]] = subject
    return list(subjects.values())


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")
