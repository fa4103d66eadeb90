#!/usr/bin/env python3
"""Run a check several times and tell whether it says the same every time."""

from __future__ import annotations

import os
import sys

if sys.pycache_prefix is None:
    sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "_vendor"), ROOT]

from _lib.commandtext import Declared, split
from _lib.determinism import judge, read_rules, repeat
from _lib.measure import checked_seconds
from _lib.script import answer, project_parser, root_of, run, said_by
from _lib.setting import read_setting

from hpp.core.errors import RefusedError, UsageError
from hpp.core.portable import profile_loader

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from hpp.core.portable.selftest import Checks, Project

_FEWEST, _MOST = 2, 50

PARSER = project_parser("determinism_harness.py", __doc__)
PARSER.add_argument("command", metavar="CMD", nargs="?", help="the check, in one argument")
PARSER.add_argument("--runs", metavar="N", type=int, help=f"{_FEWEST} to {_MOST} (default 5)")
PARSER.add_argument("--negative", metavar="CMD", help="a command that has to fail")
PARSER.add_argument(
    "--normalise", metavar="REGEX=TEXT", action="append", default=[], help="what may differ"
)
PARSER.add_argument("--timeout", metavar="S", type=float, default=600.0, help="for each run")


def main(options: argparse.Namespace) -> int:
    """Run the check and return 0 when it is stable and able to say no."""
    if options.command is None:
        raise UsageError("a command is needed")
    root = root_of(options)
    timeout_s = checked_seconds(options.timeout, "--timeout")
    times = _runs(options.runs, root)
    rules = read_rules(options.normalise)
    command = Declared(options.command, split(options.command, "CMD"))
    negative = None
    if options.negative is not None:
        negative = Declared(options.negative, split(options.negative, "--negative"))
    runs = repeat(command, times, rules, root, timeout_s)
    control = repeat(negative, 1, rules, root, timeout_s)[0] if negative is not None else None
    report = judge(runs, control)
    verdict = "PASS" if report["passed"] else "FAIL"
    closing = f"{verdict}: {report['distinct']} distinct output in {report['runs']} runs"
    answer(options, report, [*report["reasons"], closing])
    return 0 if report["passed"] else 1


def _runs(typed: int | None, root: str) -> int:
    if typed is None:
        values = read_setting(root).values
        key = "verification.determinism_runs"
        return profile_loader.integer(values, key, 5, _FEWEST, _MOST)
    if not _FEWEST <= typed <= _MOST:
        raise RefusedError(f"--runs: expected {_FEWEST} to {_MOST}, got {typed}")
    return typed


def self_test(checks: Checks, project: Project) -> None:
    """Check stable and unstable commands, and controls of each kind."""
    steady = f"'{sys.executable}' -c 'print(1)'"
    number = f"'{sys.executable}' -c 'import os; print(\"pid=\" + str(os.getpid()))'"
    failing = f"'{sys.executable}' -c 'raise SystemExit(1)'"

    def harness(*words: str) -> int:
        return said_by(PARSER, main, "--runs", "2", *words)[0]

    checks.equal("one output", harness(steady), 0)
    checks.equal("an output that changes", harness(number), 1)
    checks.equal("the same, declared to change", harness(number, "--normalise", "[0-9]+=N"), 0)
    checks.equal("a check that fails", harness(failing), 1)
    checks.equal("a control that fails", harness(steady, "--negative", failing), 0)
    checks.equal("a control that passes", harness(steady, "--negative", steady), 1)
    checks.equal("a control that cannot start", harness(steady, "--negative", "./nowhere"), 1)
    checks.equal("no regular expression", harness(steady, "--normalise", "(=x"), 2)
    checks.equal("one run proves nothing", said_by(PARSER, main, steady, "--runs", "1")[0], 2)
    project.write("operator-profile.yaml", "verification: {determinism_runs: 51}\n")
    checks.equal("the profile keeps the range", said_by(PARSER, main, steady)[0], 2)
    checks.equal("no command is a wrong call", said_by(PARSER, main)[0], 3)


if __name__ == "__main__":
    raise SystemExit(run(PARSER, main, self_test))
