"""Probes that run a program: no shell, its tree ended at the time limit."""

from __future__ import annotations

import os
import time

from _lib.sweep import Found
from _lib.timestamp import MISSING, seconds_of

from hpp.core import runner

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from _lib.probe import Probe

    from hpp.core.interruption import Interruption

__all__ = ["command_probes"]

_KEPT = 64 * 1024


def command_probes(
    root: str, interruption: Interruption
) -> dict[str, Callable[[Probe, float], Found]]:
    """Return how the two types of commands are asked, in a project's folder."""

    def run(probe: Probe, left_s: float) -> runner.Outcome:
        return runner.run(
            probe.target,
            timeout_s=left_s,
            cwd=root,
            environment=dict(os.environ),
            keep_stdout=_KEPT,
            tail_stdout=True,
            interruption=interruption,
        )

    def service(probe: Probe, left_s: float) -> Found:
        began = time.monotonic()
        outcome = run(probe, left_s)
        reason = _reason(outcome)
        if outcome.ending == runner.UNSTARTED:
            return Found("unknown", MISSING)
        took_ms = int((time.monotonic() - began) * 1000)
        return Found("down" if reason else "up", reason, latency_ms=took_ms)

    def data(probe: Probe, left_s: float) -> Found:
        outcome = run(probe, left_s)
        reason = _reason(outcome)
        if reason:
            return Found(reason=reason)
        lines = outcome.stdout.kept.decode("utf-8", "replace").split("\n")
        last = next((line for line in reversed(lines) if line.strip()), None)
        signal, reason = seconds_of(last)
        return Found(signal=signal, reason=reason)

    return {"cmd": service, "cmd-timestamp": data}


def _reason(outcome: runner.Outcome) -> str:
    if outcome.ending == runner.UNSTARTED:
        return MISSING
    if outcome.ending == runner.TIMEOUT:
        return "timeout"
    return f"exit-{outcome.exit_code}" if outcome.exit_code else ""
