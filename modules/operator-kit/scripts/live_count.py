#!/usr/bin/env python3
"""Measure the numbers that a report states, each by the command that is its source."""

from __future__ import annotations

import os
import sys

if sys.pycache_prefix is None:
    sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "_vendor"), ROOT]

from _lib.commandtext import Declared, declared
from _lib.document import read_text
from _lib.measure import echo
from _lib.script import answer, project_parser, root_of, run, said_by, utc
from _lib.setting import read_setting

from hpp.core import runner
from hpp.core.errors import RefusedError, UsageError
from hpp.core.portable.redact import shown
from hpp.core.strictjson import parse_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from hpp.core.portable.selftest import Checks, Project

_TIMEOUT_S = 120.0
_MOST = 4096
_UNVERIFIED = "not verified"

PARSER = project_parser("live_count.py", __doc__)
PARSER.add_argument("domain", metavar="DOMAIN", nargs="?", help="a section of the sources")


def main(options: argparse.Namespace) -> int:
    """Run the commands of one section and return 1 when one gave no value."""
    if options.domain is None:
        raise UsageError("DOMAIN is needed")
    root = root_of(options)
    setting = read_setting(root)
    path = setting.path("sources", "sources.json")
    name = setting.shown_path(path)
    sources = parse_text(read_text(path, name), name, root=dict)
    section = sources.get(options.domain)
    if not isinstance(section, dict) or not section:
        raise RefusedError(f"{name}: {options.domain}: expected a section {{key: command}}")
    commands = {
        key: None if value is None else declared(value, f"{name}: {options.domain}.{key}")
        for key, value in section.items()
    }
    results = [_measured(key, command, root) for key, command in commands.items()]
    lines = [f"{each['key']}: {each['value']}  ({each['at']})" for each in results]
    answer(options, {"domain": options.domain, "results": results}, lines)
    return 0 if all(each["verified"] for each in results) else 1


def _measured(key: str, command: Declared | None, root: str) -> dict[str, object]:
    value = None
    if command is not None:
        echo(command.text)
        outcome = runner.run(command.argv, timeout_s=_TIMEOUT_S, cwd=root, keep_stdout=_MOST)
        text = outcome.stdout.kept.decode("utf-8", "replace").strip()
        if outcome.ending == runner.EXITED and outcome.exit_code == 0 and text:
            value = shown(text)
    return {
        "key": key,
        "command": None if command is None else shown(command.text),
        "value": _UNVERIFIED if value is None else value,
        "verified": value is not None,
        "at": utc(),
    }


def self_test(checks: Checks, project: Project) -> None:
    """Check a value beside what gives none."""
    program = sys.executable.replace("\\", "\\\\")

    def count(code: str) -> tuple[int, str]:
        command = "null" if not code else f'["{program}", "-c", "{code}"]'
        project.write("sources.json", f'{{"tests": {{"count": {command}}}}}')
        status, said = said_by(PARSER, main, "tests", "--json")
        return status, parse_text(said, "said", root=dict)["results"][0]["value"]

    checks.equal("a value", count("print(7)"), (0, "7"))
    checks.equal("a command that fails", count("print(7); raise SystemExit(1)"), (1, _UNVERIFIED))
    checks.equal("one that says nothing", count("pass"), (1, _UNVERIFIED))
    checks.equal("no command", count(""), (1, _UNVERIFIED))
    checks.equal("an unknown section", said_by(PARSER, main, "other")[0], 2)
    os.unlink("sources.json")
    checks.equal("no sources", said_by(PARSER, main, "tests")[0], 2)
    checks.equal("no section is a wrong call", said_by(PARSER, main)[0], 3)


if __name__ == "__main__":
    raise SystemExit(run(PARSER, main, self_test))
