#!/usr/bin/env python3
"""Copy ignored state files that would be lost with the working tree into a tracked folder."""

from __future__ import annotations

import os
import sys

if sys.pycache_prefix is None:
    sys.dont_write_bytecode = True  # pyrun.sh gives compiled code a place of its own
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "_vendor"), ROOT]

from _lib.mirrorcommand import check, parser, run
from _lib.selfcheck import check_itself

from hpp.core.portable.scriptcli import run_script

__all__ = ["main"]


def main() -> int:
    """Answer one command line."""
    return run_script(parser(), run, self_test=lambda: check_itself(check))


if __name__ == "__main__":
    raise SystemExit(main())
