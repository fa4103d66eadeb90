#!/usr/bin/env python3
"""Hold a stop without a handoff once, and measure what is there when nobody wrote one.

Claude Code: Stop and PreCompact. A compaction is never held, and no stop twice in a row.
"""

from __future__ import annotations

import os
import sys

if sys.pycache_prefix is None:
    sys.dont_write_bytecode = True  # pyrun.sh gives compiled code a place of its own
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "_vendor"), ROOT]

from hpp.core.portable import hookio

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hpp.core.portable.answer import Answer
    from hpp.core.portable.payload import Payload

__all__ = ["CLOSED", "EVENTS", "NAME", "decide"]

NAME = "handoff-guard"
EVENTS = ("Stop", "PreCompact")
CLOSED = False


def decide(payload: Payload) -> Answer | None:
    """Return what to say at the end of a turn or before a compaction, or None."""
    from _lib import guarding

    return (
        guarding.stop(NAME, payload) if payload.event == "Stop" else guarding.compact(NAME, payload)
    )


def _self_test() -> int:
    from _lib.selfcheck import check_itself
    from _lib.selftest_guard import check

    return check_itself(check)


if __name__ == "__main__":
    raise SystemExit(hookio.run_hook(NAME, decide, events=EVENTS, self_test=_self_test))
