#!/usr/bin/env python3
"""List the debts that comments own up to, and say which are due."""

from __future__ import annotations

import os
import sys

if sys.pycache_prefix is None:
    sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "_vendor"), ROOT]

import datetime as dt

from _lib.debt import Debt, debts, table
from _lib.inventory import files
from _lib.script import answer, project_parser, root_of, run, said_by, utc
from _lib.setting import read_setting

from hpp.core.errors import RefusedError
from hpp.core.portable.gitproc import GitError, git

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from hpp.core.portable.selftest import Checks, Project

_GIT_S = 20.0
_LARGEST = 2 * 1024 * 1024
_SKIPPED = frozenset({
    ".git", ".hg", ".svn", ".tox", ".nox", ".venv", "venv", "__pycache__", "node_modules", "vendor",
    "build", "dist", "target", ".mypy_cache", ".pytest_cache", ".ruff_cache",
})  # fmt: skip

PARSER = project_parser("debt_ledger.py", __doc__)
PARSER.add_argument("--apply", action="store_true", help="write the ledger of the profile")
PARSER.add_argument("--today", metavar="DATE", help="count from this day (default: today, UTC)")


def main(options: argparse.Namespace) -> int:
    """Print the ledger; 1 when a debt is malformed or past its date."""
    root = root_of(options)
    setting = read_setting(root)
    path = setting.path("debt_ledger", "TECH-DEBT-LEDGER.md")
    name = setting.shown_path(path)
    today = _today(options.today)
    found = [debt for file in sorted(_files(root)) if file != name
             for debt in debts(file, _text(os.path.join(root, file)), today)]  # fmt: skip
    if options.apply:
        from hpp.core.portable.fswrite import atomic_write

        os.makedirs(os.path.dirname(path), exist_ok=True)
        atomic_write(path, table(found).encode())
    wrong = [debt for debt in found if debt.why]
    notes = [f"{debt.state}: {debt.path}:{debt.line}: {debt.why}" for debt in wrong]
    report = {"debts": [debt.document() for debt in found], "wrong": len(wrong)}
    answer(options, report, [*table(found).splitlines(), *notes])
    return 1 if wrong else 0


def _today(text: str | None) -> dt.date:
    day = utc("%Y-%m-%d") if text is None else text
    try:
        # Newer Pythons read more forms than this one.
        return dt.date.fromisoformat(day if len(day) == len("YYYY-MM-DD") else "")
    except ValueError:
        raise RefusedError(f"--today: {text!r}: expected YYYY-MM-DD") from None


def _files(root: str) -> Iterator[str]:
    """Yield what git tracks, or every file but those of tools and builds without git."""
    import time

    try:
        listed = git(root, ["ls-files", "-z", "--cached"], time.monotonic() + _GIT_S)
    except GitError:
        return files(root, _SKIPPED)
    names = [os.fsdecode(name) for name in listed.split(b"\0") if name]
    return (name for name in names if not os.path.islink(os.path.join(root, name)))


def _text(path: str) -> str:
    try:
        with open(path, "rb") as file:
            data = file.read(_LARGEST + 1)
    except OSError:
        return ""
    return "" if len(data) > _LARGEST or b"\0" in data[:8192] else data.decode("utf-8", "replace")


def self_test(checks: Checks, project: Project) -> None:
    """Check debts of each state beside what is none."""
    day = dt.date(2030, 5, 1)

    def state(line: str) -> list[str]:
        return [debt.state for debt in debts("a", line, day)]

    checks.equal("a condition", state("# debt: more than 10 users, use a queue"), ["open"])
    checks.equal("a date to come", state("x = 1  // debt: 2030-05-01, drop it"), ["open"])
    checks.equal("a date that is past", state("-- debt: 2030-04-30, drop it"), ["past"])
    checks.equal("no such date", state("/* debt: 2030-02-30, drop it */"), ["malformed"])
    checks.equal("no upgrade", state("<!-- debt: 2031-01-01 -->"), ["malformed"])
    checks.equal("no comment", state("the debt: ceiling, raised"), [])
    checks.equal("an address", state("http://debt: a, b"), [])
    said = Debt("a", 1, "soon, x */ more", day)
    checks.equal("the end of a comment is none of it", said.upgrade, "x")
    project.write("src/a.c", "// debt: v2, rewrite\n")
    project.write("node_modules/b.js", "// debt: v2\n")
    checks.equal("a clean project", said_by(PARSER, main)[0], 0)
    project.write("src/b.py", "# debt: someday\n")
    checks.equal("a malformed debt", said_by(PARSER, main, "--apply")[0], 1)
    checks.check("the ledger is written", os.path.isfile("TECH-DEBT-LEDGER.md"))
    checks.equal("no such project", said_by(PARSER, main, "--project-dir", "no")[0], 2)


if __name__ == "__main__":
    raise SystemExit(run(PARSER, main, self_test))
