#!/usr/bin/env python3
"""Say whether a project is ready for work under this module."""

from __future__ import annotations

import os
import sys

if sys.pycache_prefix is None:
    sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "_vendor"), ROOT]

from _lib.preflight import OK, STOP, WARN, check_all
from _lib.script import answer, project_parser, root_of, run, said_by

from hpp.core.strictjson import parse_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from hpp.core.portable.selftest import Checks, Project

_STATUS = {0: "ready", 1: "warnings", 2: "blocked"}

PARSER = project_parser("preflight.py", __doc__)


def main(options: argparse.Namespace) -> int:
    """Run the checks: 0 is ready, 1 has warnings, 2 is blocked."""
    found = check_all(root_of(options))
    results = {result for _, result, _ in found}
    status = 2 if STOP in results else 1 if WARN in results else 0
    checks = {name: {"ok": result == OK, "detail": detail} for name, result, detail in found}
    lines = [f"{result:4} {name}: {detail}" for name, result, detail in found]
    answer(options, {"status": _STATUS[status], "checks": checks}, [*lines, _STATUS[status]])
    return status


def self_test(checks: Checks, project: Project) -> None:
    """Check each result beside a project that differs in a single thing."""

    def look() -> tuple[int, dict[str, dict[str, object]]]:
        status, said = said_by(PARSER, main, "--json")
        report: dict[str, dict[str, object]] = parse_text(said, "report", root=dict)["checks"]
        return status, report

    def profile(text: str) -> int:
        project.write("operator-profile.yaml", text)
        return look()[0]

    checks.equal("no working tree", look()[0], 2)
    project.write(".git/HEAD", "ref: refs/heads/main\n")
    status, report = look()
    checks.equal("hooks that nothing wires are a warning", status, 1)
    checks.equal("and the only one", [name for name in report if not report[name]["ok"]], ["hooks"])
    project.write(".claude/settings.json", '{"hooks": {"PreToolUse": ["x/operation_guard.py"]}}')
    checks.equal("ready", look()[0], 0)
    project.write(".claude/settings.json", '{"enabledPlugins": {"operator-kit@x": false}}')
    checks.equal("a plugin that is switched off", look()[0], 1)
    project.write(".claude/settings.json", '{"enabledPlugins": {"operator-kit@x": true}}')
    checks.equal("one that is enabled", look()[0], 0)
    checks.equal("an unknown key", profile("paths: {elsewhere: x}\n"), 1)
    checks.equal("a known one", profile("paths: {logs_dir: x}\n"), 0)
    checks.equal("a value of the wrong type", profile("guardrails: {ban_floating: 3}\n"), 2)
    checks.equal("a profile that cannot be read", profile("paths: [\n"), 2)
    program = sys.executable.replace("'", "''")
    criteria = "verification: {{done_criteria: {{code: [[{}]]}}}}\n"
    checks.equal("a program that is there", profile(criteria.format(f"'{program}'")), 0)
    checks.equal("one that is not", profile(criteria.format("no-such-program-here")), 2)


if __name__ == "__main__":
    raise SystemExit(run(PARSER, main, self_test))
