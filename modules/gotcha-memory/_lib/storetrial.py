"""The checks that the writing half of the memory makes of itself, in a project of its own."""

from __future__ import annotations

import os

from _lib.failurerecord import Event
from _lib.gotchas_memory import lessons
from _lib.gotchas_store import adopt, remember
from _lib.memorytrial import NOW
from _lib.ownership import ARCHIVE, FAILURES, FOREIGN, MISSING, OWN, UNANCHORED, owner_of, tail
from _lib.rotation_store import MOST_LINES, rotate
from _lib.setting import read_settings
from _lib.taskkey import Task
from _lib.verdict import Failure

from hpp.core.errors import RefusedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _lib.setting import Settings

    from hpp.core.portable.selftest import Checks, Project

__all__ = ["check_store"]

_SECRET = "hunter2" * 2


def check_store(checks: Checks, project: Project) -> None:
    """Check writing, duplicates, ownership and rotation."""
    settings = read_settings(project.root, project.root, {})
    checks.equal("nothing is there", owner_of(project.root, settings.store), MISSING)
    for number in range(3):
        remember(_event(f"call-{number}"), settings, NOW + number)
    again = remember(_event("call-0"), settings, NOW + 9)
    checks.check("one call is kept once", not again.is_new)
    found = lessons(Task("make", "Build it"), settings, NOW + 10)
    checks.equal("three failures are a lesson", [each.count for each in found], [3])
    checks.equal("without git nobody can tell", owner_of(project.root, settings.store), UNANCHORED)
    path = os.path.join(settings.store, FAILURES)
    stored = b"".join(tail(path, None))
    checks.check("no secret is stored", _SECRET.encode() not in stored and b"REDACTED" in stored)
    checks.check("the same without redaction would be seen", _SECRET in _event("x").command)
    _check_ownership(checks, project, settings)
    with open(path, "ab") as file:
        file.write(b"{}\n" * MOST_LINES)
    checks.check("what overflows is moved", rotate(settings.store, NOW) > 0)
    lines = len(tail(path, None)) + len(tail(os.path.join(settings.store, ARCHIVE), None))
    checks.equal("nothing is lost", lines, MOST_LINES + 3)


def _check_ownership(checks: Checks, project: Project, settings: Settings) -> None:
    os.makedirs(os.path.join(project.root, ".git"))
    checks.equal(
        "what git does not name is foreign", owner_of(project.root, settings.store), FOREIGN
    )
    checks.raises(
        "nothing is added to it", RefusedError, lambda: remember(_event("n"), settings, NOW)
    )
    adopt(settings)
    checks.equal("it can be adopted", owner_of(project.root, settings.store), OWN)


def _event(call: str) -> Event:
    command = f"make PASSWORD={_SECRET}"
    failure = Failure(f"ETIMEDOUT password={_SECRET}", 2)
    return Event(Task(command, "Build it"), command, failure, session="s", call=call)
