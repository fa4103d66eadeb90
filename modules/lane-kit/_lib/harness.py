"""Ask the installed harness, where the board needs more than its own word."""

from __future__ import annotations

import os
import sys

from _lib.refusal import no

from hpp.core.errors import RefusedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["ask", "deliberated", "verified_record"]

_WAIT_S = 120.0
_MOST = 4 * 1024 * 1024


def ask(words: list[str], cwd: str) -> tuple[int | None, bytes, str]:
    """Run the harness and return status, standard output and the end of standard error.

    Its interpreter is isolated, so that no file of the project is taken for a part of it.

    Raises:
        Refusal: ``CORE_MISSING``; it is not installed for this interpreter.

    """
    from hpp.core.runner import EXITED, run, stderr_tail

    outcome = run(
        [sys.executable, "-I", "-m", "hpp", *words], timeout_s=_WAIT_S, cwd=cwd, keep_stdout=_MOST
    )
    said = outcome.stderr.kept
    if outcome.ending != EXITED or b"No module named" in said:
        raise no("CORE_MISSING", "this needs the harness: `python3 -m hpp` does not run")
    return outcome.exit_code, outcome.stdout.kept, stderr_tail(outcome)


def verified_record(path: str, project: str) -> dict[str, str]:
    """Return ``{path, id, record_sha256}`` of an evidence record that is valid now.

    Raises:
        Refusal: ``PATH_REFUSED``, ``EVIDENCE_NOT_VALID`` or ``CORE_MISSING``.

    """
    from hpp.core.canonical import sha256_hex
    from hpp.core.portable.fsread import contain
    from hpp.core.strictjson import parse_bytes

    try:
        place = contain(path, project)
    except RefusedError as error:
        raise no("PATH_REFUSED", f"evidence record: {error}") from None
    before = _bytes(place, path)
    shown = os.path.relpath(place, os.path.realpath(project)).replace(os.sep, "/")
    code, stdout, stderr = ask(["evidence", "verify", shown], os.path.realpath(project))
    try:
        answer = parse_bytes(stdout, "answer", root=dict) if stdout else {}
        record = parse_bytes(before, shown, root=dict)
    except RefusedError as error:
        raise no("EVIDENCE_NOT_VALID", f"{shown}: {error}") from None
    if code != 0 or answer.get("status") != "valid":
        raise no("EVIDENCE_NOT_VALID", f"{shown}: {_problems(answer) or stderr or 'not valid'}")
    if _bytes(place, path) != before:
        raise no("EVIDENCE_NOT_VALID", f"{shown}: it changed while it was verified")
    name = record.get("id")
    return {
        "path": shown,
        "id": name if isinstance(name, str) else "",
        "record_sha256": sha256_hex(before),
    }


def deliberated(path: str, project: str) -> dict[str, Any]:
    """Return the record of a sealed session that is intact.

    Raises:
        Refusal: ``DELIBERATION_REFUSED`` or ``CORE_MISSING``.

    """
    from hpp.core.strictjson import parse_bytes

    place = os.path.join(project, path)
    code, _, stderr = ask(["deliberate", "verify", place], project)
    if code != 0:
        raise no("DELIBERATION_REFUSED", f"{path}: {stderr or 'it does not verify'}")
    try:
        record: dict[str, Any] = parse_bytes(_bytes(place, path), path, root=dict)
    except RefusedError as error:
        raise no("DELIBERATION_REFUSED", str(error)) from None
    return record


def _bytes(place: str, shown: str) -> bytes:
    try:
        with open(place, "rb") as file:
            return file.read(_MOST)
    except OSError as error:
        raise no("EVIDENCE_NOT_VALID", f"{shown}: cannot be read: {error.strerror}") from None


def _problems(answer: dict[str, Any]) -> str:
    listed = answer.get("problems")
    if not isinstance(listed, list):
        return str(answer.get("status", ""))
    shown = [each if isinstance(each, str) else str(each.get("code", each)) for each in listed
             if isinstance(each, (str, dict))]  # fmt: skip
    return "; ".join(shown[:5]) or str(answer.get("status", ""))
