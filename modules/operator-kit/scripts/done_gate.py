#!/usr/bin/env python3
"""Decide by exit statuses whether one task is done."""

from __future__ import annotations

import os
import sys

if sys.pycache_prefix is None:
    sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "_vendor"), ROOT]

from _lib.commandtext import Declared, split
from _lib.donegate import NOT_DONE, PARTIAL, Request, check_record, read_request, report
from _lib.measure import checked_seconds, measure
from _lib.script import answer, project_parser, root_of, run, said_by

from hpp.core.errors import RefusedError, UsageError
from hpp.core.strictjson import parse_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from hpp.core.portable.selftest import Checks, Project

_TIMEOUT_S = 600.0
_LARGEST = 1024 * 1024

PARSER = project_parser("done_gate.py", __doc__)
PARSER.add_argument("commands", metavar="CMD", nargs="*", help="a criterion, one argument each")
PARSER.add_argument("--profile", metavar="TYPE", help="the criteria of the profile for a type")
PARSER.add_argument("--stdin", action="store_true", help="read criteria and partial as JSON")
PARSER.add_argument("--timeout", metavar="S", type=float, default=_TIMEOUT_S, help="for each one")
PARSER.add_argument(
    "--declare-partial", metavar="TEXT", action="append", default=[], help="what is missing"
)
PARSER.add_argument("--record", metavar="FILE", help="write the report there as well")


def main(options: argparse.Namespace) -> int:
    """Run every criterion and return 0 when the task is done."""
    root = root_of(options)
    timeout_s = checked_seconds(options.timeout, "--timeout")
    request = _request(options, root)
    request.check()
    if options.record and not os.path.isdir(os.path.dirname(os.path.abspath(options.record))):
        raise RefusedError(f"--record: {options.record}: its folder is not there")
    results = [measure(criterion, root, timeout_s) for criterion in request.criteria]
    made = report(request, results)
    if options.record:
        from hpp.core.output import pretty_json
        from hpp.core.portable.fswrite import atomic_write

        atomic_write(os.path.abspath(options.record), pretty_json(made))
    missing = [f"missing: {text}" for text in made["declared"]]
    answer(options, made, [*(each.line() for each in results), *missing, made["state"]])
    return 0 if made["done"] else 1


def _request(options: argparse.Namespace, root: str) -> Request:
    ways = [bool(options.commands), options.profile is not None, options.stdin]
    if sum(ways) > 1:
        raise UsageError("expected commands, --profile or --stdin, and only one of them")
    if options.stdin:
        data = sys.stdin.buffer.read(_LARGEST + 1)
        found = read_request(parse_bytes(data, "standard input", root=dict))
        return Request(found.criteria, [*found.declared, *options.declare_partial])
    if options.profile is not None:
        return Request(_of_type(options.profile, root), options.declare_partial)
    criteria = [Declared(text.strip(), split(text, "CMD")) for text in options.commands]
    return Request(criteria, options.declare_partial)


def _of_type(name: str, root: str) -> list[Declared]:
    from _lib.setting import read_setting

    setting = read_setting(root)
    known = setting.mapping("verification.done_criteria")
    if name not in known:
        listed = ", ".join(sorted(known)) or "none"
        raise RefusedError(f"--profile: no criteria for {name!r} in the profile; it has {listed}")
    return setting.commands(f"verification.done_criteria.{name}")


def self_test(checks: Checks, project: Project) -> None:
    """Check each verdict beside one that differs in a single thing."""

    def gate(*words: str) -> int:
        return said_by(PARSER, main, *words)[0]

    yes, no = f"'{sys.executable}' -c pass", f"'{sys.executable}' -c 'raise SystemExit(3)'"
    record = os.path.join(project.root, "record.json")
    checks.equal("a criterion that exits 0 is done", gate(yes, "--record", record), 0)
    with open(record, "rb") as file:
        kept = parse_bytes(file.read(), "record", root=dict)
    checks.equal("its record says so", check_record(kept), None)
    checks.check("a record with another state does not", check_record({**kept, "state": PARTIAL}))
    checks.equal("one that fails is not done", gate(yes, no), 1)
    checks.equal("the state says it", report(Request([], []), [])["state"], NOT_DONE)
    checks.equal("what is declared missing is not done", gate(yes, "--declare-partial", "x"), 1)
    checks.equal("an empty declaration is none", gate(yes, "--declare-partial", " "), 0)
    checks.equal("no criterion is refused", gate(), 2)
    checks.equal("one that runs too long fails", gate(f"'{sys.executable}' -c 'input()'"), 1)
    checks.equal("text for a shell is refused", gate("true && false"), 2)
    checks.equal("the same in quotes is an argument", gate(f"{yes} '&&'"), 0)
    checks.equal("reading a record again decides nothing", gate("hpp evidence verify r.json"), 2)
    project.write("operator-profile.yaml", f'verification: {{done_criteria: {{code: ["{yes}"]}}}}')
    checks.equal("a type of the profile", gate("--profile", "code"), 0)
    checks.equal("an unknown type is refused", gate("--profile", "other"), 2)
    checks.equal("two ways at once are a wrong call", gate(yes, "--stdin"), 3)


if __name__ == "__main__":
    raise SystemExit(run(PARSER, main, self_test))
