#!/usr/bin/env python3
"""Hold a plan's deliverables against what is on disk."""

from __future__ import annotations

import os
import sys

if sys.pycache_prefix is None:
    sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "_vendor"), ROOT]

from _lib.document import read_text
from _lib.plan import items, looked_up
from _lib.script import answer, project_parser, root_of, run, said_by

from hpp.core.errors import RefusedError, UsageError
from hpp.core.portable.gitproc import GitError, decode, git
from hpp.core.strictjson import parse_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from hpp.core.portable.selftest import Checks, Project

_GIT_S = 20.0

PARSER = project_parser("audit_plan.py", __doc__)
PARSER.add_argument("plan", metavar="PLAN", nargs="?", help="the plan, Markdown")
PARSER.add_argument("--repo", metavar="DIR", help="the repository (default: the project)")
PARSER.add_argument("--no-git", action="store_true", help="do not look into the history")
PARSER.add_argument("--strict", action="store_true", help="leave with 1 on a contradiction")


def main(options: argparse.Namespace) -> int:
    """Look every deliverable up; with --strict a ticked one that is absent is 1."""
    if options.plan is None:
        raise UsageError("PLAN is needed")
    root = root_of(options)
    if options.repo is not None:
        if not os.path.isdir(options.repo):
            raise RefusedError(f"--repo: {options.repo}: not a folder")
        root = os.path.abspath(options.repo)
    plan = items(read_text(options.plan, options.plan))
    log = "" if options.no_git else _log(root)
    found = [looked_up(item, root, log) for item in plan]
    contradictions = sum(each["contradiction"] for each in found)
    lines = [f"{each['status']:13} line {each['line']}: {each['text']}" for each in found]
    lines += [f"contradiction: line {each['line']} is ticked, and {', '.join(each['missing'])} "
              "is not there" for each in found if each["contradiction"]]  # fmt: skip
    closing = f"{len(found)} deliverables, {contradictions} contradictions"
    answer(options, {"items": found, "contradictions": contradictions}, [*lines, closing])
    return 1 if options.strict and contradictions else 0


def _log(root: str) -> str:
    """Return subjects and paths of the history; empty where there is none."""
    import time

    words = ["log", "--max-count=2000", "--name-only", "--format=%s"]
    try:
        return decode(git(root, words, time.monotonic() + _GIT_S))
    except GitError:
        return ""


def self_test(checks: Checks, project: Project) -> None:
    """Check each status of a deliverable."""
    project.write("src/a.py", "")
    project.write("other/b.py", "")
    plan = project.write("plan.md", "- [x] write `src/a.py`\n- [x] write `src/b.py`\n- [ ] think\n")
    statuses = ["present", "absent", "not-checkable"]
    said = parse_text(said_by(PARSER, main, plan, "--no-git", "--json")[1], "said", root=dict)
    checks.equal("its own path and no other", [each["status"] for each in said["items"]], statuses)
    checks.equal("a ticked box without its file", said["contradictions"], 1)
    checks.equal("is 1 when asked to be strict", said_by(PARSER, main, plan, "--strict")[0], 1)
    checks.equal("and 0 otherwise", said_by(PARSER, main, plan)[0], 0)
    project.write("plan.md", "Deliverable: `src/*.py`\n\n```\n- [x] `no/such.py`\n```\n")
    said = parse_text(said_by(PARSER, main, plan, "--no-git", "--json")[1], "said", root=dict)
    checks.equal("a glob", [each["status"] for each in said["items"]], ["present"])
    checks.equal("a plan that is not there", said_by(PARSER, main, "none.md")[0], 2)
    checks.equal("no plan is a wrong call", said_by(PARSER, main)[0], 3)


if __name__ == "__main__":
    raise SystemExit(run(PARSER, main, self_test))
