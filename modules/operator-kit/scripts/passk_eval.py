#!/usr/bin/env python3
"""Run a suite k times: can the subject do it at all, and does it do it every time."""

from __future__ import annotations

import os
import sys

if sys.pycache_prefix is None:
    sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "_vendor"), ROOT]

from _lib.passk import GATES, evaluate, judge, read_subjects
from _lib.script import answer, project_parser, root_of, run, said_by

from hpp.core.errors import RefusedError, UsageError
from hpp.core.strictjson import parse_text
from hpp.core.threshold import parse_share

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from hpp.core.portable.selftest import Checks, Project

_MOST_RUNS = 1000

PARSER = project_parser("passk_eval.py", __doc__)
PARSER.add_argument("--suite", metavar="FILE", help="the suite, JSON; - is standard input")
PARSER.add_argument("-k", metavar="N", type=int, default=3, help="runs of each case (default 3)")
PARSER.add_argument("--gate", choices=GATES, default="capability", help="what has to hold")
PARSER.add_argument(
    "--passk-threshold", metavar="SHARE", default="0.90", help="of capability (default 0.90)"
)


def main(options: argparse.Namespace) -> int:
    """Run the suite and return 0 when its gate passes."""
    if options.suite is None:
        raise UsageError("--suite FILE is needed")
    if not 1 <= options.k <= _MOST_RUNS:
        raise RefusedError(f"-k: expected 1 to {_MOST_RUNS}, got {options.k}")
    threshold = parse_share("--passk-threshold", options.passk_threshold)
    identity, subjects = read_subjects(options.suite)
    cases = evaluate(subjects, options.k, root_of(options))
    verdict = judge(cases, options.gate, threshold)
    report = {**identity, "k": options.k, "cases": cases, **verdict}
    lines = [f"{_mark(case)} {case['id']}: {', '.join(case['reasons'])}" for case in cases]
    able, steady = (sum(case[key] for case in cases) for key in ("pass_at_k", "pass_caret_k"))
    lines.append(f"pass@{options.k}: {able} of {len(cases)}; pass^{options.k}: {steady}")
    closing = f"{'passed' if verdict['passed'] else 'FAILED'}: gate {options.gate}"
    answer(options, report, [*lines, closing])
    return 0 if verdict["passed"] else 1


def _mark(case: dict[str, object]) -> str:
    if case["instrument_failures"]:
        return "instrument"
    return "ok" if case["pass_caret_k"] else "flaky" if case["pass_at_k"] else "failed"


def self_test(checks: Checks, project: Project) -> None:
    """Check each gate beside a suite that it lets through."""
    flaky = '{"id": "f", "runner": "replay", "outcomes": [true, false, true]}'
    sure = f'{{"id": "c", "runner": "command", "command": ["{_shown()}", "-c", "print(7)"]'

    def gate(cases: str, *words: str) -> tuple[int, str]:
        project.write("suite.json", f'{{"suite": "s", "version": "1", "cases": [{cases}]}}')
        return said_by(PARSER, main, "--suite", "suite.json", *words)

    checks.equal("a flaky case is able", gate(flaky)[0], 0)
    checks.equal("and not steady", gate(flaky, "--gate", "regression")[0], 1)
    checks.equal("the pair of both fails", gate(flaky, "--gate", "both")[0], 1)
    checks.equal("a sure command passes both", gate(f"{sure}}}", "--gate", "both")[0], 0)
    checks.equal("its text is looked at", gate(f'{sure}, "expect_stdout_contains": "8"}}')[0], 1)
    checks.equal("and its status", gate(f'{sure}, "expect_exit": 1}}')[0], 1)
    nowhere = '{"id": "n", "runner": "command", "command": ["./no-such-program"]}'
    status, said = gate(f"{sure}}}, {nowhere}", "--json", "--passk-threshold", "0.5")
    checks.equal("what cannot start fails the gate", status, 1)
    report = parse_text(said, "report", root=dict)
    checks.equal("though the share is reached", report["capability_ok"], True)  # noqa: FBT003 -- the value
    checks.equal("a suite without cases is refused", gate("")[0], 2)
    checks.equal("no suite is a wrong call", said_by(PARSER, main)[0], 3)


def _shown() -> str:
    return sys.executable.replace("\\", "\\\\")


if __name__ == "__main__":
    raise SystemExit(run(PARSER, main, self_test))
