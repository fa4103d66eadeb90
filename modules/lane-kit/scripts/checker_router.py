#!/usr/bin/env python3
"""Which checker is independent of a maker, among the programs that are here."""

from __future__ import annotations

import os
import sys

if sys.pycache_prefix is None:
    sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "_vendor"), ROOT]

from _lib.families import family_of
from _lib.program import find_program

from hpp.core.errors import UsageError
from hpp.core.portable.scriptcli import make_parser, run_script, write_report

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from hpp.core.portable.scriptcli import Parser
    from hpp.core.portable.selftest import Checks

__all__ = ["PROVIDERS", "choose", "main"]

PROVIDERS = {
    "codex": (("codex",), "gpt"),
    "gemini": (("gemini",), "gemini"),
    "claude": (("claude",), "claude"),
    "cursor": (("cursor-agent", "agent"), None),
}
_ORDER = ("codex", "gemini", "claude", "cursor")


def choose(
    maker: str, maker_model: str, order: list[str], models: dict[str, str], project: str
) -> dict[str, Any]:
    """Return the first checker whose family is known and is not the maker's.

    Args:
        maker: A provider.
        maker_model: Its model, or an empty text.
        order: Providers to look at.
        models: Declared models by provider, for one that serves several vendors.
        project: Programs below it do not count.

    """
    own = family_of(maker_model) if maker_model else PROVIDERS[maker][1]
    found: dict[str, str] = {}
    skipped: list[dict[str, str]] = []
    chosen = family = None
    for name in order:
        programs, served = PROVIDERS[name]
        path = next(filter(None, (find_program(each, project) for each in programs)), None)
        declared = models.get(name)
        theirs = family_of(declared) if declared else served
        why = ""
        if path is None:
            why = "no such program"
        elif own is None:
            why = "the maker's family is unknown"
        elif theirs is None:
            why = "no declared model of a known family"
        elif theirs == own:
            why = "the maker's own family"
        if path is not None:
            found[name] = path
        if why:
            skipped.append({"name": name, "why": why})
        elif chosen is None:
            chosen, family = name, theirs
    return {
        "status": "ok" if chosen else "none",
        "maker": maker,
        "maker_family": own,
        "checker": chosen,
        "family": family,
        "command": os.path.basename(found[chosen]) if chosen else None,
        "available": sorted(found),
        "skipped": skipped,
    }


def _parser() -> Parser:
    parser = make_parser("checker_router", "Which checker is independent of a maker.")
    parser.add_argument("--maker", required=True, metavar="PROVIDER")
    parser.add_argument("--maker-model", default="", metavar="MODEL")
    parser.add_argument("--prefer", default=",".join(_ORDER), metavar="A,B,C")
    parser.add_argument("--model", action="append", default=[], metavar="PROVIDER=MODEL",
                        help="what a provider of several vendors serves")  # fmt: skip
    parser.add_argument("--require", action="store_true", help="leave with 2 when there is none")
    parser.add_argument("--project-dir", default=None, metavar="DIR")
    return parser


def _run(args: argparse.Namespace) -> int:
    order = [name.strip() for name in args.prefer.split(",") if name.strip()]
    models = dict(each.partition("=")[::2] for each in args.model)
    for name in (args.maker, *order, *models):
        if name not in PROVIDERS:
            raise UsageError(f"{name}: expected one of {', '.join(_ORDER)}")
    if not order:
        raise UsageError("--prefer: expected at least one provider")
    project = args.project_dir or os.environ.get("CLAUDE_PROJECT_DIR") or os.getcwd()
    made = choose(args.maker, args.maker_model, order, models, project)
    if args.json:
        write_report(made)
    elif made["checker"]:
        sys.stdout.write(f"{made['checker']} ({made['family']}): {made['command']}\n")
    else:
        sys.stdout.write("none\n")
        for each in made["skipped"]:
            sys.stderr.write(f"checker_router: {each['name']}: {each['why']}\n")
    return 0 if made["checker"] else 2 if args.require else 1


def _self_test(checks: Checks, folder: str) -> None:
    from _lib.lanestest import run_quietly

    def run(*words: str) -> int:
        return run_quietly(main, *words)[0]

    outside = os.path.join(os.path.dirname(folder), "bin")
    inside = os.path.join(folder, "bin")
    for place in (outside, inside):
        os.mkdir(place)
        path = os.path.join(place, "codex.exe" if os.name == "nt" else "codex")
        with open(path, "wb") as stream:
            stream.write(b"")
        os.chmod(path, 0o700)
    os.environ["PATH"] = ""
    checks.equal("nobody is there", run("--maker", "claude"), 1)
    checks.equal("and somebody has to be", run("--maker", "claude", "--require"), 2)
    os.environ["PATH"] = inside
    checks.equal("a program of the project does not count", run("--maker", "claude"), 1)
    os.environ["PATH"] = "bin"
    checks.equal("nor one of a relative folder", run("--maker", "claude"), 1)
    os.environ["PATH"] = outside
    checks.equal("another family checks", run("--maker", "claude", "--require"), 0)
    checks.equal("the same family does not", run("--maker", "codex"), 1)
    checks.equal("nor for a maker of no family", run("--maker", "cursor"), 1)
    checks.equal("an unknown provider", run("--maker", "acme"), 3)
    checks.equal("an empty order", run("--maker", "claude", "--prefer", ","), 3)


def self_test() -> int:
    """Check the choice with programs of our own."""
    from _lib.selfcheck import check_itself

    return check_itself(_self_test)


def main(words: list[str] | None = None) -> int:
    """Answer one command line and return its status."""
    return run_script(_parser(), _run, words, self_test)


if __name__ == "__main__":
    raise SystemExit(main())
