#!/usr/bin/env python3
"""Count a tree before anybody reads it: classes, sizes, manifests, entry points, what is odd."""

from __future__ import annotations

import os
import sys

if sys.pycache_prefix is None:
    sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "_vendor"), ROOT]

from _lib.inventory import inventory

from hpp.core.errors import RefusedError
from hpp.core.portable.scriptcli import make_parser, run_script, write_report

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

__all__ = ["PARSER"]


def _main(arguments: argparse.Namespace) -> int:
    for option, value in (("--max-files", arguments.max_files), ("--top", arguments.top)):
        if value < 1:
            raise RefusedError(f"{option} {value}: expected 1 or more")
    made = inventory(arguments.dir, arguments.max_files, arguments.top)
    if arguments.json:
        write_report(made)
    else:
        sys.stdout.write(_shown(made))
    return 1 if made["limit"]["reached"] or made["unreadable"] else 0


def _shown(made: dict[str, Any]) -> str:
    from hpp.core.text import printable

    counted = f"{made['files']} files, {made['bytes']} bytes, {made['links']} links"
    lines = [f"{counted} ({made['source']}); binary: {made['binary']['files']}"]
    for title in ("classes", "top_directories", "extensions"):
        lines.append(f"{title.replace('_', ' ')}:")
        counts = sorted(made[title].items(), key=lambda each: (-each[1]["files"], each[0]))
        lines += [
            f"  {name}: {each['files']} files, {each['bytes']} bytes" for name, each in counts
        ]
    lines += ["largest:", *(f"  {each['bytes']} {each['path']}" for each in made["largest"])]
    for title in ("manifests", "entry_points"):
        label = title.replace("_", " ")
        lines += (
            [f"{label}:", *(f"  {path}" for path in made[title])]
            if made[title]
            else [f"{label}: none"]
        )
    for title in ("generated", "vendored"):
        lines.append(f"{title}: {made[title]['count']}")
        lines += [f"  {path}" for path in made[title]["first"]]
    lines += [f"unreadable: {each['path']}: {each['why']}" for each in made["unreadable"]]
    if made["limit"]["reached"]:
        lines.append(f"limit reached: {made['limit']['beyond']} files were not looked at")
    return "".join(f"{printable(line)}\n" for line in lines)


def _self_test() -> int:
    from _lib.inventorytest import self_test

    return self_test()


PARSER = make_parser("pp_inventory.py", "Count a tree before anybody reads it.")
PARSER.add_argument("dir", metavar="DIR")
PARSER.add_argument("--max-files", type=int, default=50_000, metavar="N")
PARSER.add_argument("--top", type=int, default=20, metavar="N", help="entries of long lists")

if __name__ == "__main__":
    raise SystemExit(run_script(PARSER, _main, self_test=_self_test))
