"""What becomes of a stop while a loop is armed: on with it, or done, paused or given up."""

from __future__ import annotations

import time

from hpp.core.errors import HppError
from hpp.core.text import shorten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from _lib.loop_run import Failure
    from _lib.loop_store import Loops

__all__ = ["Outcome", "has_promise", "spend", "stop"]

_OPEN, _CLOSE = "<promise>", "</promise>"
_MOST_SAME = 3
_LONGEST_CHARTER = 1500


class Outcome:
    """The answer to a stop.

    Attributes:
        holds: The session goes on.
        text: Why, for the model when it goes on and for the person when it does not; empty
            when no loop is armed.

    """

    __slots__ = ("holds", "text")

    def __init__(self, *, holds: bool, text: str = "") -> None:
        self.holds = holds
        self.text = text


def has_promise(message: str) -> bool:
    """Say whether a message holds ``<promise>...</promise>`` with something in it."""
    at = message.find(_OPEN)
    while at >= 0:
        end = message.find(_CLOSE, at)
        if end < 0:
            return False
        if message[at + len(_OPEN) : end].strip():
            return True
        at = message.find(_OPEN, at + 1)
    return False


def spend(loops: Loops, session_id: str) -> bool:
    """Count one more stop of a session, and say whether that was written."""
    try:
        state = loops.read(session_id)
        if state is None:
            return False
        state["iteration"] += 1
        loops.write(state)
    except (HppError, OSError):
        return False
    return True


def stop(
    loops: Loops,
    session_id: str,
    message: Callable[[], str],
    counted: Callable[[], None] = lambda: None,
) -> Outcome:
    """Decide about one stop of a session.

    Args:
        loops: The project's loops.
        session_id: Not empty.
        message: Returns the last message of the agent.
        counted: Called once the stop is written down.

    """
    try:
        state = loops.read(session_id)
    except HppError as error:
        told = f"{error}; nothing was verified. Put it aside with: loop_gate.py repair"
        return Outcome(holds=False, text=told)
    if state is None:
        return Outcome(holds=False)
    ended = _ended(loops, session_id, state)
    if ended is not None:
        return ended
    state["iteration"] += 1
    try:
        loops.write(state)
    except (HppError, OSError) as error:
        told = f"the stop could not be counted ({error}), so it is let through; nothing verified"
        return Outcome(holds=False, text=told)
    counted()
    place = f"iteration {state['iteration']} of {state['max_iterations']}"
    if not has_promise(message()):
        fault = loops.note(session_id, "iteration", state)
        said = (
            f"{_charter(state)}\n{place}. When it is done, say so as <promise>what holds</promise>"
        )
        return Outcome(holds=True, text="\n".join(filter(None, [said, fault])))
    return _verified(loops, session_id, state, place)


def _ended(loops: Loops, session_id: str, state: Mapping[str, Any]) -> Outcome | None:
    """End a loop whose terms were changed, or whose budget is spent."""
    from _lib.loop_store import digest

    if loops.armed_digest(session_id) != digest(state):
        told = "the loop was changed after arming; nothing was verified"
        return _close(loops, session_id, state, "tampered", told)
    if state["iteration"] >= state["max_iterations"]:
        told = f"paused: all {state['max_iterations']} iterations are spent; nothing was verified"
        return _close(loops, session_id, state, "paused-budget", told)
    deadline = state["deadline_at"]
    if deadline is not None and time.time() >= deadline:
        told = "paused: the time of the loop is over; nothing was verified"
        return _close(loops, session_id, state, "paused-budget", told)
    return None


def _close(
    loops: Loops, session_id: str, state: Mapping[str, Any], event: str, told: str, **more: object
) -> Outcome:
    loops.remove(session_id)
    fault = loops.note(session_id, event, state, **more)
    return Outcome(holds=False, text="; ".join(filter(None, [told, fault])))


def _verified(loops: Loops, session_id: str, state: dict[str, Any], place: str) -> Outcome:
    """Run the criteria, and let their statuses decide."""
    from _lib.loop_run import failures, failures_digest

    found = failures(state["criteria"], loops.root, state["criterion_timeout"])
    if not loops.exists(session_id):
        return Outcome(holds=False, text="the loop was cancelled while its criteria ran")
    if not found:
        count = len(state["criteria"])
        told = f"passed: {count} of {count} criteria exit 0 after {state['iteration']} iterations"
        ended = _close(loops, session_id, state, "gate-passed", told)
        return Outcome(holds=False, text="; ".join(filter(None, [ended.text, _goal(loops, state)])))
    same = failures_digest(found)
    state["same_failure"] = state["same_failure"] + 1 if same == state["last_failure"] else 1
    state["last_failure"] = same
    failed = [_record(each) for each in found]
    if state["same_failure"] >= _MOST_SAME:
        told = f"stalled: the same failure {_MOST_SAME} times in a row. {_shown(found)}"
        return _close(loops, session_id, state, "stalled", told, failed=failed)
    try:
        loops.write(state)
        fault = ""
    except (HppError, OSError) as error:
        fault = f"the failure could not be kept: {error}"
    fault = fault or loops.note(session_id, "gate-failed", state, failed=failed)
    said = f"{_charter(state)}\n{place}: the promise does not hold.\n{_shown(found)}"
    return Outcome(holds=True, text="\n".join(filter(None, [said, fault])))


def _charter(state: Mapping[str, Any]) -> str:
    charter = str(state["charter"])
    return charter if len(charter) <= _LONGEST_CHARTER else f"{charter[:_LONGEST_CHARTER]}..."


def _shown(found: list[Failure]) -> str:
    from _lib.loop_run import shown_criterion

    lines = []
    for each in found:
        lines.append(f"- {shorten(shown_criterion(each.criterion), 200)}: exit {each.exit}")
        if each.tail:
            lines.append(each.tail)
    return "\n".join(lines)


def _record(failure: Failure) -> dict[str, Any]:
    from hpp.core.canonical import canonical_bytes, sha256_hex

    argv = sha256_hex(canonical_bytes(dict(failure.criterion)))
    return {"id": failure.number, "argv_digest": argv, "exit": failure.exit}


def _goal(loops: Loops, state: Mapping[str, Any]) -> str:
    """Mark the goal of a loop that passed, and return why that failed, or an empty text."""
    goal = state["goal"]
    if not goal:
        return ""
    import os
    import sys

    from hpp.core.runner import run, stderr_tail

    module = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    script = os.path.join(module, "scripts", "goal_ledger.py")
    evidence = f"loop gate passed after {state['iteration']} iterations"
    argv = [sys.executable, "-E", "-s", script, "set", goal, "done", "--evidence", evidence]
    outcome = run([*argv, "--project-dir", loops.root], timeout_s=10, cwd=loops.root)
    if outcome.exit_code == 0:
        return ""
    return f"the goal {shorten(goal)} was not marked: {outcome.reason or stderr_tail(outcome)}"
