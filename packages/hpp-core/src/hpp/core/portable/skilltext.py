"""A skill's text, taken apart: front matter, header lines, sections, steps and examples."""

from __future__ import annotations

import re

from hpp.core.errors import RefusedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

__all__ = ["Block", "Example", "Section", "Skill", "read_skill"]

_HEADER = re.compile(r"> \*\*([A-Za-z-]+):\*\*[ \t]*(.*)")
_HEADING = re.compile(r"##[ \t]+(.+?)[ \t]*#*")
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})[ \t]*(\S*)")
_STAMP = re.compile(r"<!-- executed: (\d{4}-\d{2}-\d{2}) · exit=(\d{1,3})( · replay)? -->")
_STEP = re.compile(r"(?:#{3,4}[ \t]+)?\d{1,3}[.)][ \t]+")
_INLINE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")


class Block:
    """A fenced block: its line, its language and its lines."""

    __slots__ = ("language", "line", "lines")

    def __init__(self, line: int, language: str) -> None:
        self.line = line
        self.language = language
        self.lines: list[str] = []

    def command(self) -> str:
        """Return the first command: what follows the first `$ `, else the first line."""
        for line in self.lines:
            if line.lstrip().startswith("$ "):
                return line.lstrip()[2:].strip()
        return next((line.strip() for line in self.lines if line.strip()), "")


class Section:
    """What stands under a heading of the second level."""

    __slots__ = ("line", "lines", "title")

    def __init__(self, title: str, line: int) -> None:
        self.title = title
        self.line = line
        self.lines: list[str] = []

    @property
    def text(self) -> str:
        """Return the lines joined."""
        return "\n".join(self.lines)

    def blocks(self) -> list[Block]:
        """Return the fenced blocks."""
        return [part for part in self.parts() if isinstance(part, Block)]

    def parts(self) -> Iterator[Block | tuple[int, str]]:
        """Yield the blocks, and each line outside them with its number."""
        block, closing = None, ""
        for number, line in enumerate(self.lines, self.line + 1):
            if block is not None and line.strip() == closing:
                yield block
                block = None
            elif block is not None:
                block.lines.append(line)
            elif (fence := _FENCE.match(line)) is not None:
                block, closing = Block(number, fence[2]), fence[1]
            else:
                yield number, line
        if block is not None:
            yield block

    def bullets(self) -> int:
        """Return how many bullets stand outside of blocks."""
        return sum(line[1].lstrip().startswith(("- ", "* ")) for line in _prose(self))

    def steps(self) -> list[tuple[int, str, list[str]]]:
        """Return each numbered step as its line, its text and the commands in it."""
        found: list[tuple[int, list[str], list[str]]] = []
        for part in self.parts():
            if isinstance(part, Block):
                if found and part.command():
                    found[-1][2].append(part.command())
                continue
            number, line = part
            if _STEP.match(line):
                found.append((number, [], []))
            if found:
                found[-1][1].append(line)
                found[-1][2].extend(_INLINE.findall(line))
        return [(number, "\n".join(lines), commands) for number, lines, commands in found]


class Example:
    """An executed example: its line, command, date, exit status, and whether to replay it."""

    __slots__ = ("command", "date", "exit", "line", "replay")

    def __init__(self, line: int, command: str, found: re.Match[str]) -> None:
        self.line = line
        self.command = command
        self.date = found[1]
        self.exit = int(found[2])
        self.replay = found[3] is not None


class Skill:
    """A skill's text.

    Attributes:
        front: The front matter, or None.
        fault: What is wrong with the front matter, or an empty text.
        headers: The header lines by name.
        sections: The sections by title.
        body: Every line behind the front matter, as one section without a title.

    """

    __slots__ = ("body", "fault", "front", "headers", "sections")

    def __init__(self) -> None:
        self.front: dict[str, Any] | None = None
        self.fault = ""
        self.headers: dict[str, str] = {}
        self.sections: dict[str, Section] = {}
        self.body = Section("", 0)

    def examples(self) -> tuple[list[Example], list[int]]:
        """Return the executed examples, and the lines of stamps that cannot be read."""
        section = self.sections.get("Executed examples")
        found: list[Example] = []
        unread: list[int] = []
        command = ""
        for part in section.parts() if section else ():
            if isinstance(part, Block):
                command = part.command()
                continue
            number, line = part
            stamp = _STAMP.fullmatch(line.strip())
            if stamp:
                found.append(Example(number, command, stamp))
                command = ""
            elif "<!-- executed" in line:
                unread.append(number)
        return found, unread


def read_skill(text: str) -> Skill:
    """Return a skill's parts; nothing that its text holds raises."""
    skill = Skill()
    lines = text.split("\n")
    first = _take_front(skill, lines)
    skill.body = Section("", first)
    skill.body.lines = lines[first:]
    section: Section | None = None
    in_block = ""
    for number, line in enumerate(lines[first:], first + 1):
        fence = _FENCE.match(line)
        if in_block:
            in_block = "" if line.strip() == in_block else in_block
        elif fence:
            in_block = fence[1]
        elif (heading := _HEADING.fullmatch(line)) is not None:
            section = Section(heading[1], number)
            skill.sections.setdefault(heading[1], section)
            continue
        elif section is None and (header := _HEADER.fullmatch(line.rstrip())) is not None:
            skill.headers[header[1]] = header[2]
        if section is not None:
            section.lines.append(line)
    return skill


def _take_front(skill: Skill, lines: list[str]) -> int:
    """Read the front matter and return how many lines it takes."""
    if lines[0].rstrip() != "---" or "---" not in [line.rstrip() for line in lines[1:]]:
        skill.fault = "no front matter between two lines of ---"
        return 0
    end = next(number for number, line in enumerate(lines) if number and line.rstrip() == "---")
    from hpp.core.portable.minicfg import load_yaml

    try:
        front = load_yaml("\n".join(lines[1:end]) + "\n", "front matter")
    except RefusedError as error:
        skill.fault = str(error)
        return end + 1
    if isinstance(front, dict):
        skill.front = front
    else:
        skill.fault = "the front matter is no mapping"
    return end + 1


def _prose(section: Section) -> list[tuple[int, str]]:
    return [part for part in section.parts() if not isinstance(part, Block)]
