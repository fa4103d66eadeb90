#!/usr/bin/env python3
"""Run the levels of checks that the profile declares, from the cheapest to the dearest."""

from __future__ import annotations

import os
import sys

if sys.pycache_prefix is None:
    sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "_vendor"), ROOT]

from _lib.ladder import judge, read_ladder
from _lib.measure import checked_seconds, measure
from _lib.script import answer, project_parser, root_of, run, said_by
from _lib.setting import read_setting

from hpp.core.errors import RefusedError
from hpp.core.strictjson import parse_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from hpp.core.portable.selftest import Checks, Project

_TIMEOUT_S = 1800.0

PARSER = project_parser("verify_ladder.py", __doc__)
PARSER.add_argument(
    "--level", metavar="NAME", action="append", default=[], help="run this level; repeatable"
)
PARSER.add_argument("--timeout", metavar="S", type=float, default=_TIMEOUT_S, help="for each one")


def main(options: argparse.Namespace) -> int:
    """Run the levels and return 0 when the ladder passes."""
    root = root_of(options)
    timeout_s = checked_seconds(options.timeout, "--timeout")
    ladder = read_ladder(read_setting(root))
    for level in options.level:
        if level not in ladder.commands:
            raise RefusedError(
                f"--level: no level {level!r}; there are {', '.join(ladder.commands)}"
            )
    results = {
        level: measure(command, root, timeout_s)
        for level, command in ladder.commands.items()
        if command is not None and (not options.level or level in options.level)
    }
    report = judge(ladder, results, options.level)
    lines = [f"{each['status']:8} {each['level']}" for each in report["results"]]
    verdict = "PASS" if report["passed"] else "FAIL"
    closing = f"{verdict}: {report['score']} of {report['total']} levels passed"
    answer(options, report, [*lines, *report["reasons"], closing])
    return 0 if report["passed"] else 1


def self_test(checks: Checks, project: Project) -> None:
    """Check verdicts beside ones that differ in a single thing."""
    yes, no = f"'{sys.executable}' -c pass", f"'{sys.executable}' -c 'raise SystemExit(1)'"

    def ladder(text: str, *words: str) -> int:
        project.write("operator-profile.yaml", text)
        return said_by(PARSER, main, *words)[0]

    both = f'verification:\n  ladder: {{lint: "{yes}", test: "{no}"}}\n'
    checks.equal("one of two passed", ladder(both), 0)
    checks.equal("the failed one is required", ladder(f"{both}  ladder_required: [test]\n"), 1)
    checks.equal("a required level without a command", ladder(f"{both}  ladder_required: [x]\n"), 1)
    checks.equal("two have to pass", ladder(f"{both}  ladder_min_score: 2\n"), 1)
    checks.equal("a part never passes", ladder(both, "--level", "lint"), 1)
    checks.equal("an unknown level is refused", ladder(both, "--level", "none"), 2)
    checks.equal("no ladder is refused", ladder("verification: {}\n"), 2)
    low = f'verification:\n  ladder: {{lint: "{no}"}}\n  ladder_min_score: 0\n'
    checks.equal("nothing required, and nothing asked to pass", ladder(low), 0)
    said = parse_text(said_by(PARSER, main, "--json")[1], "report", root=dict)
    keys = [
        "min_score",
        "passed",
        "reasons",
        "required",
        "required_failed",
        "results",
        "score",
        "total",
    ]
    checks.equal("the report's keys", sorted(said), keys)
    states = [each["status"] for each in said["results"]][:2]
    checks.equal("levels without a command are skipped", states, ["FAIL", "SKIPPED"])


if __name__ == "__main__":
    raise SystemExit(run(PARSER, main, self_test))
