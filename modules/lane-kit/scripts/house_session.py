#!/usr/bin/env python3
"""Seat models of several families on this machine, each where it can only speak."""

from __future__ import annotations

import os
import sys

if sys.pycache_prefix is None:
    sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "_vendor"), ROOT]

from _lib.families import family_of
from _lib.program import find_program

from hpp.core.portable.scriptcli import make_parser, run_script, write_report

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from hpp.core.portable.scriptcli import Parser
    from hpp.core.portable.selftest import Checks

__all__ = ["main"]

_PROGRAMS = ("claude", "codex", "gemini")
_FEWEST = 2


def _families(args: argparse.Namespace) -> int:
    project = args.project_dir or os.environ.get("CLAUDE_PROJECT_DIR") or os.getcwd()
    found = {family_of(name) or name: name for name in _PROGRAMS if find_program(name, project)}
    own = family_of(args.maker) if args.maker else None
    is_enough = len(found) >= _FEWEST
    write_report(
        {
            "status": "ok" if is_enough else "DEFERRED",
            "families": sorted(found),
            "programs": found,
            "maker_family": own,
            "independent": sorted(family for family in found if family != own),
        }
    )
    if is_enough:
        return 0
    return 2 if args.require else 1


def _seat(args: argparse.Namespace) -> int:
    from _lib.seat import seat

    write_report(seat(args, args.command))
    return 0


def _parser() -> Parser:
    parser = make_parser("house_session", "Seat models of several families.", json=False)
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    families = verbs.add_parser("families", help="list the families that can be seated here")
    families.add_argument("--maker", metavar="PROVIDER", help="who made what is judged")
    families.add_argument("--require", action="store_true", help="leave with 2 when below two")
    families.add_argument("--project-dir", metavar="DIR")
    seat = verbs.add_parser("seat", help="let one seat speak", allow_abbrev=False)
    for name in ("--panel", "--seat", "--out"):
        seat.add_argument(name, required=True)
    seat.add_argument("--round", required=True, type=int, metavar="R")
    seat.add_argument("--seen", nargs="*", metavar="HASH", help="turns that the seat was shown")
    seat.add_argument("--root", metavar="DIR", help="the seat's worktree")
    seat.add_argument("--subject", metavar="FILE", help="what findings are about")
    seat.add_argument("--timeout", type=float, default=600.0, metavar="S")
    seat.add_argument("--worktree-of-maker", metavar="DIR")
    return parser


def _run(args: argparse.Namespace) -> int:
    return _families(args) if args.verb == "families" else _seat(args)


def _self_test(checks: Checks, folder: str) -> None:
    import shutil

    from _lib.fingerprint import changed, fingerprint
    from _lib.lanestest import run_quietly

    os.environ["PATH"], path = "", os.environ.get("PATH", "")
    checks.equal("nobody can be seated", run_quietly(main, "families")[0], 1)
    checks.equal("and somebody has to be", run_quietly(main, "families", "--require")[0], 2)
    os.environ["PATH"] = path
    checks.equal("a seat without a panel", run_quietly(main, "seat", "--seat", "a")[0], 3)
    git = shutil.which("git")
    if git is None:
        checks.skip("the fingerprint", "git is not installed")
        return
    from hpp.core.git import git as call

    call(["init", "-q"], cwd=folder)
    _write(os.path.join(folder, ".gitignore"), "*.log\n")
    before = fingerprint(folder)
    checks.equal("nothing changed", changed(before, fingerprint(folder)), [])
    _write(os.path.join(folder, "new.txt"), "x")
    touched = changed(before, fingerprint(folder))
    checks.check("a new file is named", "new.txt" in touched)
    os.unlink(os.path.join(folder, "new.txt"))
    _write(os.path.join(folder, "a.log"), "x")
    checks.equal("an ignored one as well", changed(before, fingerprint(folder)), ["a.log"])
    os.unlink(os.path.join(folder, "a.log"))
    _write(os.path.join(folder, ".git", "hooks", "pre-commit"), "x")
    checks.equal(
        "and a hook of git", changed(before, fingerprint(folder)), [".git/hooks/pre-commit"]
    )


def _write(path: str, text: str) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8", newline="\n") as stream:
        stream.write(text)


def self_test() -> int:
    """Check families and fingerprint in a project of their own."""
    from _lib.selfcheck import check_itself

    return check_itself(_self_test)


def main(words: list[str] | None = None) -> int:
    """Answer one command line and return its status."""
    given = sys.argv[1:] if words is None else list(words)
    place = given.index("--") if "--" in given else len(given)

    def run(args: argparse.Namespace) -> int:
        args.command = given[place + 1 :]
        return _run(args)

    return run_script(_parser(), run, given[:place], self_test)


if __name__ == "__main__":
    raise SystemExit(main())
