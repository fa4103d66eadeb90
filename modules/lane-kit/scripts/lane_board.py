#!/usr/bin/env python3
"""The board of all lanes of a repository: who works on what, and who may accept it."""

from __future__ import annotations

import os
import sys

if sys.pycache_prefix is None:
    sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "_vendor"), ROOT]

from _lib.boardmain import main


def self_test() -> int:
    """Check every refusal beside what is let through, in a project of its own."""
    from _lib.boardtest import check_board

    return check_board()


if __name__ == "__main__":
    raise SystemExit(main(self_test=self_test))
