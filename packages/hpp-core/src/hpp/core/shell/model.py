"""What the reader makes of a text: simple commands, and how they are connected.

The events of a reading stand in one flat list, so that neither reading nor judging needs
recursion, however deep a text nests.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = [
    "CLOSE",
    "END",
    "FUNCTION",
    "OPEN",
    "PIPE",
    "SIMPLE",
    "SUB_CLOSE",
    "SUB_OPEN",
    "Reading",
    "Simple",
    "Substitution",
]

SIMPLE, PIPE, END, OPEN, CLOSE, FUNCTION, SUB_OPEN, SUB_CLOSE = range(8)


class Substitution:
    """A command, process or backquote substitution inside a word.

    Attributes:
        fetches: A command in it is a downloader; filled in by whoever judges.
        printed: What its commands print, as far as the text says; likewise, as lists of
            texts and of lists.

    """

    __slots__ = ("fetches", "printed")

    def __init__(self) -> None:
        self.fetches = False
        self.printed: list[Any] = []


class Simple:
    """One simple command: words without quotes, assignments and redirections.

    Attributes:
        words: Program and arguments; expansions stay as they are written.
        subs: For the number of a word, the substitutions in it.
        inputs: Here-documents and here-strings that it reads.
        input_subs: Substitutions in what it reads from.
        start, end: Where it stands in the text that was read.

    """

    __slots__ = ("end", "input_subs", "inputs", "start", "subs", "words")

    def __init__(self, start: int) -> None:
        self.words: list[str] = []
        self.subs: dict[int, list[Substitution]] = {}
        self.inputs: list[str] = []
        self.input_subs: list[Substitution] = []
        self.start = start
        self.end = start


class Reading:
    """The events of a text, in order.

    Attributes:
        events: Pairs of kind and value; the value is a `Simple`, a `Substitution`, the name
            of a function, or None.
        malformed: Something was left open, or closed that was not open.
        too_deep: Lists nest deeper than they are followed.

    """

    __slots__ = ("events", "malformed", "too_deep")

    def __init__(self) -> None:
        self.events: list[tuple[int, object]] = []
        self.malformed = False
        self.too_deep = False
