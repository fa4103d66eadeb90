#!/usr/bin/env python3
"""Look into the memory of failures, seed it, and take out of it."""

from __future__ import annotations

import os
import sys

if sys.pycache_prefix is None:
    sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "_vendor"), ROOT]

import argparse
import math
import time

from _lib.verb import VERBS

from hpp.core.portable.scriptcli import Parser, make_parser, run_script

_LATEST = 1e11


def main() -> int:
    """Answer the command line and return the exit status."""
    return run_script(_parser(), _run, self_test=self_test)


def _run(words: argparse.Namespace) -> int:
    if words.now is None:
        words.now = time.time()
    return VERBS[words.verb](words)


def _parser() -> Parser:
    parser = make_parser("gotchas.py", "Look into the memory of failures.")
    parser.add_argument("--store", metavar="DIR", help="folder of the memory")
    parser.add_argument("--now", type=_seconds, metavar="N", help="Unix seconds to take as now")
    shared = Parser(add_help=False)
    shared.add_argument("--store", metavar="DIR", default=argparse.SUPPRESS)
    shared.add_argument("--now", type=_seconds, metavar="N", default=argparse.SUPPRESS)
    shared.add_argument("--json", action="store_true", default=argparse.SUPPRESS)
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)

    def verb(name: str, summary: str) -> argparse.ArgumentParser:
        return verbs.add_parser(name, help=summary, description=summary, parents=[shared])

    everything = verb("list", "what recurs now, and the rules")
    everything.add_argument("--all", action="store_true", help="what failed too rarely as well")
    verb("show", "the records behind a lesson").add_argument("key", metavar="KEY")
    preamble = verb("preamble", "what the model would be told before a task")
    preamble.add_argument("--task", required=True, metavar="T", help="the agent's words for it")
    preamble.add_argument("--command", metavar="C", help="the command")
    _writer(verb("seed", "add rules from a file")).add_argument("file", metavar="FILE")
    add = _writer(verb("add", "add one rule"))
    add.add_argument("--key", required=True, metavar="K")
    add.add_argument("--prevention", required=True, metavar="P")
    add.add_argument("--severity", type=int, metavar="N", help="0 to 100; 90 when absent")
    forget = _writer(verb("forget", "remove a rule, or archive the failures of a key"))
    forget.add_argument("--key", required=True, metavar="K")
    classify = verb("classify", "family and strategy of the text on standard input")
    classify.add_argument("--exit", type=int, metavar="N", help="exit code of the command")
    verb("redact", "standard input without secrets")
    export = verb("export-unknown", "a suite of unknown failures, for a person to label")
    export.add_argument("out", metavar="OUT", help="a file that is not there yet")
    _writer(verb("adopt", "accept a memory that came with the repository"))
    verb("doctor", "ownership, bad lines, sizes")
    verb("demo", "the whole loop in a temporary folder")
    return parser


def _writer(verb: argparse.ArgumentParser) -> argparse.ArgumentParser:
    verb.add_argument("--apply", action="store_true", help="write it; without, it is a plan")
    return verb


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value <= _LATEST:
        raise argparse.ArgumentTypeError("expected Unix seconds")
    return value


def self_test() -> int:
    """Check every verb in a project of its own."""
    from _lib.scripttrial import check_script

    from hpp.core.portable.selftest import Checks, Project

    checks = Checks(closing=True)
    with Project() as project:
        check_script(checks, project, lambda words: run_script(_parser(), _run, words))
    return checks.finish()


if __name__ == "__main__":
    raise SystemExit(main())
