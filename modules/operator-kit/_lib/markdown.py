"""Markdown that people keep state in: the checkboxes of a document."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Checkbox", "checkboxes"]

_BULLETS = ("- ", "* ", "+ ")
_FENCES = ("```", "~~~")


class Checkbox:
    """One item of a task list.

    Attributes:
        line: Its number, from 1.
        is_checked: It is ticked.
        text: What stands behind the box.

    """

    __slots__ = ("is_checked", "line", "text")

    def __init__(self, line: int, text: str, *, is_checked: bool) -> None:
        self.line = line
        self.text = text
        self.is_checked = is_checked


def checkboxes(text: str) -> Iterator[Checkbox]:
    """Yield the items of task lists in their order; what stands in a code block is none."""
    fence = ""
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.strip()
        if line.startswith(_FENCES):
            mark = line[:3]
            fence = mark if not fence else ("" if mark == fence else fence)
            continue
        if fence or not line.startswith(_BULLETS):
            continue
        rest = line[2:].lstrip()
        if rest[:1] == "[" and rest[2:3] == "]" and rest[1] in " xX" and rest[3:4] in ("", " "):
            yield Checkbox(number, rest[3:].strip(), is_checked=rest[1] != " ")
