#!/usr/bin/env python3
"""Collect the steps that only a person can take, and what each of them unblocks."""

from __future__ import annotations

import os
import sys

if sys.pycache_prefix is None:
    sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "_vendor"), ROOT]

from _lib.document import change, create, read_text
from _lib.gatesheet import DEFAULT, HEADER, lines_of, parse, safe_text
from _lib.script import SaysNoError, add_verb, answer, project_parser, root_of, run, said_by, utc
from _lib.setting import Setting, read_setting

from hpp.core.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from hpp.core.portable.selftest import Checks, Project

_FIELDS = ("gate", "reason", "command", "unblocks")

PARSER = project_parser("gate_sheet.py", __doc__)
_VERBS = PARSER.add_subparsers(dest="verb", metavar="VERB")
add_verb(_VERBS, "list", "print every gate")
add_verb(_VERBS, "check", "leave with 1 while a gate is open")
_ADD = add_verb(_VERBS, "add", "write a gate down")
for _field in _FIELDS:
    _ADD.add_argument(f"--{_field}", metavar="TEXT", required=True)
_CLOSE = add_verb(_VERBS, "close", "say that a gate was passed")
_CLOSE.add_argument("id", metavar="ID")
_CLOSE.add_argument("--by", metavar="NAME", required=True, help="who passed it")


def main(options: argparse.Namespace) -> int:
    """Answer one verb."""
    if options.verb is None:
        raise UsageError("a verb is needed: list, add, close, check")
    setting = read_setting(root_of(options))
    path = setting.path("gate_sheet", DEFAULT)
    name = setting.shown_path(path)
    if options.verb == "add":
        return _add(options, setting, path, name)
    sheet = parse(read_text(path, name) if os.path.lexists(path) else HEADER, name)
    if options.verb == "close":
        sheet.closed(options.id, "")  # refuses before anything is touched
        return _close(options, setting, path, name)
    opened = sheet.opened()
    shown = sheet.gates if options.verb == "list" else opened
    answer(options, {"open": len(opened), "gates": shown},
           [*lines_of(shown), f"{len(opened)} open"])  # fmt: skip
    return 1 if options.verb == "check" and opened else 0


def _add(options: argparse.Namespace, setting: Setting, path: str, name: str) -> int:
    cells = {field: safe_text(getattr(options, field), f"--{field}") for field in _FIELDS}
    if not os.path.lexists(path):
        create(path, name, HEADER)
    told: list[str] = []

    def make(text: str) -> str:
        gate_id, made = parse(text, name).added(cells, utc("%Y-%m-%d"))
        told.append(gate_id)
        return text if made is None else made

    change(setting.root, path, name, make)
    answer(options, {"id": told[0]}, told)
    return 0


def _close(options: argparse.Namespace, setting: Setting, path: str, name: str) -> int:
    said = f"{utc('%Y-%m-%d')} by {safe_text(options.by, '--by')}"

    def make(text: str) -> str:
        made = parse(text, name).closed(options.id, said)
        if made is None:
            raise SaysNoError(f"{name}: {options.id} is closed already")
        return made

    change(setting.root, path, name, make)
    answer(options, {"id": options.id, "state": "closed"}, [f"{options.id} closed"])
    return 0


def self_test(checks: Checks, project: Project) -> None:
    """Check the sheet from its first gate to the last one closed."""

    def add(command: str, reason: str = "needs a key") -> tuple[int, str]:
        words = ("--gate", "deploy", "--reason", reason, "--unblocks", "G1")
        return said_by(PARSER, main, "add", *words, "--command", command)

    def call(*words: str) -> int:
        return said_by(PARSER, main, *words)[0]

    checks.equal("no sheet has no open gate", call("check"), 0)
    checks.equal("a gate", add("make deploy | tee log"), (0, "G1\n"))
    checks.equal("the same command again is the same gate", add("make deploy | tee log")[1], "G1\n")
    checks.equal("another one", add("make other")[1], "G2\n")
    checks.equal("an empty field", add("x", " ")[0], 2)
    checks.equal("a line end", add("a\nb")[0], 2)
    checks.equal("open gates", call("check"), 1)
    checks.equal("one closed", call("close", "G1", "--by", "Ada"), 0)
    checks.equal("once is enough", call("close", "G1", "--by", "Ada"), 1)
    checks.equal("an unknown one", call("close", "G9", "--by", "Ada"), 2)
    checks.equal("the other closed", (call("close", "G2", "--by", "Ada"), call("check")), (0, 0))
    checks.equal("a closed gate may come back", add("make deploy | tee log")[1], "G3\n")
    project.write(DEFAULT, "no table\n")
    checks.equal("a sheet that cannot be read", call("check"), 2)


if __name__ == "__main__":
    raise SystemExit(run(PARSER, main, self_test))
