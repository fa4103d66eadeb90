"""What a page names in its module: files, scripts, commands, roles."""

from __future__ import annotations

import os
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from _lib.page import Page

__all__ = ["missing_references"]

_ROOTED = re.compile(r"\$\{CLAUDE_PLUGIN_ROOT\}/([\w./-]+)")
_BARE = re.compile(r"(?<![\w./}-])((?:agents|commands|skills|scripts|templates|docs)/[\w./-]+)")
_SCRIPT = re.compile(r"(?<![\w./-])(\w+\.py)\b")
_PAGE = re.compile(r"(?<![\w./}-])((?:[\w-]+/)*[\w-]+\.(?:md|sh))\b|\]\(([^)#:\s]+)[^):]*\)")
_PAGE_PLACES = ("", "templates", "docs", "agents", "commands")
_COMMAND = re.compile(r"`/(?:[a-z][a-z0-9-]*:)?([a-z][a-z0-9-]*)(?=[ `])")
_ROLE = re.compile(r"(?<![\w./-])squad-([a-z]+(?:-[a-z]+)*)\b")


def missing_references(page: Page, root: str) -> Iterator[tuple[int, str]]:
    """Yield line and name of what is not there."""
    for number, line in enumerate(page.body, page.first):
        for name in (*_absent_files(line, root), *_absent_names(line, root)):
            yield number, name


def _absent_files(line: str, root: str) -> Iterator[str]:
    for name in _paths(line):
        if not os.path.exists(os.path.join(root, *name.split("/"))):
            yield name
    rest = _BARE.sub(" ", _ROOTED.sub(" ", line))
    loose: list[tuple[str, tuple[str, ...]]] = [
        (name, ("scripts", "")) for name in _SCRIPT.findall(rest)
    ]
    loose += [(each or other, _PAGE_PLACES) for each, other in _PAGE.findall(rest)]
    for name, places in loose:
        if not any(os.path.exists(os.path.join(root, at, name)) for at in places):
            yield name


def _absent_names(line: str, root: str) -> Iterator[str]:
    for name in _COMMAND.findall(line):
        if not os.path.isfile(os.path.join(root, "commands", f"{name}.md")):
            yield f"/{name}"
    for name in _ROLE.findall(line):
        if not _is_role(root, name):
            yield f"squad-{name}"


def _is_role(root: str, name: str) -> bool:
    """Say whether a role's page is there; `squad-kit` in the module's own name is none."""
    pages = (f"{name}.md", f"squad-{name}.md")
    return name == "kit" or any(
        os.path.isfile(os.path.join(root, "agents", page)) for page in pages
    )


def _paths(line: str) -> Iterator[str]:
    for pattern in (_ROOTED, _BARE):
        for name in pattern.findall(line):
            yield name.rstrip("./")
