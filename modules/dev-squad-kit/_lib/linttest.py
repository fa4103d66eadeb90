"""The self-test of the page linter: sound pages, and copies with one fault each."""

from __future__ import annotations

import os
import shutil

from hpp.core.portable.selftest import Checks, Project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = ["self_test"]

_BLOCKED = 2
_TOOLS = "tools: Read, Grep, Glob, Bash"
_FAULTS = (
    ("a judge that gains Edit", "agents/qa.md", f"{_TOOLS}\n", f"{_TOOLS}, Edit\n"),
    ("a misspelled tool", "agents/qa.md", "Grep, Glob", "Grepp, Glob"),
    ("no tools at all", "agents/qa.md", f"{_TOOLS}\n", ""),
    ("a judge without disallowedTools", "agents/po.md", "disallowedTools:", "model:"),
    ("an unknown key", "agents/dev.md", "tools:", "colour: red\ntools:"),
    ("another name", "agents/dev.md", "name: squad-dev", "name: dev"),
    ("a file that is not there", "agents/qa.md", "## Stop", "Open scripts/nothing.py.\n\n## Stop"),
    ("no stop conditions", "agents/qa.md", "## Stop", "## Later"),
    ("no return headings", "agents/qa.md", "## Return", "## Answer"),
    ("no untrusted-input section", "agents/dev.md", "## Untrusted input", "## Notes"),
    ("nothing left to others", "agents/dev.md", "## Not yours", "## Style"),
    ("a maker that judges", "agents/dev.md", "## Procedure", "Verify it.\n\n## Procedure"),
    ("a command with other headings", "commands/qa.md", "Headings: ", "Headings: Mood, "),
    ("a person's words in a shell line", "commands/qa.md", "Headings:",
     "Run `git log $ARGUMENTS`.\n\nHeadings:"),
    ("no front matter", "commands/qa.md", "---\n", ""),
)  # fmt: skip


def self_test(lint: Callable[[list[str]], dict[str, Any]], root: str) -> int:
    """Run the checks on copies of a module's own pages and return the exit status."""
    checks = Checks()
    with Project() as project:
        copied = os.path.join(project.root, "module")
        for part in ("agents", "commands", "scripts", "templates", "skills", ".claude-plugin"):
            shutil.copytree(os.path.join(root, part), os.path.join(copied, part))
        places = [os.path.join(copied, part) for part in ("agents", "commands")]
        checks.equal("the pages as they are", lint(places)["problems"], [])
        for what, name, old, new in _FAULTS:
            path = os.path.join(copied, *name.split("/"))
            with open(path, encoding="utf-8", newline="") as stream:
                sound = stream.read()
            if not checks.check(f"{what}: there is something to change", old in sound):
                continue
            _write(path, sound.replace(old, new, 1))
            checks.equal(f"{what} is refused", lint(places)["exit_code"], _BLOCKED)
            _write(path, sound)
        _write(os.path.join(places[0], "notes.txt"), "no page")
        checks.equal("a file that is no page is not skipped", lint(places)["exit_code"], _BLOCKED)
    return checks.finish()


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="utf-8", newline="\n") as stream:
        stream.write(text)
