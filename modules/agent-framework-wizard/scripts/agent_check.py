#!/usr/bin/env python3
"""Check agents: front matter, explicit tools, and the seven clauses of the defence block.

A host loads an agent without tools with all of them, and says nothing of a misspelled key.
"""

from __future__ import annotations

import os
import sys

if sys.pycache_prefix is None:
    sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "_vendor"), ROOT]

from _lib.defence import SCOPES, agent_faults
from _lib.question import resolve
from _lib.rendering import render_all

from hpp.core.portable.report import ToolRefusedError, problem, report
from hpp.core.portable.toolscript import Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hpp.core.arguments import Arguments, Values
    from hpp.core.portable.selftest import Checks

__all__ = ["TOOL"]

SCHEMA = "hpp.agent-report/v1"


def _declare(arguments: Arguments) -> None:
    arguments.positional("PATH", many=True, help="agents, or folders of agents")


def _run(values: Values) -> dict[str, Any]:
    paths = [path for given in values.path for path in _agents(given)]
    return check(paths)


def check(paths: list[str]) -> dict[str, Any]:
    """Return the report of some agents."""
    problems = []
    for path in paths:
        try:
            faults = agent_faults(path)
        except OSError as error:
            raise _refused(path, f"cannot be read: {error.strerror}") from None
        problems += [_problem(code, path, what) for code, what in faults]
    return report(SCHEMA, problems, agents=paths)


def _agents(path: str) -> list[str]:
    if not os.path.isdir(path):
        return [path]
    found = sorted(name for name in os.listdir(path) if name.endswith(".md"))
    if not found:
        raise _refused(path, "no agent is in it")
    return [os.path.join(path, name) for name in found]


def _refused(path: str, measured: str) -> ToolRefusedError:
    return ToolRefusedError(_problem("target-invalid", path, measured))


def _problem(code: str, path: str, measured: str) -> dict[str, str]:
    return problem(
        code, path=path, measured=measured,
        expected="name, description, explicit tools and seven clauses that agree with them",
        following="mend the agent; the template of this module has every clause",
    )  # fmt: skip


def _human(made: dict[str, Any]) -> str:
    return f"{made['status']}: {len(made['agents'])} agents\n" if "agents" in made else ""


def _self_test(checks: Checks, folder: str) -> None:
    answers, _ = resolve({"agents": [{"name": "maker", "role": "builder", "purpose": "Builds."}]})
    made = render_all(answers, ROOT)[".claude/agents/maker.md"].decode()
    blocked = 2

    def code(text: str) -> int:
        path = os.path.join(folder, "maker.md")
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(text)
        status: int = check([path])["exit_code"]
        return status

    checks.check("a generated agent passes", code(made) == 0)
    for label in ("Role", "Secrets", "Output", "Signs", "Data", "Harm"):
        text = made.replace(f"**{label}.**", "**Other.**")
        checks.check(f"without its clause {label} it is refused", code(text) == blocked)
    scope = SCOPES["builder"]
    checks.check("without its scope it is refused", code(made.replace(scope, "")) == blocked)
    swapped = made.replace(scope, SCOPES["reader"])
    checks.check("a reader that writes is refused", code(swapped) == blocked)
    outside = made.replace("## Defence", "**Role.** It cannot change here at all.\n\n## Defence")
    checks.check("a clause outside of the block is refused", code(outside) == blocked)
    tools = "tools: Read, Grep, Glob, Bash, Edit, Write\n"
    checks.check("an agent without tools is refused", code(made.replace(tools, "")) == blocked)


TOOL = Tool(
    "agent_check.py",
    "Check agents: front matter, explicit tools, and the defence block.",
    schema=SCHEMA,
    declare=_declare,
    run=_run,
    self_test=_self_test,
    human=_human,
)

if __name__ == "__main__":
    raise SystemExit(TOOL.main(sys.argv[1:]))
