"""Re-derive a record from disk: whether it agrees with itself and with its files.

This reconciles; it proves nothing about who wrote the record, and runs no command.
"""

from __future__ import annotations

import os
import re
import stat

from hpp.core.document import read_document
from hpp.core.errors import RefusedError
from hpp.core.text import shorten
from hpp.evidence.filehash import OPEN_FLAGS, hash_handle
from hpp.evidence.pathname import ESCAPED, climbs, has_drive_here, unstored
from hpp.evidence.record import SCHEMA, VERDICTS, self_hash, signature_report

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["Report", "sound_record", "valid_record", "verify_record"]

_SHA256 = re.compile(r"[0-9a-f]{64}")
_LONGEST_COMPONENT = 255
_LONGEST_PATH = 4096


class Report:
    """What a verification found.

    Attributes:
        record: The record as read.
        status: ``valid``, ``not-evidence`` or ``blocked``.
        problems: One line each.
        changed: Artifact paths whose bytes differ, in record order.
        missing: Artifact paths that are gone, no file any more, or lead outside.
        signature: What is known of the record's signature.

    """

    def __init__(self, record: dict[str, Any]) -> None:
        self.record = record
        self.signature = signature_report(record, None)
        self.status = "blocked"
        self.problems: list[str] = []
        self.changed: list[str] = []
        self.missing: list[str] = []

    @property
    def exit_code(self) -> int:
        """Return the exit status that goes with the report."""
        return {"valid": 0, "not-evidence": 1}.get(self.status, 2)

    def printed(self) -> dict[str, Any]:
        """Return the report as it is printed."""
        return {
            "status": self.status,
            "id": _text(self.record.get("id")),
            "verdict": _text(self.record.get("verdict")),
            "base_commit": _text(self.record.get("base_commit")),
            "problems": self.problems,
            "changed": self.changed,
            "missing": self.missing,
            "signature": self.signature,
        }


def verify_record(path: str, *, root: str, allowed_signers: str | None = None) -> Report:
    """Verify the record at `path` against the files below the folder `root`.

    Args:
        path: The record, anywhere on disk.
        root: The folder that its artifacts are in.
        allowed_signers: File of the keys that may sign; None asks for no signature.

    Raises:
        RefusedError: It is missing, no strict JSON object, or of another schema.

    """
    record = read_document(path, root=dict)
    if record.get("schema") != SCHEMA:
        raise RefusedError(f"{shorten(path)}: schema: expected {SCHEMA}")
    report = Report(record)
    if allowed_signers is not None:
        report.signature = signature_report(record, allowed_signers)
    if record.get("record_sha256") != self_hash(record):
        report.problems.append("record_sha256: the record is not the one that was hashed")
        return report
    report.problems += _contradictions(record)
    if report.problems:
        return report
    if allowed_signers is not None and report.signature["status"] != "verified":
        report.problems.append(f"signature: {report.signature['detail']}")
        return report
    _compare(report, root)
    if report.problems:
        return report
    if record["verdict"] == "passed":
        report.status = "valid"
    else:
        report.status = "not-evidence"
        report.problems.append(f"verdict: {record['verdict']} is not a pass")
    return report


def valid_record(path: str, root: str) -> dict[str, Any]:
    """Return the record at `path`, which verifies as valid now; what other families ask for.

    Raises:
        RefusedError: It does not verify as valid.

    """
    report = verify_record(path, root=root)
    if report.status != "valid":
        why = report.problems[0] if report.problems else report.status
        raise RefusedError(f"{shorten(path)}: it verifies as {report.status}: {shorten(why, 200)}")
    return report.record


def sound_record(path: str) -> dict[str, Any]:
    """Return the record at `path`, which agrees with itself; no file it names is looked at.

    Raises:
        RefusedError: It is no evidence record, its hash is another, or it contradicts itself.

    """
    from hpp.core.schema import check_document

    record: dict[str, Any] = read_document(path, root=dict)
    check_document(record, "evidence", shorten(path))
    problems = _contradictions(record)
    if record["record_sha256"] != self_hash(record):
        problems = ["record_sha256: the record is not the one that was hashed"]
    if problems:
        raise RefusedError(f"{shorten(path)}: {problems[0]}")
    return record


def _contradictions(record: dict[str, Any]) -> list[str]:
    """Return where a record does not agree with itself."""
    problems = _verdict_problems(record.get("verdict"), record.get("exit_code"))
    groups, missing = record.get("artifacts"), record.get("missing")
    if not isinstance(groups, list):
        return [*problems, "artifacts: expected a list"]
    for number, group in enumerate(groups):
        problems += _group_problems(group, f"artifacts[{number}]")
    if not isinstance(missing, list) or not all(isinstance(item, str) for item in missing):
        return [*problems, "missing: expected a list of texts"]
    if problems:
        return problems
    empty = sorted(group["pattern"] for group in groups if not group["files"])
    if sorted(missing) != empty:
        problems.append("missing: it is not the list of patterns without files")
    if record["verdict"] == "passed" and missing:
        problems.append("missing: a passed run misses nothing")
    if record["verdict"] == "missing-artifacts" and not missing:
        problems.append("missing: it is empty, and the verdict says otherwise")
    return problems


def _verdict_problems(verdict: object, code: object) -> list[str]:
    if not isinstance(verdict, str) or verdict not in VERDICTS:
        return ["verdict: it is none of " + ", ".join(VERDICTS)]
    is_integer = type(code) is int
    fits = {
        "passed": is_integer and code == 0,
        "missing-artifacts": is_integer and code == 0,
        "failed": is_integer and code != 0,
        "timeout": code is None,
        "could-not-start": code is None,
    }
    return [] if fits[verdict] else [f"exit_code: it does not fit the verdict {verdict}"]


def _group_problems(group: object, place: str) -> list[str]:
    if not isinstance(group, dict):
        return [f"{place}: expected an object"]
    if not isinstance(group.get("pattern"), str):
        return [f"{place}.pattern: expected a text"]
    files = group.get("files")
    if not isinstance(files, list):
        return [f"{place}.files: expected a list"]
    problems = []
    for number, entry in enumerate(files):
        problem = _file_problem(entry)
        if problem:
            problems.append(f"{place}.files[{number}]{problem}")
    return problems


def _file_problem(entry: object) -> str | None:
    if not isinstance(entry, dict):
        return ": expected an object"
    size, digest, path = entry.get("size"), entry.get("sha256"), entry.get("path")
    if type(size) is not int or size < 0:
        return ".size: expected an integer of 0 or more"
    if not isinstance(digest, str) or not _SHA256.fullmatch(digest):
        return ".sha256: expected 64 lower-case hexadecimal digits"
    if entry.get("path_encoding", ESCAPED) != ESCAPED:
        return f".path_encoding: expected {ESCAPED}"
    if not isinstance(path, str):
        return ".path: expected a text"
    return _path_problem(path, escaped="path_encoding" in entry)


def _path_problem(path: str, *, escaped: bool) -> str | None:
    try:
        name = unstored(path, escaped=escaped)
    except ValueError:
        return ".path: not an escaped path"
    if not name or climbs(name) or has_drive_here(name):
        return ".path: it is not inside the workspace"
    if "\0" in name:
        return ".path: it holds a NUL character"
    size = len(os.fsencode(name))
    longest = max(len(os.fsencode(part)) for part in name.split("/"))
    if size > _LONGEST_PATH or longest > _LONGEST_COMPONENT:
        return ".path: it is longer than a file system allows"
    return None


def _compare(report: Report, root: str) -> None:
    """Compare every file that the record names with the one on disk."""
    top = os.path.realpath(root)
    for group in report.record["artifacts"]:
        for entry in group["files"]:
            name = unstored(entry["path"], escaped="path_encoding" in entry)
            found = _measure(top, name)
            if found is None:
                report.missing.append(entry["path"])
            elif found != (entry["size"], entry["sha256"]):
                report.changed.append(entry["path"])
    report.missing = list(dict.fromkeys(report.missing))
    report.changed = list(dict.fromkeys(report.changed))
    report.problems += [f"{shorten(path, 200)}: it is missing" for path in report.missing]
    report.problems += [f"{shorten(path, 200)}: its bytes changed" for path in report.changed]


def _measure(top: str, name: str) -> tuple[int, str] | None:
    """Return size and SHA-256 of a file of the workspace; None when there is none to read."""
    path = os.path.join(top, *name.split("/"))
    real = os.path.realpath(path)
    if not real.startswith(top.rstrip(os.sep) + os.sep):
        return None
    try:
        handle = os.open(real, OPEN_FLAGS)
    except (OSError, ValueError):
        return None
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            return None
        return hash_handle(handle)
    except OSError:
        return None
    finally:
        os.close(handle)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
