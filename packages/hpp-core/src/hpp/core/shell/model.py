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
    "MARKS",
    "OPAQUE",
    "OPEN",
    "PIPE",
    "PRINTED",
    "SIMPLE",
    "SUB_CLOSE",
    "SUB_OPEN",
    "Input",
    "Reading",
    "Simple",
    "Substitution",
    "is_unknown",
]

SIMPLE, PIPE, END, OPEN, CLOSE, FUNCTION, SUB_OPEN, SUB_CLOSE = range(8)

# Noncharacters of Unicode stand for what a text alone cannot tell; the reader takes them
# out of its input first, so that nobody can write one.
OPAQUE = "\ufdd0"  # the value of a parameter or of an arithmetic expansion
PRINTED = "\ufdd1"  # what a substitution prints; its place among the word's substitutions
MARKS = OPAQUE + PRINTED + "\ufdd2\ufdd3\ufdd4"  # the others: quoted braces and commas


def is_unknown(word: str) -> bool:
    """Say whether a word is an expansion and nothing else; it may be several words, or none."""
    return word != "" and not word.strip(OPAQUE + PRINTED)


class Substitution:
    """A command, process or backquote substitution.

    Attributes:
        kind: ``$`` (also for backquotes), ``<`` or ``>``.
        flow: What its commands print and read; filled in by whoever judges.

    """

    __slots__ = ("flow", "kind")

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.flow: Any = None


class Input:
    """A here-document, a here-string or a process substitution that a command reads.

    Attributes:
        text: Its text, `PRINTED` for each of `subs`.
        subs: Substitutions in it.

    """

    __slots__ = ("subs", "text")

    def __init__(self, text: str, subs: list[Substitution]) -> None:
        self.text = text
        self.subs = subs


class Simple:
    """One simple command, or the redirections behind a compound one.

    Attributes:
        words: Program and arguments without quotes; `OPAQUE` stands for an expansion.
        shown: For the number of a word with expansions, the word as it was written.
        subs: For the number of a word, the substitutions in it, in order.
        inputs: What it reads.
        sources: Names of files that it reads.
        sinks: Process substitutions that it writes to.
        is_saved: Its output goes into a file.
        closes: It stands behind a compound command, which it ends.
        source, start, end: The text that was read, and where the command stands in it.

    """

    __slots__ = (
        "closes", "end", "inputs", "is_saved", "shown", "sinks", "source", "sources", "start",
        "subs", "words",
    )  # fmt: skip

    def __init__(self, source: str, start: int) -> None:
        self.words: list[str] = []
        self.shown: dict[int, str] = {}
        self.subs: dict[int, list[Substitution]] = {}
        self.inputs: list[Input] = []
        self.sources: list[str] = []
        self.sinks: list[Substitution] = []
        self.is_saved = False
        self.closes = False
        self.source = source
        self.start = start
        self.end = start

    @property
    def piece(self) -> str:
        """Return the command as it was written."""
        return self.source[self.start : self.end].strip()


class Reading:
    """The events of a text, in order.

    Attributes:
        events: Pairs of kind and value; the value is a `Simple` (of CLOSE the redirections
            of what it ends), a `Substitution`, the name of a function, or None.
        malformed: Something was left open, or closed that was not open.
        too_deep: Texts within texts that were not followed any further.

    """

    __slots__ = ("events", "malformed", "too_deep")

    def __init__(self) -> None:
        self.events: list[tuple[int, Any]] = []
        self.malformed = False
        self.too_deep: list[str] = []
