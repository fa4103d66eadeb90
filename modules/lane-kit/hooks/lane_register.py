#!/usr/bin/env python3
"""A session comes, works and goes: keep the registry of lanes true."""

from __future__ import annotations

import os
import sys

if sys.pycache_prefix is None:
    sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "_vendor"), ROOT]

from hpp.core.portable import hookio

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hpp.core.portable.answer import Answer
    from hpp.core.portable.payload import Payload

__all__ = ["CLOSED", "EVENTS", "NAME", "decide", "main"]

NAME = "lane-register"
EVENTS = ("SessionStart", "PostToolUse", "SessionEnd")
CLOSED = False
_VERBS = ("register", "heartbeat", "close")


def decide(payload: Payload) -> Answer | None:
    """Return what the session is told, or None."""
    event = payload.event
    if event == "PostToolUse":
        return _heartbeat(payload)
    return _arrive(payload) if event == "SessionStart" else _leave(payload)


def _heartbeat(payload: Payload) -> Answer | None:
    import time

    from _lib.stamp import is_young

    if is_young(payload.session_id, hookio.lane_of(payload), time.time()):
        return None
    try:
        return _beat(payload)
    except hookio.Malformed:
        raise
    except Exception as error:  # noqa: BLE001 -- a call that has run is never failed for this
        return _once(payload, error)


def _beat(payload: Payload) -> Answer | None:
    from _lib.announce import told
    from _lib.presence import Presence
    from _lib.stamp import leave_stamp

    here = Presence(payload)
    here.beat()
    throttle = here.config.seconds("heartbeat_throttle")
    leave_stamp(payload.session_id, here.lane, here.now, throttle)
    if not here.config.flag("mailbox", "check_on_heartbeat"):
        return None
    lines = told(here.place, here.config, here.lane, again=False)
    return hookio.context(payload.event, NAME, "\n".join(lines)) if lines else None


def _arrive(payload: Payload) -> Answer | None:
    from _lib.announce import told
    from _lib.presence import Presence

    from hpp.core.errors import HppError

    try:
        here = Presence(payload)
        lane = here.arrive()
    except (HppError, OSError) as error:
        return hookio.context(payload.event, NAME, f"this session is not registered: {error}")
    lines = here.rescued()
    if here.config.flag("mailbox", "check_on_register"):
        try:
            lines += told(here.place, here.config, here.lane, again=True)
        except (HppError, OSError) as error:
            here.faults.append(f"the mailbox cannot be read: {error}")
    report = here.report(lane)
    return hookio.context(payload.event, NAME, "\n".join([report, *lines, *here.faults]))


def _leave(payload: Payload) -> Answer | None:
    from _lib.presence import Presence

    Presence(payload).leave()
    return None


def _once(payload: Payload, error: Exception) -> Answer | None:
    """Tell of a failure, once a session."""
    from _lib.memory import first_time

    said = f"the heartbeat was not written: {str(error) or type(error).__name__}"
    if not first_time(NAME, payload.session_id, [said])[0]:
        return None
    return hookio.message(NAME, said)


def main(words: list[str]) -> int:
    """Answer the host's event, a verb by hand, or ``--self-test``."""
    if words[:1] == ["--self-test"]:
        from _lib.guardtest import check_register

        return check_register(os.path.abspath(__file__))
    if words[:1] and words[0] in _VERBS:
        from _lib.lanesline import main as by_hand

        return by_hand(words)
    events = {"--heartbeat": ("PostToolUse",), "--close": ("SessionEnd",)}
    wanted = events.get(words[0], EVENTS) if words else ("SessionStart",)
    return hookio.run_hook(NAME, decide, events=wanted, closed=CLOSED, argv=words)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
