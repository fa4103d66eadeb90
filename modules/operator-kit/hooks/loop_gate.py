#!/usr/bin/env python3
"""Hold a stop until the criteria of the session's loop exit 0, or its budget is spent.

A loop is armed by a person, for one session, through the command line of this file; what the
criteria say is measured here and not by the agent.
"""

from __future__ import annotations

import os
import sys

if sys.pycache_prefix is None:
    sys.dont_write_bytecode = True  # the launcher gives compiled code a place of its own
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "_vendor"), ROOT]

from hpp.core.portable.payload import Malformed, Payload

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _lib.loop_store import Loops

    from hpp.core.portable.answer import Answer

__all__ = ["CLOSED", "EVENTS", "NAME", "decide", "main"]

NAME = "loop-gate"
EVENTS = ("SessionStart", "Stop")
SESSION, STOP = EVENTS
_counted: list[str] = []  # sessions whose stop this process has written down


def CLOSED(payload: Payload | None) -> bool:  # noqa: N802 -- the name that `run.py` reads
    """Say whether a fault of ours holds the stop: only one that is counted, in an armed session."""
    if payload is None or payload.event != STOP or not _is_armed(payload):
        return False
    if payload.session_id in _counted:
        return True
    from _lib.loop_step import spend

    return spend(_loops(payload), payload.session_id)


def decide(payload: Payload) -> Answer | None:
    """Return the answer to one event."""
    try:
        if payload.event == SESSION:
            return _tell_session(payload)
        return _stop(payload) if _is_armed(payload) else None
    except Malformed as error:
        from hpp.core.portable.hookio import not_understood

        return not_understood(NAME, error.why, closed=False, payload=payload)


def _is_armed(payload: Payload) -> bool:
    """Say whether a state has this session's name, before anything else is loaded."""
    session = payload.session_id
    if not session:
        return False
    from hpp.core.portable.hookio import project_root
    from hpp.core.portable.lane import session_key

    root = project_root(payload)
    return os.path.lexists(
        os.path.join(root, ".claude", "loop-gate", f"{session_key(session)}.json")
    )


def _loops(payload: Payload) -> Loops:
    from _lib.loop_store import Loops

    from hpp.core.portable.fswrite import HOOK_WAIT_S
    from hpp.core.portable.hookio import project_root

    return Loops(project_root(payload), HOOK_WAIT_S)


def _stop(payload: Payload) -> Answer | None:
    from _lib.lastmessage import last_message
    from _lib.loop_step import stop

    from hpp.core.portable.answer import block_stop, message

    session = payload.session_id
    text = last_message(payload)
    outcome = stop(_loops(payload), session, lambda: text, lambda: _counted.append(session))
    if outcome.holds:
        return block_stop(NAME, outcome.text)
    return message(NAME, outcome.text) if outcome.text else None


def _tell_session(payload: Payload) -> Answer | None:
    """Let later shell commands of the session know its id."""
    path, session = payload.environ.get("CLAUDE_ENV_FILE", ""), payload.session_id
    if not path or not session or not session.isprintable():
        return None
    quoted = session.replace("'", "'\\''")
    line = f"export HPP_SESSION_ID='{quoted}'\n".encode()
    try:
        handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(handle, line)
        finally:
            os.close(handle)
    except OSError as error:
        from hpp.core.portable.answer import message

        return message(NAME, f"the session's id was not handed on: {error.strerror}")
    return None


def main(words: list[str]) -> int:
    """Answer the host's event, a verb of the command line, or ``--self-test``."""
    if words and words[0] not in ("--session", "--self-test"):
        from _lib.loop_command import answer

        return answer(words)
    from hpp.core.portable.hookio import run_hook

    return run_hook(NAME, decide, events=EVENTS, closed=CLOSED, argv=words, self_test=_self_test)


def _self_test() -> int:
    from _lib.loop_trial import run_checks

    return run_checks(NAME, decide, CLOSED)


if __name__ == "__main__":
    from hpp.core.portable.hookio import leave

    leave(main(sys.argv[1:]))
