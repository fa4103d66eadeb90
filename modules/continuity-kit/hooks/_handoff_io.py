#!/usr/bin/env python3
"""Write, check, read and show the handoff of a lane; a command, not a hook."""

from __future__ import annotations

import os
import sys

if sys.pycache_prefix is None:
    sys.dont_write_bytecode = True  # pyrun.sh gives compiled code a place of its own
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "_vendor"), ROOT]

from _lib.handoffcommand import check, parser, run
from _lib.selfcheck import check_itself

from hpp.core.portable.scriptcli import run_script

__all__ = ["main"]


def main() -> int:
    """Answer one command line."""
    return run_script(parser(), run, self_test=lambda: check_itself(check))


if __name__ == "__main__":
    raise SystemExit(main())
