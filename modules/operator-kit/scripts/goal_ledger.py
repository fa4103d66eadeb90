#!/usr/bin/env python3
"""Keep the table of goals: what is next, what is done, and on what that rests."""

from __future__ import annotations

import os
import sys

if sys.pycache_prefix is None:
    sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "_vendor"), ROOT]

from _lib.goals import DEFAULT, Ledger, kind_of_status, parse
from _lib.script import SaysNoError, add_verb, answer, project_parser, root_of, run
from _lib.setting import Setting, read_setting
from _lib.table import checked_cell
from _lib.trial_goals import check_goals

from hpp.core.errors import RefusedError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from hpp.core.portable.selftest import Checks, Project

LEVELS = ("R0", "R1", "R2", "R3", "R4")

PARSER = project_parser("goal_ledger.py", __doc__)
_VERBS = PARSER.add_subparsers(dest="verb", metavar="VERB")
add_verb(_VERBS, "list", "print every goal")
add_verb(_VERBS, "next", "print the goal to go on with")
_SHOW = add_verb(_VERBS, "show", "print one goal")
_SET = add_verb(_VERBS, "set", "change the status of a goal")
_READY = add_verb(_VERBS, "readiness", "change the readiness of a goal")
for _verb in (_SHOW, _SET, _READY):
    _verb.add_argument("id", metavar="ID")
_SET.add_argument("status", metavar="STATUS", help="begins with a word for its kind: done")
_SET.add_argument("--evidence", metavar="TEXT", default="", help="what it rests on")
_READY.add_argument("level", metavar="R0..R4", choices=LEVELS)
_READY.add_argument("--evidence", metavar="PATH", default="", help="log, record or review")
_READY.add_argument("--approved-by", metavar="NAME", help="the person, for R4")


def main(options: argparse.Namespace) -> int:
    """Answer one verb."""
    if options.verb is None:
        raise UsageError("a verb is needed: list, next, show, set, readiness")
    setting = read_setting(root_of(options))
    path = setting.path("goal_ledger", DEFAULT)
    name = setting.shown_path(path)
    if options.verb in ("set", "readiness"):
        return _change(options, setting, path, name)
    from _lib.document import read_text

    ledger = parse(read_text(path, name), name)
    if options.verb == "list":
        goals = [goal.document() for goal in ledger.goals]
        answer(options, {"goals": goals}, [goal.line() for goal in ledger.goals])
        return 0
    goal = ledger.following() if options.verb == "next" else ledger.find(options.id)
    if goal is None:
        what = "no goal that may proceed" if options.verb == "next" else f"no goal {options.id!r}"
        raise SaysNoError(f"{name}: {what}")
    answer(options, {"goal": goal.document()}, [goal.line()])
    return 0


def _change(options: argparse.Namespace, setting: Setting, path: str, name: str) -> int:
    from _lib.document import change

    told: list[str] = []

    def make(text: str) -> str:
        ledger = parse(text, name)
        column, cell = _cell(options, ledger, setting.root)
        goal = ledger.find(options.id)
        if goal is None:  # `_cell` has said so
            return text
        told.append(f"{goal.id}: {column}: {goal.cells.get(column, '')!r} -> {cell!r}")
        return ledger.changed(goal, column, cell)

    change(setting.root, path, name, make)
    answer(options, {"changed": told}, told)
    return 0


def _cell(options: argparse.Namespace, ledger: Ledger, root: str) -> tuple[str, str]:
    evidence = checked_cell(options.evidence, "--evidence")
    goal = ledger.find(options.id)
    if goal is None:
        raise SaysNoError(f"{ledger.name}: no goal {options.id!r}")
    if options.verb == "set":
        status = checked_cell(options.status, "STATUS")
        if kind_of_status(status) is None:
            kinds = "done, in-progress, blocked or pending"
            raise RefusedError(f"STATUS: {status!r}: begin with {kinds}")
        return "status", f"{status} ({evidence})" if evidence else status
    from _lib.readiness import refusal

    level = LEVELS.index(options.level)
    why = refusal(goal, level, evidence, options.approved_by, root)
    if why is not None:
        raise SaysNoError(f"{goal.id}: {options.level} refused: {why}")
    if level < goal.level:
        return "readiness", f"{options.level} (lowered from R{goal.level}: {evidence})"
    said = [evidence, f"approved by {options.approved_by}" if level == len(LEVELS) - 1 else ""]
    basis = checked_cell(", ".join(filter(None, said)), "--approved-by")
    return "readiness", f"{options.level} ({basis})" if basis else options.level


def self_test(checks: Checks, project: Project) -> None:
    """Check the ledger in a project of its own."""
    check_goals(checks, project, PARSER, main)


if __name__ == "__main__":
    raise SystemExit(run(PARSER, main, self_test))
