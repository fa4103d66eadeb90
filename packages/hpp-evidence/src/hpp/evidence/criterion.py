"""Run a criterion and record what was measured, never what was said."""

from __future__ import annotations

import os
import time

from hpp.core.errors import HppError
from hpp.core.runner import run
from hpp.evidence.artifact import collect, stamp_existing
from hpp.evidence.base import base_of
from hpp.evidence.pattern import Workspace
from hpp.evidence.record import SCHEMA, write_record
from hpp.evidence.request import open_record_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hpp.core.loop import Loop
    from hpp.core.runner import Outcome
    from hpp.evidence.request import Request
    from hpp.evidence.signing import Signer

__all__ = ["Result", "run_criterion"]


class Result:
    """A recorded run.

    Attributes:
        record: The record as it was written.
        event: ``{"type", "data"}`` when it was appended to the event log, else None.
        event_error: Why a passed run could not be appended, else None.

    """

    __slots__ = ("event", "event_error", "record")

    def __init__(self, record: dict[str, Any]) -> None:
        self.record = record
        self.event: dict[str, Any] | None = None
        self.event_error: str | None = None

    @property
    def passed(self) -> bool:
        """Say whether the criterion passed with every declared artifact."""
        return bool(self.record["verdict"] == "passed")

    def printed(self) -> dict[str, Any]:
        """Return the record with what happened to its event."""
        shown = {**self.record, "event": self.event}
        return shown if self.event_error is None else {**shown, "event_error": self.event_error}


def run_criterion(
    request: Request,
    *,
    loop: Loop | None = None,
    own_children: bool = False,
    signer: Signer | None = None,
) -> Result:
    """Run a criterion in its workspace and write the record.

    Args:
        request: What to run; checked when it was made.
        loop: Judges the event; needed when the request asks for one.
        own_children: This process starts nothing else, so that whatever it adopts on the
            way descends from the criterion.
        signer: Signs the record; it was seen to sign before.

    Raises:
        RefusedError: The record folder or a match of a pattern leads out of the workspace.
        MachineError: The record cannot be written.
        InterruptedRunError: A signal stopped it; nothing was recorded.

    Side effects:
        Whatever the program does; one file in the record folder; one event.

    """
    workspace = Workspace(request.root, request.out)
    before = stamp_existing(workspace, request.patterns)
    with open_record_folder(request) as folder:
        base = base_of(request.root)
        started = time.gmtime()
        outcome = run(
            request.argv,
            timeout_s=request.timeout_s,
            cwd=request.root,
            own_children=own_children,
        )
        found = collect(workspace, request.patterns, before)
        record = {
            "schema": SCHEMA,
            "id": request.identity,
            "command": request.argv,
            "base_commit": base.commit,
            "dirty": base.is_dirty,
            "started_at": time.strftime("%Y-%m-%dT%H:%M:%SZ", started),
            "duration_s": round(outcome.duration_s, 3),
            "timeout_s": request.timeout_s,
            "exit_code": outcome.exit_code,
            "verdict": _verdict(outcome, found.missing),
            "stdout": {"bytes": outcome.stdout.bytes, "sha256": outcome.stdout.sha256},
            "stderr": {"bytes": outcome.stderr.bytes, "sha256": outcome.stderr.sha256},
            "artifacts": found.groups,
            "missing": found.missing,
            "warnings": _shell_warnings(request.argv) + found.warnings,
        }
        stem = f"{request.identity}-{time.strftime('%Y%m%dT%H%M%SZ', started)}"
        result = Result(write_record(folder, record, request.out, stem, signer))
    if request.record_event and result.passed:
        _record_event(request, result, loop)
    return result


def _shell_warnings(argv: list[str]) -> list[dict[str, str]]:
    if len(argv) < len(("sh", "-c", "script")):
        return []
    from hpp.evidence.pipeline import warnings

    return warnings(argv)


def _verdict(outcome: Outcome, missing: list[str]) -> str:
    if outcome.ending != "exited":
        return outcome.ending
    if outcome.exit_code != 0:
        return "failed"
    return "missing-artifacts" if missing else "passed"


def _record_event(request: Request, result: Result, loop: Loop | None) -> None:
    """Append the event of a passed run; the record stays, whatever the log says."""
    from hpp.core.journal import Journal
    from hpp.core.loop import EVIDENCE

    assert loop is not None  # noqa: S101 -- the caller loads it with the request
    data: dict[str, Any] = {
        "id": request.identity,
        "evidence": result.record["record_path"],
        "evidence_sha256": result.record["record_sha256"],
    }
    if request.work is not None:
        data["work"] = request.work
    try:
        Journal(os.path.abspath(request.root)).append(loop, EVIDENCE, data)
    except HppError as error:
        result.event_error = str(error)
    else:
        result.event = {"type": EVIDENCE, "data": data}
