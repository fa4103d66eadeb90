#!/usr/bin/env python3
"""Give a session that begins the handoff of its lane, as reference material.

Claude Code: SessionStart. It starts no program, and whatever fails, the session begins.
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

NAME = "handoff-inject"
EVENTS = ("SessionStart",)
CLOSED = False


def decide(payload: Payload) -> Answer | None:
    """Return the handoff for a session that begins, or None when there is none."""
    from _lib.injecting import begin

    return begin(NAME, payload)


def _self_test() -> int:
    from _lib.selfcheck import check_itself
    from _lib.selftest_inject import check

    return check_itself(check)


if __name__ == "__main__":
    raise SystemExit(hookio.run_hook(NAME, decide, events=EVENTS, self_test=_self_test))
