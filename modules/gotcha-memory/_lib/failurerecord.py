"""The record of one failure, with every secret taken out before it is made."""

from __future__ import annotations

import re
from hashlib import sha256

from _lib.error_strategy import plan
from _lib.taskkey import LONGEST_INPUT, safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from _lib.taskkey import Task
    from _lib.verdict import Failure

__all__ = ["VERSION", "Event", "dedupe_key", "make", "signature"]

VERSION = 1
_LONGEST_ERROR = 500
_LONGEST_COMMAND = 200
_VARYING = re.compile(
    r"\"[^\"\n]{0,200}\"|'[^'\n]{0,200}'"  # quoted
    r"|(?:[A-Za-z]:)?[\\/]?(?:[\w.@~+-]{1,100}[\\/]){1,40}[\w.@~+-]{0,100}"  # paths
    r"|\b(?:0x)?[0-9a-fA-F]{7,128}\b|\d{1,40}"
)


class Event:
    """A failure and what stood around it.

    Attributes:
        task: What was run.
        command: As it was given.
        failure: What became of it.
        session: The host's id of the session.
        call: The host's id of the call, or an empty text.

    """

    __slots__ = ("call", "command", "failure", "session", "task")

    def __init__(
        self, task: Task, command: str, failure: Failure, *, session: str = "", call: str = ""
    ) -> None:
        self.task = task
        self.command = command
        self.failure = failure
        self.session = session
        self.call = call


def make(event: Event, now: float, family: str, error: str, attempt: int) -> dict[str, Any]:
    """Return the record.

    Args:
        event: What happened.
        now: Unix seconds.
        family: Of the failure.
        error: What it said, without secrets.
        attempt: How often this has happened in the window, this time included.

    """
    chosen = plan(family, attempt)
    session = _digest(event.session, 8) if event.session else ""
    made = signature(error)
    record: dict[str, Any] = {
        "v": VERSION,
        "id": _digest(f"{now!r}\n{session}\n{event.task.task_key}\n{made}", 16),
        "ts": now,
        "task_key": event.task.task_key,
        "cmd_key": event.task.cmd_key,
        "family": family,
        "strategy": chosen["strategy"],
        "terminal": chosen["terminal"],
        "error": error[:_LONGEST_ERROR],
        "error_sig": made,
        "exit": event.failure.code,
        "context": {"cmd": " ".join(safe(event.command).split())[:_LONGEST_COMMAND]},
        "session": session,
        "attempt": attempt,
    }
    if event.call:
        record["dedupe_key"] = dedupe_key(event.call)
    return record


def dedupe_key(call: str) -> str:
    """Return what two events of one call have in common."""
    return _digest(call, 12)


def signature(error: str) -> str:
    """Return what two errors share that differ only in numbers, names and places."""
    return _digest(" ".join(_VARYING.sub("_", error[:LONGEST_INPUT]).split()), 12)


def _digest(text: str, length: int) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:length]
