"""What happens at the end of a turn and before a compaction."""

from __future__ import annotations

import os
import time

from _lib import degraded, ledger, place
from _lib import handoff_store as store
from _lib.config import Config, read
from _lib.handoff import load, within
from _lib.instant import parse

from hpp.core.errors import HppError, RefusedError
from hpp.core.portable import anchor, hookio
from hpp.core.portable.fswrite import HOOK_WAIT_S, locked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from _lib.checkpoint_store import Snapshot

    from hpp.core.portable.answer import Answer
    from hpp.core.portable.payload import Payload

__all__ = ["compact", "stop"]

_BUDGET_S = 20.0
_CHECKPOINT_S = 12.0
_REASON = (
    "there is no fresh handoff of this session. Run the pre-clear skill, which writes one with "
    "_handoff_io.py, or stop again: this is asked once and not repeated."
)


class _Turn:
    """What is known of the turn that ends.

    Attributes:
        root, lane, session: Where, whose and which session.
        config: The settings.
        booted: The event with which the session began; None when nobody noted it.
        deadline: On the clock of `time.monotonic`.

    """

    __slots__ = ("booted", "config", "deadline", "lane", "root", "session")

    def __init__(self, payload: Payload) -> None:
        self.deadline = time.monotonic() + _BUDGET_S
        self.root = hookio.project_root(payload)
        self.lane = hookio.lane_of(payload)
        self.session = store.session_name(payload.session_id)
        self.config: Config = read(payload.cwd, self.root, payload.environ)
        self.booted = ledger.booted(self.root, self.session)

    def is_fresh(self, now: float, *, only_full: bool) -> bool:
        """Say whether this session, or one at its time, wrote a handoff of the lane."""
        try:
            found = load(self.root, place.current(self.root, self.lane))
        except RefusedError:
            return False
        since = parse(self.booted.get("ts")) if self.booted else None
        if not within(found, now, self.config.fresh_seconds, since):
            return False
        document: dict[str, Any] = (found.document if found else None) or {}
        return not only_full or document.get("quality") == "full"


def stop(name: str, payload: Payload) -> Answer | None:
    """Return the answer to the end of a turn."""
    is_again = payload.flag("stop_hook_active")
    turn = _Turn(payload)
    is_fresh = turn.is_fresh(time.time(), only_full=False)
    snapshot, why = _snapshot(turn)
    try:
        if not is_fresh and not is_again and _is_held(turn, snapshot):
            return hookio.block_stop(name, _REASON)
        checkpoint, failed = _written(snapshot)
    finally:
        if snapshot is not None:
            snapshot.__exit__()
    trouble = why or failed
    if is_fresh:
        return hookio.message(name, f"no checkpoint: {trouble}") if trouble else None
    return _record(name, turn, checkpoint, trouble, is_due=_is_due(turn))


def compact(name: str, payload: Payload) -> Answer | None:
    """Return the answer before a compaction; it is never held."""
    payload.text("trigger")
    turn = _Turn(payload)
    if turn.is_fresh(time.time(), only_full=True):
        return None
    snapshot, why = _snapshot(turn)
    checkpoint, failed = _written(snapshot)
    if snapshot is not None:
        snapshot.__exit__()
    said = "the session is given it when it goes on after the compaction"
    return _record(name, turn, checkpoint, why or failed, is_due=True, more=said)


def _is_held(turn: _Turn, snapshot: Snapshot | None) -> bool:
    """Say whether the stop is held, once that is written down."""
    if turn.config.enforcement != "block-once" or not _has_worked(turn, snapshot):
        return False
    try:
        store.prepared(turn.root)
        # Two hooks of one turn, from a plugin and a copy, hold it once together.
        with locked(place.file(turn.root, "REQUEST"), HOOK_WAIT_S):
            asked = ledger.requested_at(turn.root, turn.session)
            waited = None if asked is None else time.time() - asked
            if waited is not None and waited < turn.config.block_interval_seconds:
                return False
            store.note(turn.root, "requested", turn.lane, session=turn.session, timeout=HOOK_WAIT_S)
    except (HppError, OSError):
        return False  # what is not written down could be asked for again and again
    return True


def _has_worked(turn: _Turn, snapshot: Snapshot | None) -> bool:
    """Say whether the session changed something; not knowing counts as yes."""
    head = anchor.head(turn.root)
    before = turn.booted.get("details", {}).get("head") if turn.booted else None
    if before is None or (head or "unknown") != before:
        return True
    if snapshot is not None:
        return snapshot.has_changed
    from _lib.gitfact import status

    entries = status(turn.root, turn.deadline)
    return entries is None or bool(entries)


def _snapshot(turn: _Turn) -> tuple[Snapshot | None, str]:
    """Return the tree as it is now; None with the reason, or without one when not wanted."""
    is_off = "off" in (turn.config.checkpoint, os.environ.get("HPP_TURN_CHECKPOINT"))
    if is_off or anchor.git_dir(turn.root) is None:
        return None, ""
    from _lib.checkpoint_store import Snapshot

    try:
        return Snapshot(turn.root, turn.session, _CHECKPOINT_S).__enter__(), ""
    except (HppError, OSError) as error:
        return None, str(error)


def _written(snapshot: Snapshot | None) -> tuple[dict[str, Any] | None, str]:
    if snapshot is None:
        return None, ""
    try:
        return snapshot.write(), ""
    except (HppError, OSError) as error:
        return None, str(error)


def _is_due(turn: _Turn) -> bool:
    """Say whether no degraded document of the last minutes is there."""
    newest = degraded.newest(turn.root, turn.lane)
    return newest is None or not 0 <= time.time() - newest <= turn.config.fresh_seconds


def _record(  # noqa: PLR0913 -- what there is to say
    name: str,
    turn: _Turn,
    checkpoint: dict[str, Any] | None,
    trouble: str,
    *,
    is_due: bool,
    more: str = "",
) -> Answer | None:
    """Write the degraded document when one is due, and tell the person of it."""
    said = [f"no checkpoint: {trouble}"] if trouble else []
    if is_due:
        try:
            document = degraded.made(turn.root, turn.lane, turn.session, checkpoint, turn.deadline)
            path = degraded.write(turn.root, turn.lane, document)
        except (HppError, OSError) as error:
            said.append(f"no handoff, and none could be measured: {error}")
        else:
            ref = checkpoint.get("ref") if checkpoint else None
            beside = f", checkpoint {ref}" if ref else ""
            made = f"no handoff; git was measured in {place.shown(turn.root, path)}{beside}"
            said.append(f"{made}; {more}" if more else made)
    return hookio.message(name, "; ".join(said)) if said else None
