#!/usr/bin/env python3
"""Check a Claude Code plugin for what its host accepts in silence.

A misspelled tool, a missing script, an invalid matcher and a hook that is wired twice load
without a word; this says so before a person relies on them.
"""

from __future__ import annotations

import os
import sys

if sys.pycache_prefix is None:
    sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "_vendor"), ROOT]

import shutil

from _lib.pluginpart import (
    agent_faults,
    hooks_faults,
    manifest_faults,
    settings_faults,
    skill_faults,
)

from hpp.core.portable.report import WARN, ToolRefusedError, problem, report
from hpp.core.portable.toolscript import Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hpp.core.arguments import Arguments, Values
    from hpp.core.portable.selftest import Checks

__all__ = ["TOOL"]

SCHEMA = "hpp.plugin-report/v1"
_RESERVED = ("claude-", "anthropic-", "cc-plugin-")
_WANTED = ("README.md",)


def _declare(arguments: Arguments) -> None:
    arguments.positional("DIR", help="the plugin's folder")
    arguments.flag("--strict", help="take warnings for failures")


def _run(values: Values) -> dict[str, Any]:
    if not os.path.isdir(values.dir):
        raise ToolRefusedError(_problem("target-invalid", values.dir, "no folder"))
    return check(values.dir, strict=values.strict)


def check(root: str, *, strict: bool = False) -> dict[str, Any]:
    """Return the report of a plugin."""
    problems = [
        _problem(*fault)
        for part in (manifest_faults, settings_faults, hooks_faults, skill_faults, agent_faults)
        for fault in part(root)
    ]
    warnings = [
        {**_problem("component-missing", name, "a plugin is published with one"), "severity": WARN}
        for name in _WANTED
        if not os.path.isfile(os.path.join(root, name))
    ]
    problems += [_problem(each["code"], each["path"], each["measured"]) for each in warnings] if (
        strict) else warnings  # fmt: skip
    return report(SCHEMA, problems, notes=_notes(root))


def _notes(root: str) -> list[str]:
    name = os.path.basename(os.path.abspath(root))
    if name.startswith(_RESERVED):
        return [f"{name}: the validator reserves such names, the loader accepts them"]
    return []


def _problem(code: str, path: str, measured: str) -> dict[str, str]:
    return problem(
        code, path=path, measured=measured, expected="what both hosts read as it is meant",
        following="mend it, then run this and the host's own validator",
    )  # fmt: skip


def _human(made: dict[str, Any]) -> str:
    return "".join(f"note {note}\n" for note in made.get("notes", [])) + f"{made['status']}\n"


_MANIFEST = """{"name": "a-kit", "version": "1.0.0", "description": "d",
 "author": {"name": "n"}, "license": "MIT", "keywords": ["k"]}"""
_HOOKS = """{"description": "d", "hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [
 {"type": "command", "timeout": 30,
  "command": "bash \\"${CLAUDE_PLUGIN_ROOT}/hooks/pyrun.sh\\" observe \\"${CLAUDE_PLUGIN_ROOT}/hooks/a.py\\""}
]}]}}"""  # noqa: E501 -- the command is one line
_FILES = {
    ".claude-plugin/plugin.json": _MANIFEST,
    "hooks/hooks.json": _HOOKS,
    "hooks/a.py": "pass\n",
    "README.md": "A kit.\n",
    "skills/look/SKILL.md": "---\nname: look\ndescription: Looks.\n---\nText.\n",
    "agents/reader.md": "---\nname: reader\ndescription: Reads.\ntools: Read, Grep\n---\nText.\n",
}
_FAULTS = [
    ("a hooks key", ".claude-plugin/plugin.json", '"license"', '"hooks": "./h.json", "license"'),
    ("a status line", ".claude-plugin/plugin.json", '"license"', '"statusLine": {}, "license"'),
    ("a version that is none", ".claude-plugin/plugin.json", '"1.0.0"', '"one"'),
    ("a missing field", ".claude-plugin/plugin.json", '"license": "MIT",', ""),
    ("a root key", "hooks/hooks.json", '{"description"', '{"$schema": "x", "description"'),
    ("args", "hooks/hooks.json", '"timeout"', '"args": [], "timeout"'),
    ("half a second", "hooks/hooks.json", "30", "1.5"),
    ("a long timeout", "hooks/hooks.json", "30", "600"),
    ("an unknown event", "hooks/hooks.json", "PreToolUse", "BeforeTool"),
    ("an invalid matcher", "hooks/hooks.json", '"Bash"', '"("'),
    ("an unquoted root", "hooks/hooks.json", '\\"${CLAUDE_PLUGIN_ROOT}/hooks/a.py\\"',
     "${CLAUDE_PLUGIN_ROOT}/hooks/a.py"),
    ("a path without the root", "hooks/hooks.json", "${CLAUDE_PLUGIN_ROOT}/hooks/a.py",
     "hooks/a.py"),
    ("a missing script", "hooks/hooks.json", "hooks/a.py", "hooks/b.py"),
    ("a skill of another name", "skills/look/SKILL.md", "name: look", "name: see"),
    ("a skill without a description", "skills/look/SKILL.md", "description: Looks.\n", ""),
    ("a misspelled tool", "agents/reader.md", "Grep", "Grepp"),
    ("an agent without tools", "agents/reader.md", "tools: Read, Grep\n", ""),
]  # fmt: skip


def _self_test(checks: Checks, folder: str) -> None:
    root = os.path.join(folder, "a-kit")
    blocked = 2
    _write(root)
    checks.check("a sound plugin passes", check(root, strict=True)["exit_code"] == 0)
    for what, name, old, new in _FAULTS:
        _write(root, name, old, new)
        checks.check(f"{what} is refused", check(root)["exit_code"] == blocked)
    _write(root)
    os.unlink(os.path.join(root, "README.md"))
    checks.check("a missing README is a warning", check(root)["exit_code"] == 1)
    checks.check("and refused when strict", check(root, strict=True)["exit_code"] == blocked)


def _write(root: str, changed: str = "", old: str = "", new: str = "") -> None:
    shutil.rmtree(root, ignore_errors=True)
    for name, text in _FILES.items():
        path = os.path.join(root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(text.replace(old, new) if name == changed else text)


TOOL = Tool(
    "plugin_check.py",
    "Check a Claude Code plugin for what its host accepts in silence.",
    schema=SCHEMA,
    declare=_declare,
    run=_run,
    self_test=_self_test,
    human=_human,
)

if __name__ == "__main__":
    raise SystemExit(TOOL.main(sys.argv[1:]))
