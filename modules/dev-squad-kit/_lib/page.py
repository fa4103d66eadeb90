"""A role page or a command page, taken apart: front matter, sections, and what they list."""

from __future__ import annotations

import os
import re

from hpp.core.errors import RefusedError
from hpp.core.portable.fsread import read_bounded
from hpp.core.portable.minicfg import load_yaml
from hpp.core.text import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["AGENT", "COMMAND", "Page", "headings_of", "parse_page", "parse_sections", "read_page"]

AGENT, COMMAND = "agent", "command"
LARGEST = 64 * 1024
_HEADING = re.compile(r"##[ \t]+(.+?)[ \t]*")
_FENCE = re.compile(r"[ \t]*(```|~~~)")
_ITEM = re.compile(r"[ \t]*(?:[-*]|\d{1,2}\.)[ \t]+(.*)")
_BOLD = re.compile(r"\*\*(.+?)\*\*")
_LISTED = re.compile(r"^Headings:[ \t]*(.+?)\.?[ \t]*$", re.MULTILINE)


class Page:
    """One page.

    Attributes:
        path: As it was named.
        stem: File name without its ending.
        kind: `AGENT` or `COMMAND`.
        front: The front matter.
        lines: Every line of the file.
        body: The lines behind the front matter.
        first: Number of the body's first line.
        sections: Heading of the second level to its lines, in order.

    """

    __slots__ = ("body", "first", "front", "kind", "lines", "path", "sections", "stem")

    def __init__(
        self, path: str, kind: str, front: dict[str, Any], lines: list[str], at: int
    ) -> None:
        self.path = path
        self.kind = kind
        self.front = front
        self.lines = lines
        self.body = lines[at:]
        self.first = at + 1
        self.stem = os.path.splitext(os.path.basename(path))[0]
        self.sections = {
            title: [line for _, line in lines]
            for title, lines in parse_sections("\n".join(self.body)).items()
        }

    def items(self, title: str) -> list[str]:
        """Return the items of a section, each with its continuation lines joined."""
        found: list[str] = []
        for line in self.sections.get(title, []):
            item = _ITEM.fullmatch(line)
            if item is not None:
                found.append(item[1].strip())
            elif found and line.strip():
                found[-1] += " " + line.strip()
        return found

    def text(self, title: str) -> str:
        """Return a section as one line of text."""
        return " ".join(" ".join(self.sections.get(title, [])).split())


def read_page(path: str, kind: str | None = None) -> Page:
    """Return the page of a file.

    Args:
        path: The file.
        kind: What it is; None tells by its folder, then by its front matter.

    Raises:
        RefusedError: It is no Markdown file, cannot be read, is too large or not UTF-8, or its
            front matter is missing or unreadable.

    """
    name = printable(path)
    if not path.endswith(".md"):
        raise RefusedError(f"{name}: not a page; pages end in .md")
    data = read_bounded(path, LARGEST, name, "larger than 64 KiB")
    try:
        text = data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError:
        raise RefusedError(f"{name}: not UTF-8") from None
    return parse_page(text, path, kind)


def parse_page(text: str, path: str, kind: str | None = None) -> Page:
    """Return the page of a text; `path` tells its name and, without `kind`, what it is.

    Raises:
        RefusedError: The front matter is missing or unreadable.

    """
    name = printable(path)
    lines = text.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    closing = next((at for at, line in enumerate(lines) if at and line.rstrip() == "---"), 0)
    if not closing or lines[0].rstrip() != "---":
        raise RefusedError(f"{name}: no front matter between two lines of ---")
    front = load_yaml("\n".join(lines[1:closing]), name)
    if not isinstance(front, dict):
        raise RefusedError(f"{name}: the front matter holds no keys")
    return Page(path, kind or _kind(path, front), front, lines, closing + 1)


def headings_of(page: Page) -> list[str]:
    """Return the headings that a role returns, or that a command wants back."""
    if page.kind == AGENT:
        found = (_BOLD.match(item) for item in page.items("Return"))
        return [each[1].strip() for each in found if each is not None]
    listed = _LISTED.search("\n".join(page.body))
    return [each.strip() for each in listed[1].split(",")] if listed is not None else []


def _kind(path: str, front: dict[str, Any]) -> str:
    folder = os.path.basename(os.path.dirname(os.path.abspath(path)))
    if folder in ("agents", "commands"):
        return folder[:-1]
    return AGENT if "name" in front else COMMAND


def parse_sections(text: str) -> dict[str, list[tuple[int, str]]]:
    """Return the headings of the second level, each with its numbered lines."""
    found: dict[str, list[tuple[int, str]]] = {}
    current: list[tuple[int, str]] = []
    is_code = False
    for number, line in enumerate(text.split("\n"), 1):
        if _FENCE.match(line):
            is_code = not is_code
        heading = None if is_code else _HEADING.fullmatch(line)
        if heading is None:
            current.append((number, line))
        else:
            current = found.setdefault(heading[1], [])
    return found
