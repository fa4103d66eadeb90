#!/usr/bin/env python3
"""Write one page that shows the lanes of a project, when it is asked for."""

from __future__ import annotations

import os
import sys

if sys.pycache_prefix is None:
    sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "_vendor"), ROOT]

from _lib.pagefile import HTML_MARK, html_text, put_page
from _lib.workplace import open_workplace

from hpp.core.portable.scriptcli import make_parser, run_script

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from hpp.core.portable.scriptcli import Parser
    from hpp.core.portable.selftest import Checks

__all__ = ["main"]


def _parser() -> Parser:
    parser = make_parser("lane_dashboard", "One page about the lanes of a project.", json=False)
    parser.add_argument("--project-dir", metavar="DIR")
    parser.add_argument("--out", required=True, metavar="FILE")
    parser.add_argument("--now", type=int, metavar="N", help="Unix seconds")
    parser.add_argument("--apply", action="store_true", help="write it, not only say it")
    return parser


def _run(args: argparse.Namespace) -> int:
    work = open_workplace(args, "lane_dashboard")
    text, is_sound = html_text(work)
    if args.apply:
        put_page(args.out, text, HTML_MARK)
    size = len(text.encode("utf-8", "backslashreplace"))
    said = "wrote" if args.apply else "would write"
    sys.stdout.write(f"{said} {args.out}: {size} bytes\n")
    if not is_sound:
        sys.stderr.write("lane_dashboard: a source is corrupt; the page says which\n")
    return 0 if is_sound else 1


def _self_test(checks: Checks, folder: str) -> None:
    from _lib.boardmain import main as board
    from _lib.lanestest import run_quietly

    def run(*words: str) -> int:
        return run_quietly(main, "--out", "d.html", *words)[0]

    who = ("--lane", "a", "--model", "gpt-5")
    evil = "<script>x</script> {{body}}"
    run_quietly(board, "claim", "i", *who)
    run_quietly(board, "build", "i", *who)
    run_quietly(board, "checkpoint", "i", *who, "--evidence", evil)
    checks.equal("a plan", run(), 0)
    checks.check("writes nothing", not os.path.exists("d.html"))
    checks.equal("it is written", run("--apply"), 0)
    with open("d.html", encoding="utf-8") as stream:
        text = stream.read()
    checks.check("text is shown escaped", "&lt;script&gt;x" in text and "<script" not in text)
    checks.check("nothing is fetched", "http:" not in text and "https:" not in text)
    with open("d.html", "w", encoding="utf-8") as stream:
        stream.write("mine")
    checks.equal("a foreign file stays", run("--apply"), 2)
    os.unlink("d.html")
    with open(os.path.join(folder, ".claude", "lanes", "board.jsonl"), "ab") as file:
        file.write(b"?\n")
    checks.equal("a corrupt board is told", run("--apply"), 1)
    with open("d.html", encoding="utf-8") as stream:
        checks.check("on the page", "CORRUPT" in stream.read())


def self_test() -> int:
    """Check the page in a project of its own."""
    from _lib.selfcheck import check_itself

    return check_itself(_self_test)


def main(words: list[str] | None = None) -> int:
    """Answer one command line and return its status."""
    return run_script(_parser(), _run, words, self_test)


if __name__ == "__main__":
    raise SystemExit(main())
