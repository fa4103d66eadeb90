#!/usr/bin/env python3
"""The registry of lanes: who is alive, and which paths each one owns."""

from __future__ import annotations

import os
import sys

if sys.pycache_prefix is None:
    sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "_vendor"), ROOT]

from _lib.lanesline import main

if __name__ == "__main__":
    raise SystemExit(main())
