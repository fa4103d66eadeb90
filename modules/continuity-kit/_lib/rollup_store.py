"""Apply entries to documents: read as bytes, checked again, saved before, replaced whole."""

from __future__ import annotations

import os
import time

from _lib import place
from _lib.instant import compact
from _lib.rollupentry import Outcome, placed

from hpp.core.errors import HppError, RefusedError
from hpp.core.portable.fsread import contain
from hpp.core.portable.fswrite import atomic_write, locked, state_dir

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _lib.rollupinput import Json, Target

__all__ = ["processed"]

BACKUPS = ".claude/rollup-backups"
_KEPT = 10
_LARGEST = 16 * 1024 * 1024
_MARK = b"\xef\xbb\xbf"


def processed(target: Target, payload: Json, project: str, *, is_applied: bool) -> Json:
    """Return the row of the report for a target, written when that is asked for."""
    row = {
        "path": target.shown, "role": target.role, "mode": target.mode, "reason": "",
        "backup": None,
    }  # fmt: skip
    if target.passive:
        return {**row, "status": "skipped-passive"}
    try:
        path = contain(target.path, target.root)
        before = place.read(path, _LARGEST)
    except RefusedError as error:
        return {**row, "status": "unreadable", "reason": str(error)}
    try:
        outcome = _outcome(target, payload, before)
    except UnicodeDecodeError:
        return {**row, "status": "unreadable", "reason": "it is not UTF-8"}
    row["reason"] = outcome.reason
    if outcome.text is None:
        return {**row, "status": outcome.verb}
    if not is_applied:
        return {**row, "status": f"would-{outcome.verb}"}
    return {**row, **_applied(target, project, path, before, outcome)}


def _outcome(target: Target, payload: Json, before: bytes | None) -> Outcome:
    if before is None:
        return placed(target, payload, None)
    return placed(target, payload, before.removeprefix(_MARK).decode("utf-8"))


def _applied(
    target: Target, project: str, path: str, before: bytes | None, outcome: Outcome
) -> Json:
    data = (outcome.text or "").encode()
    if before is not None and before.startswith(_MARK):
        data = _MARK + data
    try:
        store = _folder(project)
        # The lock is not beside the document, where it would lie around.
        with locked(os.path.join(store, "apply")):
            if place.read(path, _LARGEST) != before:
                return {"status": "changed", "reason": "somebody wrote it meanwhile"}
            backup = _saved(store, project, target.shown, before)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            atomic_write(path, data)
            if before is None:
                os.chmod(path, 0o644)  # a document, and not a state file of one person
    except (HppError, OSError) as error:
        return {"status": "error", "reason": str(error)}
    status = "created" if outcome.verb == "create" else f"applied:{outcome.verb}"
    return {"status": status, "backup": backup}


def _folder(project: str) -> str:
    folder = contain(BACKUPS, project)
    os.makedirs(os.path.dirname(folder), exist_ok=True)
    return state_dir(folder)


def _saved(store: str, project: str, shown: str, before: bytes | None) -> str | None:
    """Keep what was there, and of each target the newest ten; return where it is."""
    if before is None:
        return None
    name = f"{shown}.{compact(time.time())}"
    path = contain(name, store)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    while os.path.lexists(path):
        path += "x"  # a second one of the same second
    atomic_write(path, before)
    folder, start = os.path.dirname(path), f"{os.path.basename(shown)}."
    stamp = len("20260101T000000Z")
    same = sorted(
        one
        for one in os.listdir(folder)
        if one.startswith(start) and len(one.rstrip("x")) == len(start) + stamp
    )
    for old in same[:-_KEPT]:
        os.unlink(os.path.join(folder, old))
    return place.shown(project, path)
