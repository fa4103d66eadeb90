"""The self-test of loop-gate: a loop from arming to its end, in a project that goes away."""

from __future__ import annotations

import os
import sys

from _lib.hooktrial import Trial
from _lib.loop_command import answer
from _lib.loop_store import Loops

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from hpp.core.portable.hookio import Closed, Decide

__all__ = ["run_checks"]

_PROMISE = "it works <promise>all green</promise>"


def run_checks(name: str, decide: Decide, closed: Closed) -> int:
    """Run every check and return the exit status."""
    with Trial(name, decide, closed) as trial:
        arm = _arming(trial)
        arm("a", "--criteria", f"{sys.executable} -c pass", "--max-iterations", "3")
        held = _stop(trial, "not yet")
        trial.checks.check("a stop without a promise is held", '"block"' in held)
        passed = _stop(trial, _PROMISE)
        trial.checks.check("criteria that exit 0 let it through", "passed" in passed)
        trial.checks.equal("and nothing is armed then", _stop(trial, "x"), "")
        arm("a", "--criteria", f"{sys.executable} -c 1/0", "--max-iterations", "2")
        failed = [_stop(trial, _PROMISE) for _ in range(3)]
        trial.checks.check(
            "a failing criterion holds", all('"block"' in each for each in failed[:2])
        )
        trial.checks.check("until the budget is spent", "iterations are spent" in failed[2])
        arm("b", "--criteria", f"{sys.executable} -c pass")
        trial.checks.equal("another session's loop is nobody's here", _stop(trial, "x"), "")
        loops = Loops(trial.root, 1)
        state = loops.read("b") or {}
        loops.write({**state, "criteria": [{"argv": [sys.executable, "-c", "1/0"]}]})
        told = _stop(trial, _PROMISE, "b")
        trial.checks.check("what was changed after arming ends", "changed after arming" in told)
        trial.malformed("malformed input is told", 0)
        events = [record["event"] for record in loops.ledger()[0]]
        trial.checks.check("the ledger tells it all", {"armed", "iteration", "gate-passed",
                           "gate-failed", "paused-budget", "tampered"} == set(events))  # fmt: skip
        return trial.finish()


def _stop(trial: Trial, message: str, session: str = "a") -> str:
    event = {"hook_event_name": "Stop", "session_id": session, "last_assistant_message": message}
    return trial.event(event).stdout


def _arming(trial: Trial) -> Callable[..., None]:
    """Return a function that arms a loop and checks that it is armed; what it prints is dropped."""

    def arm(session: str, *words: str) -> None:
        before, sys.stdout = sys.stdout, open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 -- closed below
        try:
            status = answer(["start", "--session", session, "--charter", "c", *words])
        finally:
            sys.stdout.close()
            sys.stdout = before
        trial.checks.equal(f"a loop is armed ({' '.join(words[2:]) or 'defaults'})", status, 0)

    return arm
