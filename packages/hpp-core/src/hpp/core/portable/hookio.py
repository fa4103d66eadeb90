"""A hook from end to end: read the event, decide behind one catch-all, answer, leave.

Both hosts let a call through when a hook crashes, so nothing that a hook does may end in a
traceback. A hook file declares itself in three names, which `run` (several hooks in one
process) reads as well::

    NAME = "secret-scan-on-write"
    EVENTS = ("PreToolUse",)
    CLOSED = False            # or True, or a function of the payload (None: malformed)

    def decide(payload): ...  # an Answer, or None to say nothing

    if __name__ == "__main__":
        raise SystemExit(hookio.run_hook(NAME, decide, events=EVENTS, closed=CLOSED))
"""

from __future__ import annotations

import os
import sys

from hpp.core.portable.answer import (
    Answer,
    ask,
    block,
    block_stop,
    context,
    message,
    tidy,
    warn,
)
from hpp.core.portable.payload import Malformed, Payload, parse, read_payload

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from typing import NoReturn

    Decide = Callable[[Payload], Answer | None]
    Closed = bool | Callable[[Payload | None], bool]

__all__ = [
    "Answer",
    "Malformed",
    "Payload",
    "ask",
    "block",
    "block_stop",
    "context",
    "evaluate",
    "failure",
    "lane_of",
    "leave",
    "message",
    "not_understood",
    "parse",
    "project_root",
    "read_payload",
    "run_hook",
    "warn",
    "write",
]


def run_hook(  # noqa: PLR0913 -- what a hook declares, by keyword
    name: str,
    decide: Decide,
    *,
    events: Collection[str] | None = None,
    closed: Closed = False,
    argv: Sequence[str] | None = None,
    self_test: Callable[[], int] | None = None,
) -> int:
    """Serve one event and return the exit status.

    Args:
        name: The hook's name; every text carries it.
        decide: The judgement; it may raise `Malformed` or anything else.
        events: The events it is wired for; another one gets no answer. None takes all.
        closed: What becomes of input that cannot be judged, and of a fault of our own: False
            lets through and says so, True blocks. A function is given the payload, or None
            when there is none; that it fails counts as True.
        argv: Words of the command line, without the program; None for this process's.
        self_test: What ``--self-test`` runs, before anything else.

    Returns:
        0, or 2 for a block; of `self_test` its own.

    """
    words = sys.argv[1:] if argv is None else argv
    if self_test is not None and "--self-test" in words:
        return self_test()
    try:
        payload = read_payload()
    except Malformed as error:
        return write(not_understood(name, error.why, closed, None))
    except BaseException as error:  # noqa: BLE001 -- a crash would let the call through
        return write(failure(name, error, closed, None))
    return write(evaluate(name, decide, payload, events, closed=closed))


def evaluate(
    name: str,
    decide: Decide,
    payload: Payload,
    events: Collection[str] | None = None,
    *,
    closed: Closed = False,
) -> Answer:
    """Return a hook's answer to an event, whatever the hook does."""
    try:
        if events is not None and payload.event not in events:
            return Answer()
        answer = decide(payload)
        return Answer() if answer is None else tidy(answer)
    except Malformed as error:
        return not_understood(name, error.why, closed, payload)
    except BaseException as error:  # noqa: BLE001 -- a crash would let the call through
        return failure(name, error, closed, payload)


def not_understood(name: str, why: str, closed: Closed, payload: Payload | None) -> Answer:
    """Return the answer to input that cannot be judged."""
    said = f"input not understood ({' '.join(why.split())}); not evaluated"
    return _declared(name, said, closed, payload)


def failure(name: str, error: BaseException, closed: Closed, payload: Payload | None) -> Answer:
    """Return the answer after a fault of the hook itself."""
    return _declared(
        name, f"internal error ({type(error).__name__}); not evaluated", closed, payload
    )


def project_root(payload: Payload) -> str:
    """Return the folder of the project.

    Claude Code names it. Elsewhere it is the nearest folder with a ``.git``, from the
    event's working folder upward; without one, that folder itself.
    """
    named = payload.environ.get("CLAUDE_PROJECT_DIR", "")
    if named and os.path.isdir(named):
        return named
    from hpp.core.worktree import worktree_top

    start = os.path.abspath(payload.cwd or os.getcwd())
    return worktree_top(start) or start


def lane_of(payload: Payload) -> str:
    """Return the lane that the session belongs to."""
    from hpp.core.portable.lane import lane_id

    return lane_id(payload.environ, payload)


def write(answer: Answer) -> int:
    """Write an answer to the standard streams and return its exit status."""
    try:
        if answer.stdout:
            sys.stdout.buffer.write(answer.stdout.encode("ascii", "backslashreplace"))
            sys.stdout.buffer.flush()
        if answer.stderr:
            sys.stderr.buffer.write(answer.stderr.encode("utf-8", "backslashreplace"))
            sys.stderr.buffer.flush()
    except (OSError, ValueError, AttributeError):  # nobody listens; the status still counts
        return answer.exit
    return answer.exit


def leave(status: int) -> NoReturn:
    """End the process here and now, with everything written.

    What an interpreter takes down on its way out costs a hook a fifth of its time, and nobody
    needs it any more.
    """
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError, AttributeError):  # noqa: PERF203 -- nobody listens
            continue
    os._exit(status)


def _declared(name: str, said: str, closed: Closed, payload: Payload | None) -> Answer:
    if not _is_closed(closed, payload):
        return message(name, said)
    data = payload.data if payload is not None else {}
    if data.get("hook_event_name") != "Stop":
        return block(name, said)
    # A stop that is held up twice could be held up for ever.
    return message(name, said) if data.get("stop_hook_active") else block_stop(name, said)


def _is_closed(closed: Closed, payload: Payload | None) -> bool:
    if not callable(closed):
        return closed
    try:
        return bool(closed(payload))
    except BaseException:  # noqa: BLE001 -- nobody knows, so the guard holds
        return True
