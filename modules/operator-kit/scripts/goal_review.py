#!/usr/bin/env python3
"""Run the acceptance criteria of a goal and leave a review that says how they came out."""

from __future__ import annotations

import os
import sys

if sys.pycache_prefix is None:
    sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "_vendor"), ROOT]

from _lib.commandtext import Declared, split
from _lib.document import create, read_text
from _lib.measure import checked_seconds, measure
from _lib.review import criteria_of, file_part, rendered, verdict_of
from _lib.script import answer, project_parser, root_of, run, said_by, utc
from _lib.setting import read_setting

from hpp.core.errors import RefusedError, UsageError
from hpp.core.portable.fsread import contain

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from hpp.core.portable.selftest import Checks, Project

_FOLDER = "docs/reviews"

PARSER = project_parser("goal_review.py", __doc__)
PARSER.add_argument("commands", metavar="CMD", nargs="*", help="a criterion, one argument each")
PARSER.add_argument("--prd", metavar="FILE", help="the criteria of a document")
PARSER.add_argument("--goal", metavar="ID", help="the goal; without others, its PRD's criteria")
PARSER.add_argument("--timeout", metavar="S", type=float, default=900.0, help="for each one")


def main(options: argparse.Namespace) -> int:
    """Run the criteria, write the review and return 0 when all of them passed."""
    if options.commands and options.prd:
        raise UsageError("expected commands or --prd, not both")
    root = root_of(options)
    timeout_s = checked_seconds(options.timeout, "--timeout")
    texts, source = _criteria(options, root)
    criteria = [Declared(text.strip(), split(text, source)) for text in texts]
    if not criteria:
        raise RefusedError(f"{source}: no criteria")
    goal = options.goal or file_part(os.path.splitext(os.path.basename(options.prd or "goal"))[0])
    name = f"{_FOLDER}/REVIEW-{file_part(goal)}-{utc('%Y%m%dT%H%M%SZ')}.md"
    place = contain(name, root)
    results = [measure(criterion, root, timeout_s) for criterion in criteria]
    text = rendered(goal, utc(), source, results)
    create(place, name, text)
    verdict = verdict_of(text)[1]
    report = {
        "goal": goal,
        "verdict": verdict,
        "review": name,
        "results": [each.document() for each in results],
    }
    answer(options, report, [*(each.line() for each in results), f"{verdict}: {name}"])
    return 0 if verdict == "PASS" else 1


def _criteria(options: argparse.Namespace, root: str) -> tuple[list[str], str]:
    if options.commands:
        return options.commands, "command line"
    if options.prd is not None:
        return criteria_of(read_text(options.prd, options.prd), options.prd), options.prd
    if options.goal is None:
        raise RefusedError("no criteria: name commands, --prd FILE or --goal ID")
    from _lib.goals import DEFAULT, parse

    path = read_setting(root).path("goal_ledger", DEFAULT)
    goal = parse(read_text(path, DEFAULT), os.path.basename(path)).find(options.goal)
    if goal is None:
        raise RefusedError(f"--goal: no goal {options.goal!r} in the ledger")
    prd = goal.cells.get("prd", "").strip("`")
    if not prd:
        raise RefusedError(f"--goal: {options.goal}: its row names no PRD")
    return criteria_of(read_text(contain(prd, root), prd), prd), prd


def self_test(checks: Checks, project: Project) -> None:
    """Check reviews of goals that are done and not done."""
    yes, no = f"'{sys.executable}' -c pass", f"'{sys.executable}' -c 'raise SystemExit(1)'"

    def review(*words: str) -> int:
        return said_by(PARSER, main, *words)[0]

    def prd(*lines: str) -> str:
        block = "\n".join(lines)
        text = f"# G\n\n```\n{no}\n```\n\n## Acceptance criteria\n\n```sh\n{block}\n```\n"
        return project.write("docs/g1.md", text)

    path = prd("# what is done", yes)
    checks.equal("the block below the heading", review("--prd", path, "--goal", "G1"), 0)
    (written,) = os.listdir("docs/reviews")
    said = verdict_of(read_text(os.path.join("docs/reviews", written), written))
    checks.equal("the review tells goal and verdict", said, ("G1", "PASS"))
    ledger = "| id | goal | PRD | status |\n|---|---|---|---|\n| G2 | x | docs/g1.md | open |\n"
    project.write("docs/plans/_GOAL-LEDGER.md", ledger)
    checks.equal("by the goal's PRD", review("--goal", "G2"), 0)
    checks.equal("an unknown goal", review("--goal", "G9"), 2)
    checks.equal("one that fails", review("--goal", "G3", yes, no), 1)
    checks.equal("a block with a comment alone", review("--prd", prd("# nothing")), 2)
    checks.equal("text for a shell", review("--goal", "G4", f"{yes} | cat"), 2)
    checks.equal("nothing to run", review(), 2)


if __name__ == "__main__":
    raise SystemExit(run(PARSER, main, self_test))
