#!/usr/bin/env python3
"""Warn of secret-like text in what is about to be written; never block, never show it."""

from __future__ import annotations

import os
import sys

if sys.pycache_prefix is None:
    sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "_vendor"), ROOT]

from hpp.core.portable.secretwrite import HOOK, decide

__all__ = ["CLOSED", "EVENTS", "NAME", "decide", "main"]

# What `run.py` reads of a hook.
NAME = HOOK
EVENTS = ("PreToolUse",)
CLOSED = False


def main(words: list[str]) -> int:
    """Answer the host's event, a ``check``, or ``--self-test``."""
    if "--self-test" in words:
        from hpp.core.portable.secretselftest import self_test

        return self_test()
    if words[:1] == ["check"]:
        from hpp.core.portable.secretcheck import check

        return check(words[1:])
    from hpp.core.portable.hookio import run_hook

    return run_hook(NAME, decide, events=EVENTS, closed=CLOSED, argv=words)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
