"""The self-test of the ledger of goals: each refusal beside a call that goes through."""

from __future__ import annotations

import os

from _lib.script import said_by

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from hpp.core.portable.selftest import Checks, Project

__all__ = ["check_goals"]

_PATH = "docs/plans/_GOAL-LEDGER.md"
_TABLE = """\
# Goals

| # | Goal | Tier | PRD | Status | Readiness |
|---|---|---|---|---|---|
| G1 | Ship `a|b` | repo | docs/g1.md | done | R0 |
| G2 | Ask \\| wait | gate |  | not done |  |
| G3 | Build it | repo |  | pending |  |
"""
_RECORD = (
    '{"state": "DONE", "done": true, "partial": false, "declared": [], '
    '"results": [{"passed": true, "exit": 0}]}'
)


def check_goals(
    checks: Checks,
    project: Project,
    parser: argparse.ArgumentParser,
    main: Callable[[argparse.Namespace], int],
) -> None:
    """Add the checks of `goal_ledger.py`."""
    path = project.write(_PATH, _TABLE)

    def call(*words: str) -> int:
        return said_by(parser, main, *words)[0]

    def text() -> str:
        with open(path, encoding="utf-8", newline="") as file:
            return file.read()

    checks.equal("the first goal of the repository", said_by(parser, main, "next")[1][:2], "G3")
    checks.equal("an unknown id", call("show", "G9", "--json"), 1)
    checks.equal("a status", call("set", "G3", "in-progress"), 0)
    changed = _TABLE.replace("| pending |", "| in-progress |")
    checks.equal("one cell changed and nothing else", text(), changed)
    checks.equal("a word for no kind", call("set", "G3", "soon"), 2)
    checks.equal("a bar would end the cell", call("set", "G3", "done", "--evidence", "a|b"), 2)
    checks.equal("so would a line end", call("set", "G3", "done", "--evidence", "a\nb"), 2)
    checks.equal("an escaped bar does not", call("set", "G3", "done", "--evidence", "a\\|b"), 0)
    checks.equal("nothing is left to do", call("next"), 1)
    _check_levels(checks, project, call)
    project.write(_PATH, _TABLE.replace("| G2 |", "| G1 |"))
    checks.equal("an id that two rows have", call("show", "G1"), 2)
    project.write(_PATH, "# Goals\n")
    checks.equal("no table", call("list"), 2)


def _check_levels(checks: Checks, project: Project, call: Callable[..., int]) -> None:
    project.write("logs/test.log", "ok\n")
    project.write("record.json", _RECORD)
    project.write("failed.json", _RECORD.replace("DONE", "PARTIAL"))
    project.write("docs/REVIEW-G3.md", "# Review of G3\n\n- verdict: PASS\n- goal: G3\n")
    project.write("docs/REVIEW-G1.md", "# Review of G1\n\n- verdict: PASS\n- goal: G1\n")

    def ready(level: str, *words: str) -> int:
        return call("readiness", "G3", level, *words)

    checks.equal("two levels at once", ready("R2", "--evidence", "record.json"), 1)
    checks.equal("a log that is not there", ready("R1", "--evidence", "no.log"), 1)
    checks.equal("a path that climbs", ready("R1", "--evidence", "../x.log"), 2)
    checks.equal("a log", ready("R1", "--evidence", "logs/test.log"), 0)
    checks.equal("a record that is not done", ready("R2", "--evidence", "failed.json"), 1)
    checks.equal("a record", ready("R2", "--evidence", "record.json"), 0)
    checks.equal("a review of another", ready("R3", "--evidence", "docs/REVIEW-G1.md"), 1)
    checks.equal("a review", ready("R3", "--evidence", "docs/REVIEW-G3.md"), 0)
    checks.equal("nobody approved", ready("R4"), 1)
    os.environ["CLAUDECODE"] = "1"
    checks.equal("an agent approves nothing", ready("R4", "--approved-by", "Ada"), 1)
    del os.environ["CLAUDECODE"]
    checks.equal("a person does", ready("R4", "--approved-by", "Ada"), 0)
    checks.equal("a fall is written down", ready("R1", "--evidence", "the test broke"), 0)
