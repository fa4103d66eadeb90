"""Write the memory: failures, their rotation, the person's rules, and whose it is.

Whether a call is there already, the line and the rotation are one step under one lock, so
that two events of one call leave one record and no writer loses another one's.
"""

from __future__ import annotations

import os
import sys

if __name__ == "__main__":
    sys.dont_write_bytecode = True
    ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    sys.path[:0] = [os.path.join(ROOT, "_vendor"), ROOT]

import time

from _lib import failurerecord
from _lib.error_strategy import classify
from _lib.gotchas_memory import READ_BYTES, needles
from _lib.ownership import FAILURES, FOREIGN, MISSING, STORE, STORE_SCHEMA, owner_of, tail
from _lib.recurrence import group_count, parse
from _lib.rotation_store import rotate
from _lib.taskkey import safe

from hpp.core.errors import MachineError, RefusedError
from hpp.core.portable.fswrite import (
    COMMAND_WAIT_S,
    HOOK_WAIT_S,
    append_line,
    atomic_write,
    locked,
    state_dir,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from _lib.failurerecord import Event
    from _lib.recurrence import Record
    from _lib.setting import Settings

__all__ = ["WAITS", "Kept", "adopt", "create", "remember", "say_once"]

WAITS = "lock-wait.txt"
_NOTED_WAIT_S = 0.1
_OPEN = (
    os.O_RDWR
    | os.O_CREAT
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOFOLLOW", 0)
)


class Kept:
    """What became of a failure.

    Attributes:
        family: Its family.
        is_new: It was not there before.
        before: How often the task had failed like this, within the window.
        after: And now.

    """

    __slots__ = ("after", "before", "family", "is_new")

    def __init__(self, family: str, before: int, after: int, *, is_new: bool) -> None:
        self.family = family
        self.before = before
        self.after = after
        self.is_new = is_new


def remember(event: Event, settings: Settings, now: float, timeout: float = HOOK_WAIT_S) -> Kept:
    """Add a failure to the memory; a memory that is missing is made.

    Raises:
        RefusedError: The memory is foreign, or another process kept its lock.
        MachineError: The system refuses; nothing of the failure is kept.

    """
    create(settings, timeout)
    error = safe(event.failure.text).strip()
    # From the whole text, whose end says most; of what is looked at here only a word is kept.
    family = classify(event.failure.text, event.failure.code)
    path = os.path.join(settings.store, FAILURES)
    began = time.monotonic()
    with locked(path, timeout):
        waited = time.monotonic() - began
        kept = _append(event, settings, now, family, error)
        rotate(settings.store, now)
    _note_wait(settings.store, waited)
    return kept


def create(settings: Settings, timeout: float = COMMAND_WAIT_S) -> None:
    """Make the memory when it is missing, and have git's own folder name it.

    Raises:
        RefusedError: What is there came from elsewhere.
        MachineError: The system refuses.

    """
    owner = owner_of(settings.root, settings.store)
    if owner == FOREIGN:
        raise RefusedError(f"{os.path.basename(settings.store)}: it came with the repository")
    if owner != MISSING:
        return
    state_dir(settings.store)
    path = os.path.join(settings.store, STORE)
    with locked(path, timeout):
        if not os.path.lexists(path):
            _identify(settings, timeout)


def adopt(settings: Settings) -> str:
    """Accept a foreign memory as one's own and return its id; one without an id gets one."""
    from _lib.ownership import store_id

    from hpp.core.portable.anchor_write import add_gotcha_store

    known = store_id(settings.store)
    if known is None:
        state_dir(settings.store)
        with locked(os.path.join(settings.store, STORE)):
            return _identify(settings, COMMAND_WAIT_S)
    add_gotcha_store(settings.root, known)
    return known


def say_once(session_id: str, topic: str) -> bool:
    """Say whether a session is told something for the first time; without an id always."""
    from hpp.core.portable.lane import session_key, user_state_dir

    key = session_key(session_id)
    if key is None:
        return True
    folder = os.path.join(user_state_dir(), "gotcha-memory")
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        os.close(os.open(os.path.join(folder, f"{topic}-{key}"), _OPEN | os.O_EXCL, 0o600))
    except FileExistsError:
        return False
    except OSError:
        return True
    return True


def _identify(settings: Settings, timeout: float) -> str:
    """Write the id of a memory, after git's folder names it: never the other way round."""
    import json

    from hpp.core.portable.anchor_write import add_gotcha_store

    own = os.urandom(16).hex()
    add_gotcha_store(settings.root, own, timeout)
    created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    document = {"schema": STORE_SCHEMA, "store_id": own, "created": created}
    data = (json.dumps(document, indent=2) + "\n").encode()
    atomic_write(os.path.join(settings.store, STORE), data)
    return own


def _append(event: Event, settings: Settings, now: float, family: str, error: str) -> Kept:
    """Add the line, under the caller's lock, unless the call is there already."""
    task = event.task
    path = os.path.join(settings.store, FAILURES)
    call = failurerecord.dedupe_key(event.call) if event.call else ""
    wanted = needles(task) + ((f'"{call}"'.encode(),) if call else ())
    try:
        lines = tail(path, READ_BYTES, wanted)
    except OSError as fault:
        raise MachineError(f"{FAILURES}: cannot be read: {fault.strerror}") from None
    found, _ = parse(lines, now)

    def count(more: list[Record]) -> int:
        keys = (task.task_key, task.cmd_key)
        return max(group_count(more, key, family, settings, now) for key in keys)

    before = count(found)
    if call and any(f'"dedupe_key":"{call}"'.encode() in line for line in lines):
        return Kept(family, before, before, is_new=False)
    oldest = now - settings.window_hours * 3600
    attempt = 1 + sum(
        each.task_key == task.task_key and each.family == family and each.ts >= oldest
        for each in found
    )
    record = failurerecord.make(event, now, family, error, attempt)
    line = _line(record)
    append_line(path, line)
    return Kept(family, before, count(found + parse([line], now)[0]), is_new=True)


def _line(record: dict[str, Any]) -> bytes:
    import json

    text = json.dumps(record, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.encode("utf-8", "replace") + b"\n"


def _note_wait(store: str, waited_s: float) -> None:
    """Keep the longest wait for the lock, for `doctor`; a failure of this harms nothing."""
    if waited_s < _NOTED_WAIT_S:
        return
    path = os.path.join(store, WAITS)
    try:
        with open(path, "rb") as file:
            known = float(file.read(64))
    except (OSError, ValueError):
        known = 0.0
    if waited_s > known:
        try:
            atomic_write(path, f"{waited_s:.3f}\n".encode())
        except MachineError:
            return


def self_test() -> int:
    """Check writing, duplicates, ownership and rotation in a project of its own."""
    from _lib.storetrial import check_store

    from hpp.core.portable.selftest import Checks, Project

    checks = Checks(closing=True)
    with Project() as project:
        check_store(checks, project)
    return checks.finish()


if __name__ == "__main__":
    raise SystemExit(self_test())
