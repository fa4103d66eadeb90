#!/usr/bin/env python3
"""Check an explanation for a reader who does not program.

It tells which of the five blocks are there, and whether the tree and the paths that are
shown exist: an explanation that names a file that is not there teaches something wrong.
"""

from __future__ import annotations

import os
import sys

if sys.pycache_prefix is None:
    sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "_vendor"), ROOT]

import re

from hpp.core.portable.report import WARN, ToolRefusedError, problem, report
from hpp.core.portable.toolscript import Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hpp.core.arguments import Arguments, Values
    from hpp.core.portable.selftest import Checks

__all__ = ["TOOL"]

SCHEMA = "hpp.teaching-report/v1"
BLOCKS = {
    "where": "Where it lives",
    "what": "What it is",
    "connects": "What it connects to",
    "analogy": "An analogy",
    "decisions": "Decisions and alternatives",
}
LARGEST = 1024 * 1024
_HEADING = re.compile(r"^#{2,4}[ \t]+(.+?)[ \t]*$", re.MULTILINE)
_PATH = re.compile(r"`([\w.@-]+(?:/[\w.@-]+)*/?)`")
_BRANCH = re.compile(r"^((?:[|│ ][ \xa0]{2,3})*)(?:├──|└──|\|--|`--)[ \xa0](\S+)")
_ALTERNATIVE = re.compile(
    r"\b(?:instead|alternative|rejected|rather than|other way)\b", re.IGNORECASE
)


def _declare(arguments: Arguments) -> None:
    arguments.positional("TEXT", help="the explanation, Markdown")
    arguments.option("--root", "DIR", default=".", help="what its paths are relative to")


def _run(values: Values) -> dict[str, Any]:
    try:
        with open(values.text, "rb") as stream:
            text = stream.read(LARGEST).decode("utf-8")
    except (OSError, UnicodeDecodeError):
        raise ToolRefusedError(_problem(values.text, "cannot be read as UTF-8")) from None
    if not os.path.isdir(values.root):
        raise ToolRefusedError(_problem(values.root, "no folder"))
    return check(text, values.text, values.root)


def check(text: str, name: str, root: str) -> dict[str, Any]:
    """Return the report of an explanation."""
    parts = _HEADING.split(text)
    sections = dict(zip((title.lower() for title in parts[1::2]), parts[2::2], strict=True))
    present = [key for key, title in BLOCKS.items() if sections.get(title.lower(), "").strip()]
    absent = [path for path in _paths(text) if not _exists(root, path)]
    problems = [_problem(f"{name}: {path}", "it is shown and does not exist") for path in absent]
    if not present:
        problems.append({**_problem(name, "no block of an explanation"), "severity": WARN})
    decisions = sections.get(BLOCKS["decisions"].lower(), "")
    if "decisions" in present and not _ALTERNATIVE.search(decisions):
        problems.append({**_problem(name, "decisions without an alternative"), "severity": WARN})
    return report(SCHEMA, problems, present=present,
                  missing=[key for key in BLOCKS if key not in present])  # fmt: skip


def _paths(text: str) -> list[str]:
    """Return the paths that a text shows: in backticks with a slash or an ending, or in a tree."""
    shown = [path for path in _PATH.findall(text) if "/" in path or re.search(r"\.\w{1,5}$", path)]
    above: list[str] = []
    for line in text.split("\n"):
        branch = _BRANCH.match(line)
        if branch is None:
            base = line.strip()
            above = [base.rstrip("/")] if re.fullmatch(r"[\w.@-]+/", base) else []
            continue
        depth = len(re.findall(r"[|│ ][ \xa0]{2,3}", branch[1]))
        start = above[:1] if above and above[0] else []
        above = [*start, *above[len(start) : len(start) + depth], branch[2].rstrip("/")]
        shown.append("/".join(part for part in above if part != "."))
    return list(dict.fromkeys(shown))


def _exists(root: str, path: str) -> bool:
    full = os.path.normpath(os.path.join(root, path))
    return ".." not in path.split("/") and os.path.exists(full)


def _problem(path: str, measured: str) -> dict[str, str]:
    return problem(
        "answer-invalid", path=path, measured=measured,
        expected="an explanation whose tree and paths exist",
        following="look at the folder, then write what is there",
    )  # fmt: skip


def _human(made: dict[str, Any]) -> str:
    if "present" not in made:
        return ""
    return (
        f"{made['status']}: present {', '.join(made['present']) or 'none'}; "
        f"missing {', '.join(made['missing']) or 'none'}\n"
    )


def _self_test(checks: Checks, folder: str) -> None:
    os.makedirs(os.path.join(folder, "shop", "cart"))
    for name in ("shop/cart/total.py", "notes.md"):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as stream:
            stream.write("x\n")
    blocked = 2
    tree = "shop/\n└── cart/\n    └── total.py\n"
    good = f"## Where it lives\n\n{tree}\nIn `shop/cart/total.py`.\n\n## An analogy\nA till.\n"
    made = check(good, "t.md", folder)
    checks.check("blocks and an existing tree pass",
                made["exit_code"] == 0 and made["present"] == ["where", "analogy"])  # fmt: skip
    gone = check(good.replace("total.py`", "sum.py`"), "t.md", folder)
    checks.check("a path that is not there is refused", gone["exit_code"] == blocked)
    grown = check(good.replace("    └── total.py", "    └── sum.py"), "t.md", folder)
    checks.check("a branch that is not there is refused", grown["exit_code"] == blocked)
    out = check("## What it is\n`../x.py`\n", "t.md", folder)
    checks.check("a path out of the folder is refused", out["exit_code"] == blocked)
    checks.check("no block is a warning", check("Just text.\n", "t.md", folder)["exit_code"] == 1)
    bare = "## Decisions and alternatives\nWe took a list.\n"
    checks.check("a decision without an alternative is a warning",
                check(bare, "t.md", folder)["exit_code"] == 1)  # fmt: skip


TOOL = Tool(
    "teaching_check.py",
    "Check an explanation for a reader who does not program.",
    schema=SCHEMA,
    declare=_declare,
    run=_run,
    self_test=_self_test,
    human=_human,
)

if __name__ == "__main__":
    raise SystemExit(TOOL.main(sys.argv[1:]))
