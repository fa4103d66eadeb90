"""A suite for `passk_eval.py`: the rules of a suite, and what a run of the subject has to say.

The rules are those of the harness, so that one suite serves both. On top of them a command's
case may say which status and which texts are right. A case that cannot start or is too slow
says nothing about its subject: the instrument failed, and the gate fails with it.
"""

from __future__ import annotations

import shlex

from _lib.measure import echo

from hpp.core.bound import LONGEST_TIMEOUT_S
from hpp.core.canonical import sha256_hex
from hpp.core.document import read_input, shown_name
from hpp.core.errors import RefusedError
from hpp.core.runner import EXITED, run
from hpp.core.strictjson import LARGE_LIMIT, parse_bytes
from hpp.core.suite import COMMAND, CONTROL, REPLAY, parse_suite

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction
    from typing import Any

    from hpp.core.suite import Case

__all__ = ["GATES", "Subject", "evaluate", "judge", "read_subjects"]

GATES = ("capability", "regression", "both")
_MOST_OUTPUT = 8 * 1024 * 1024
_EXPECTED = ("expect_exit", "expect_stdout_contains", "expect_stderr_contains")


class Subject:
    """A case, with what its command has to leave with and to write."""

    __slots__ = ("case", "exit", "stderr", "stdout")

    def __init__(self, case: Case, code: int, stdout: str, stderr: str) -> None:
        self.case = case
        self.exit = code
        self.stdout = stdout.encode()
        self.stderr = stderr.encode()


def read_subjects(path: str) -> tuple[dict[str, str], list[Subject]]:
    """Return what identifies a suite, and its cases.

    Raises:
        RefusedError: It cannot be read or breaks a rule; nothing was run.

    """
    data = read_input(path, limit=LARGE_LIMIT)
    name = shown_name(path)
    document = parse_bytes(data, name, root=dict)
    cases = document.get("cases")
    raws = cases if isinstance(cases, list) else []
    for at, raw in enumerate(raws):
        if isinstance(raw, dict) and raw.get("runner") == CONTROL:
            raise RefusedError(f"{name}: cases[{at}].runner: expected {REPLAY} or {COMMAND}")
    suite = parse_suite(data, name, "suite", {})
    titled = document.get("suite", suite.name)
    if not isinstance(titled, str):
        raise RefusedError(f"{name}: suite: expected a text")
    identity = {"suite": titled, "version": suite.version, "sha256": sha256_hex(data)}
    pairs = zip(suite.cases, raws, strict=True)
    return identity, [_subject(case, raw, f"{name}: cases[{at}]")
                      for at, (case, raw) in enumerate(pairs)]  # fmt: skip


def _subject(case: Case, raw: dict[str, Any], where: str) -> Subject:
    code = raw.get("expect_exit", 0)
    if type(code) is not int:
        raise RefusedError(f"{where}.expect_exit: expected a whole number")
    for key in _EXPECTED[1:]:
        if not isinstance(raw.get(key, ""), str):
            raise RefusedError(f"{where}.{key}: expected a text")
    if "timeout_seconds" in raw:
        seconds = raw["timeout_seconds"]
        if type(seconds) not in (int, float) or not 0 < seconds <= LONGEST_TIMEOUT_S:
            most = f"more than 0 and at most {LONGEST_TIMEOUT_S}"
            raise RefusedError(f"{where}.timeout_seconds: expected seconds, {most}")
        case.timeout_s = float(seconds)
    return Subject(case, code, raw.get(_EXPECTED[1], ""), raw.get(_EXPECTED[2], ""))


def evaluate(subjects: Sequence[Subject], k: int, root: str) -> list[dict[str, Any]]:
    """Run every case k times, in order, and return how each came out."""
    found = []
    for subject in subjects:
        if subject.case.command:
            echo(shlex.join(subject.case.command))
        reasons = [_run_once(subject, turn, root) for turn in range(k)]
        outcomes = [reason in ("passed", "replayed") for reason in reasons]
        broken = [reason for reason in reasons if reason.startswith("instrument")]
        found.append({
            "id": subject.case.id,
            "outcomes": outcomes,
            "reasons": reasons,
            "instrument_failures": len(broken),
            "pass_at_k": any(outcomes),
            "pass_caret_k": all(outcomes),
        })  # fmt: skip
    return found


def judge(cases: Sequence[dict[str, Any]], gate: str, threshold: Fraction) -> dict[str, Any]:
    """Return what the gate says of cases that were run."""
    able = sum(case["pass_at_k"] for case in cases)
    steady = sum(case["pass_caret_k"] for case in cases)
    is_sound = not any(case["instrument_failures"] for case in cases)
    capability, regression = able >= threshold * len(cases), steady == len(cases)
    asked = {"capability": [capability], "regression": [regression]}
    holds = all(asked.get(gate, [capability, regression]))
    return {
        "gate": gate,
        "capability_ok": capability,
        "regression_ok": regression,
        "instrument_ok": is_sound,
        "passed": holds and is_sound,
        "pass_at_k": able / len(cases),
        "pass_caret_k": steady / len(cases),
    }


def _run_once(subject: Subject, turn: int, root: str) -> str:
    case = subject.case
    if case.runner == REPLAY:
        return "replayed" if case.outcomes[turn % len(case.outcomes)] else "replayed-failure"
    outcome = run(
        case.command, timeout_s=case.timeout_s, cwd=root,
        keep_stdout=_MOST_OUTPUT, keep_stderr=_MOST_OUTPUT,
    )  # fmt: skip
    if outcome.ending != EXITED:
        return f"instrument:{outcome.ending}"
    if outcome.exit_code != subject.exit:
        return f"exit:{outcome.exit_code}"
    for name, stream, wanted in (("stdout", outcome.stdout, subject.stdout),
                                 ("stderr", outcome.stderr, subject.stderr)):  # fmt: skip
        if wanted not in stream.kept.replace(b"\r\n", b"\n"):
            return f"{name}-differs"
    return "passed"
