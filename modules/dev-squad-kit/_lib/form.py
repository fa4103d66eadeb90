"""The gates of filled forms: headings that are there, lines that can be held to something."""

from __future__ import annotations

import re

from _lib.page import parse_sections

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["form_faults"]

_PLACE = re.compile(r"<[A-Z][^<>\n]*>")
_FIGURE = re.compile(r"(?<![\w./:#-])\d+(?:[.,]\d+)*(?:\s?%)?(?![\w:/-])")
_SOURCE = re.compile(r"`[^`]+`|\]\([^)]+\)|\[ID:[^\]]+\]|https?://|\S:\d+\b|\(source: ")
_COMMAND = re.compile(r"`[^`\s][^`]*`")
_OBSERVED = re.compile(r"\bObserve: \S.*\bfails? (?:when|if) \S")
_ITEM = re.compile(r"[ \t]*(?:[-*]|\d{1,2}\.)[ \t]+")
_DATE = re.compile(r"\b\d{4}-\d{2}-\d{2}\b")


def form_faults(text: str, template: str) -> list[tuple[int, str]]:
    """Return line and fault of everything that keeps a filled form from passing.

    Args:
        text: The filled form.
        template: The form as it is given out; its headings are wanted, its places are not.

    """
    given, wanted = parse_sections(text), parse_sections(template)
    return sorted([*_headings(given, wanted), *_places(text), *_figures(text), *_can_fail(given)])


def _headings(
    given: dict[str, list[tuple[int, str]]], wanted: dict[str, list[tuple[int, str]]]
) -> Iterator[tuple[int, str]]:
    for title in wanted:
        if title not in given:
            yield 1, f"## {title} is missing"
        elif not any(line.strip() for _, line in given[title]):
            yield 1, f"## {title} is empty"


def _places(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.split("\n"), 1):
        found = _PLACE.search(line)
        if found is not None:
            yield number, f"{found[0]} is not filled"


def _figures(text: str) -> Iterator[tuple[int, str]]:
    """Find figures without a source; dates, headings and numbers of a list are none."""
    is_code = False
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith("```"):
            is_code = not is_code
        if is_code or line.startswith("#") or _SOURCE.search(line):
            continue
        found = _FIGURE.search(_DATE.sub(" ", _ITEM.sub("", line, count=1)))
        if found is not None:
            yield number, f"{found[0]} has no source; name a command, a file:line or a link"


def _can_fail(given: dict[str, list[tuple[int, str]]]) -> Iterator[tuple[int, str]]:
    """Find acceptance lines that nothing could contradict."""
    lines = [each for each in given.get("Acceptance", []) if _ITEM.match(each[1])]
    if "Acceptance" in given and not lines:
        yield 1, "## Acceptance has no line"
    for number, line in lines:
        if not _COMMAND.search(line) and not _OBSERVED.search(line):
            yield number, "names no command, and no `Observe: ... fails when ...`"
