#!/usr/bin/env python3
"""Hold the pages of roles and commands to the rules that keep a squad apart.

The host says nothing of a misspelled tool, a second role of the same name, or a reviewer that
can edit; this does.
"""

from __future__ import annotations

import os
import sys

if sys.pycache_prefix is None:
    sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "_vendor"), ROOT]

from _lib.page import AGENT, headings_of, read_page
from _lib.pagerule import Finding, lint_page

from hpp.core.errors import RefusedError
from hpp.core.portable.report import problem, report, shown_problems
from hpp.core.portable.scriptcli import make_parser, run_script, write_report
from hpp.core.text import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from _lib.page import Page

__all__ = ["lint"]

SCHEMA = "hpp.squad-report/v1"
PREFIX = "squad-"


def lint(places: list[str], prefix: str = PREFIX) -> dict[str, object]:
    """Return the report of the pages in some folders, or of single pages.

    Raises:
        RefusedError: A place does not exist, or no page is in it.

    """
    found: list[tuple[str, Finding]] = []
    pages: list[Page] = []
    for path in [path for place in places for path in _files(place)]:
        try:
            pages.append(read_page(path))
        except RefusedError as error:  # noqa: PERF203 -- every page is told of, in one run
            found.append((path, Finding("unread", str(error).removeprefix(f"{printable(path)}: "))))
    for page in pages:
        found += [(page.path, each) for each in lint_page(page, _root(page.path), prefix)]
    found += [*_twice(pages), *_headings(pages)]
    problems = [_problem(path.removeprefix(ROOT + os.sep), each) for path, each in found]
    problems.sort(key=lambda each: (each["path"], each["code"]))
    return report(SCHEMA, problems, pages=len(pages))


def _twice(pages: list[Page]) -> list[tuple[str, Finding]]:
    """Find two roles, or two commands, that a host would take for one."""
    seen: dict[tuple[str, str], str] = {}
    found = []
    for page in pages:
        name = str(page.front.get("name", page.stem)) if page.kind == AGENT else page.stem
        first = seen.setdefault((page.kind, name.lower()), page.path)
        if first != page.path:
            found.append(
                (page.path, Finding("name", f"{name}: the name of {os.path.basename(first)} too"))
            )
    return found


def _headings(pages: list[Page]) -> list[tuple[str, Finding]]:
    """Find a command that wants other headings back than its role returns."""
    found = []
    for page in pages:
        role = os.path.join(_root(page.path), "agents", f"{page.stem}.md")
        if page.kind == AGENT or not os.path.isfile(role):
            continue
        try:
            wanted = headings_of(read_page(role, AGENT))
        except RefusedError:
            continue  # the role's own finding, when its folder is linted
        if headings_of(page) != wanted:
            told = f"Headings: want {', '.join(wanted)}, as the role returns them"
            found.append((page.path, Finding("return", told)))
    return found


def _files(place: str) -> list[str]:
    if os.path.isfile(place):
        return [place]
    if not os.path.isdir(place):
        raise RefusedError(f"{place}: there is no such folder")
    found = [os.path.join(folder, name) for folder, _, names in os.walk(place) for name in names]
    if not found:
        raise RefusedError(f"{place}: no page is in it")
    return sorted(found)


def _root(path: str) -> str:
    """Return the module or project that a page is of; a loose page counts as of this module."""
    folder = os.path.dirname(os.path.abspath(path))
    while True:
        parent = os.path.dirname(folder)
        if os.path.isdir(os.path.join(folder, ".claude-plugin")):
            return folder
        if os.path.basename(folder) == ".claude":
            return parent
        if parent == folder:
            return ROOT
        folder = parent


def _problem(path: str, found: Finding) -> dict[str, str]:
    return problem(
        found.rule, severity=found.severity, path=f"{path}:{found.line}", measured=found.message,
        expected="what docs/roles.md says of pages", following="mend the page, then lint it again",
    )  # fmt: skip


def _main(arguments: argparse.Namespace) -> int:
    own = [os.path.join(ROOT, "agents"), os.path.join(ROOT, "commands")]
    made = lint(arguments.dir or own, arguments.prefix)
    if arguments.json:
        write_report(made)
    else:
        sys.stdout.write(f"{shown_problems(made)}{made['status']}: {made['pages']} pages\n")
    status: int = made["exit_code"]  # type: ignore[assignment]  # a report's status is a number
    return status


def _self_test() -> int:
    from _lib.linttest import self_test

    return self_test(lint, ROOT)


if __name__ == "__main__":
    PARSER = make_parser("squad_lint.py", "Hold pages of roles and commands to their rules.")
    PARSER.add_argument("dir", nargs="*", metavar="DIR", help="folder of pages, or one page")
    PARSER.add_argument("--prefix", default=PREFIX, help="of a role's name (default squad-)")
    raise SystemExit(run_script(PARSER, _main, self_test=_self_test))
