"""The whole loop in a project that goes away: fail, fail, fail, and be told."""

from __future__ import annotations

from _lib.failurerecord import Event
from _lib.gotchas_memory import lessons, line_of
from _lib.gotchas_store import remember
from _lib.memorytrial import NOW
from _lib.setting import read_settings
from _lib.taskkey import Task
from _lib.verdict import Failure

from hpp.core.portable.selftest import Project

__all__ = ["run"]

_COMMAND = "curl https://api.example.invalid/jobs"
_TIMES = 3


def run() -> list[str]:
    """Return what happened, a line a step."""
    told = []
    task = Task(_COMMAND, "Read the job list")
    with Project() as project:
        settings = read_settings(project.root, project.root, {})
        for number in range(_TIMES):
            failure = Failure("curl: (28) Connection timed out", 28)
            event = Event(task, _COMMAND, failure, session="demo", call=f"call-{number}")
            kept = remember(event, settings, NOW + number)
            told.append(f"failure {number + 1}: {kept.family}")
            known = lessons(task, settings, NOW + number)
            told.append(f"before the next run: {len(known)} lessons")
        told.append(line_of(lessons(task, settings, NOW + _TIMES)[0], NOW + _TIMES))
        other = lessons(Task("ls", "List files"), settings, NOW + _TIMES)
        told.append(f"about another task: {len(other)} lessons")
    return told
