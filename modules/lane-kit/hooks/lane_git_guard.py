#!/usr/bin/env python3
"""Before git takes in or throws away everything: say who else works here."""

from __future__ import annotations

import os
import sys

if sys.pycache_prefix is None:
    sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "_vendor"), ROOT]

from _lib.gitcmd import may_matter

from hpp.core.portable import hookio

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hpp.core.portable.answer import Answer
    from hpp.core.portable.payload import Payload

__all__ = ["CLOSED", "EVENTS", "NAME", "decide", "main"]

NAME = "lane-git-guard"
EVENTS = ("PreToolUse",)
_BYPASS = "LANE_GIT_GUARD_BYPASS"


def CLOSED(payload: Payload | None) -> bool:  # noqa: N802 -- the name that `run.py` reads
    """Say whether what cannot be judged is blocked: in the mode ``block``, for a call of git."""
    data = payload.data if payload is not None else {}
    given = data.get("tool_input")
    text = given.get("command") if isinstance(given, dict) else None
    if isinstance(text, str) and not may_matter(text):
        return False
    from _lib.gitguard import guard_mode
    from _lib.paths import find_place

    cwd = data.get("cwd")
    start = os.environ.get("CLAUDE_PROJECT_DIR") or (cwd if isinstance(cwd, str) else os.getcwd())
    return guard_mode(find_place(start, os.environ), dict(os.environ))[0] == "block"


def decide(payload: Payload) -> Answer | None:
    """Return the warning or the block, or None."""
    text = payload.command()
    if text is None or not may_matter(text):
        return None
    from _lib.gitguard import judge

    found = judge(payload)
    if not found.reason:
        return None
    if payload.environ.get(_BYPASS) == "1":
        return hookio.message(NAME, f"{_BYPASS}=1 lets this through ({found.rule})")
    if found.verdict == "block":
        return hookio.block(NAME, found.reason)
    return hookio.warn(payload.event, NAME, found.reason, found.reason)


def main(words: list[str]) -> int:
    """Answer the host's event, a ``check``, or ``--self-test``."""
    if words[:1] == ["--self-test"]:
        from _lib.guardtest import check_git_guard

        return check_git_guard(os.path.abspath(__file__))
    if words[:1] == ["check"]:
        from _lib.gitguard import judge
        from _lib.hookcheck import check

        return check(NAME, words[1:], lambda payload, mode: judge(payload, asked=mode),
                     asks_command=True, modes=("warn", "block"))  # fmt: skip
    return hookio.run_hook(NAME, decide, events=EVENTS, closed=CLOSED, argv=words)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
