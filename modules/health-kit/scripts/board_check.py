#!/usr/bin/env python3
"""Check that every panel of a board has a title, a unit and a threshold."""

from __future__ import annotations

import os
import sys

if sys.pycache_prefix is None:
    sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "_vendor"), ROOT]

from _lib.board import faults, mentions, panels

from hpp.core.errors import MachineError, RefusedError
from hpp.core.portable.scriptcli import make_parser, run_script, write_report
from hpp.core.strictjson import parse_bytes
from hpp.core.text import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

_MOST_BYTES = 16 * 1024 * 1024


def main() -> int:
    """Answer the command line and return the exit status."""
    parser = make_parser("board_check.py", "Check the panels of a board.")
    parser.add_argument("board", metavar="BOARD", help="the JSON file of the board")
    parser.add_argument(
        "--optional", action="append", default=[], metavar="METRIC",
        help="a metric that would be good to have; may be repeated",
    )  # fmt: skip
    return run_script(parser, _run, self_test=self_test)


def _run(words: argparse.Namespace) -> int:
    status, lines = judge(_read(words.board), os.path.basename(words.board), words.optional)
    if words.json:
        write_report({"schema": "health.board/v1", "status": status, "lines": lines})
    else:
        sys.stdout.write("".join(f"{printable(line)}\n" for line in lines))
    return status


def judge(data: bytes, name: str, optional: list[str]) -> tuple[int, list[str]]:
    """Return the exit status and what there is to say of a board.

    Raises:
        RefusedError: It is no JSON, or has no panel.

    """
    board = parse_bytes(data, name)
    found = list(panels(board))
    if not found:
        raise RefusedError(f"{name}: there is no panel in it")
    lacking = [
        f"{panel.get('title') or f'panel {number}'}: {fault}"
        for number, panel in enumerate(found, 1)
        for fault in faults(panel)
    ]
    if lacking:
        return 2, lacking
    missing = [metric for metric in optional if not mentions(found, metric)]
    lines = [f"ok: {len(found)} panels"]
    lines += [f"optional: {metric} is on no panel" for metric in missing]
    return (1 if missing else 0), lines


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            data = file.read(_MOST_BYTES + 1)
    except OSError as error:
        name = os.path.basename(path)
        raise MachineError(f"{name}: cannot be read: {error.strerror}") from None
    if len(data) > _MOST_BYTES:
        raise RefusedError(f"{os.path.basename(path)}: larger than 16 MiB")
    return data


def self_test() -> int:
    """Check a whole board, one with gaps, one without an optional metric, and none."""
    from hpp.core.portable.selftest import Checks

    checks = Checks(closing=True)
    whole = b'{"panels": [{"title": "a", "unit": "s", "threshold": 1}]}'
    nested = (
        b'{"rows": [{"panels": [{"title": "a", "fieldConfig": {"defaults": {"unit": "s",'
        b' "thresholds": {"steps": [{"value": null}]}}}}]}]}'
    )
    checks.equal("a whole one", judge(whole, "b", [])[0], 0)
    checks.equal("without an optional metric", judge(whole, "b", ["queue"])[0], 1)
    checks.equal("a step without a value", judge(nested, "b", [])[1], ["a: no threshold"])
    checks.raises("no panel", RefusedError, lambda: judge(b"{}", "b", []))
    checks.raises("no JSON", RefusedError, lambda: judge(b"{", "b", []))
    return checks.finish()


if __name__ == "__main__":
    raise SystemExit(main())
