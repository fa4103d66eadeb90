#!/usr/bin/env python3
"""Before a file is written: say when it is another lane's, or everybody's."""

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
    from _lib.judgement import Judgement

    from hpp.core.portable.answer import Answer
    from hpp.core.portable.payload import Payload

__all__ = ["CLOSED", "EVENTS", "NAME", "decide", "main"]

NAME = "lane-territory-guard"
EVENTS = ("PreToolUse",)
CLOSED = False


def decide(payload: Payload) -> Answer | None:
    """Return the warnings that this session has not seen, or None."""
    from _lib.territoryguard import judge

    found = judge(payload)
    if not found:
        return None
    from _lib.memory import first_time

    fresh = first_time(NAME, payload.session_id, [f"{each.rule}:{each.subject}" for each in found])
    told = " ".join(each.reason + "." for each, is_new in zip(found, fresh, strict=True) if is_new)
    return hookio.warn(payload.event, NAME, told, told) if told else None


def _judge(payload: Payload, mode: str) -> Judgement:
    from _lib.judgement import strictest
    from _lib.territoryguard import judge

    del mode  # it warns in every mode
    return strictest(judge(payload))


def main(words: list[str]) -> int:
    """Answer the host's event, a ``check``, or ``--self-test``."""
    if words[:1] == ["--self-test"]:
        from _lib.guardtest import check_territory_guard

        return check_territory_guard(os.path.abspath(__file__))
    if words[:1] == ["check"]:
        from _lib.hookcheck import check

        return check(NAME, words[1:], _judge, asks_command=False, modes=("warn", "block"))
    return hookio.run_hook(NAME, decide, events=EVENTS, closed=CLOSED, argv=words)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
