"""The blocks of a Markdown text: what is prose, a heading or a row of a table, and what is code.

Read once, line by line. Anything in a fence is left out; block quotes, indented lines and
HTML are prose.
"""

from __future__ import annotations

import re

__all__ = ["HEADING", "TABLE", "TEXT", "Block", "read_blocks"]

TEXT, HEADING, TABLE = "text", "heading", "table"

_FENCE = re.compile(r"[ \t]*(`{3,}(?=[^`]*\Z)|~{3,})")
_ATX = re.compile(r" {0,3}#{1,6}(?=[ \t]|\Z)")
_SETEXT = re.compile(r" {0,3}(?:={2,}|-{2,})[ \t]*\Z")
# A blank must follow: a line may be the end of a sentence, such as "12.".
_ITEM = re.compile(r"[ \t]*(?:[-*+]|[0-9]{1,9}[.)])[ \t]+")
_SHORTEST_RULE = 3


class Block:
    """A run of text that sentences do not leave.

    Attributes:
        kind: `TEXT`, which is split into sentences, or `HEADING` or `TABLE`, which are one.
        start: Where it begins, after the mark of a heading or a list item.
        end: Where it ends.

    """

    __slots__ = ("end", "kind", "start")

    def __init__(self, kind: str, start: int, end: int) -> None:
        self.kind = kind
        self.start = start
        self.end = end


def read_blocks(text: str) -> list[Block]:
    r"""Return the blocks of a text whose lines end in ``\n``, in order."""
    reader = _Reader()
    at = 0
    for line in text.split("\n"):
        reader.take(line, at)
        at += len(line) + 1
    return reader.blocks


class _Reader:
    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self._fence = ""  # the mark that opened it
        self._open: Block | None = None  # what the next line may continue
        self._may_be_underlined = False

    def take(self, line: str, at: int) -> None:
        """Read the next line, which begins at `at`."""
        if self._fence:
            if _closes(line, self._fence):
                self._fence = ""
        elif not self._opens_fence(line):
            self._read(line, at)

    def _opens_fence(self, line: str) -> bool:
        found = _FENCE.match(line)
        if found is None:
            return False
        self._fence = found[1]
        self._open = None
        return True

    def _read(self, line: str, at: int) -> None:
        if _SETEXT.match(line) and self._open is not None and self._may_be_underlined:
            self._open.kind = HEADING
            self._open = None
        elif not line.strip() or _is_rule(line):
            self._open = None
        elif (heading := _ATX.match(line)) is not None:
            self._add(HEADING, at + heading.end(), at + len(line))
            self._open = None
        elif line.lstrip().startswith("|"):
            if line.strip("|:- \t"):
                self._add(TABLE, at, at + len(line))
            self._open = None
        elif (item := _ITEM.match(line)) is not None:
            self._item(line, at, item.end())
        else:
            self._prose(line, at)

    def _item(self, line: str, at: int, mark_end: int) -> None:
        """Begin a block after the mark of a list item, and after marks that follow it."""
        while (inner := _ITEM.match(line, mark_end)) is not None:
            mark_end = inner.end()
        if self._opens_fence(line[mark_end:]):
            return
        self._open = self._add(TEXT, at + mark_end, at + len(line))
        self._may_be_underlined = False

    def _prose(self, line: str, at: int) -> None:
        # Under a quoted line, a row of dashes is a rule outside the quotation.
        is_quoted = line.lstrip().startswith(">")
        if self._open is None:
            self._open = self._add(TEXT, at, at + len(line))
            self._may_be_underlined = not is_quoted
        else:
            self._open.end = at + len(line)
            self._may_be_underlined = self._may_be_underlined and not is_quoted

    def _add(self, kind: str, start: int, end: int) -> Block:
        self.blocks.append(Block(kind, start, end))
        return self.blocks[-1]


def _closes(line: str, fence: str) -> bool:
    bare = line.strip(" \t")
    return len(bare) >= len(fence) and not bare.strip(fence[0])


def _is_rule(line: str) -> bool:
    bare = line.replace(" ", "").replace("\t", "")
    return len(bare) >= _SHORTEST_RULE and bare[0] in "-*_" and not bare.strip(bare[0])
