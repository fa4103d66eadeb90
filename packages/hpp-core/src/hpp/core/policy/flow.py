"""What a list of commands prints, and what it does with its standard input.

Printed text is kept as it comes up: texts, and lists of texts that are joined only when a
shell reads them, so that depth costs nothing.
"""

from __future__ import annotations

from hpp.core.policy.advisor import names_advisor
from hpp.core.policy.sql import destroyed
from hpp.core.shell.model import OPAQUE, PRINTED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from hpp.core.shell.model import Simple, Substitution

__all__ = ["Builder", "Flow", "flat", "resolved"]

_MOST_BUILDERS = 8


class Builder:
    """A command that `xargs` completes with what it reads."""

    __slots__ = ("command", "replaces", "simple")

    def __init__(self, command: Sequence[str], replaces: str, simple: Simple) -> None:
        self.command = command
        self.replaces = replaces
        self.simple = simple


class Flow:
    """What comes out of some commands, and what becomes of what goes in.

    Attributes:
        fetches: A downloader's output is in what they print.
        prints: What the text tells of the rest; see `flat`.
        size: An upper bound of its length in characters.
        sql, advisor: What it destroys, and whether it names the advisor's file.
        shell: A shell of the rule `pipe-to-shell` that has their standard input.
        reads: A shell executes their standard input.
        consumer: A program has it that does more than to show or store it.
        builders: Commands that it completes.

    """

    __slots__ = (
        "advisor", "builders", "consumer", "fetches", "prints", "reads", "shell", "size", "sql",
    )  # fmt: skip

    def __init__(self) -> None:
        self.fetches = False
        self.prints: list[Any] = []
        self.size = 0
        self.sql = ""
        self.advisor = False
        self.shell: Simple | None = None
        self.reads = False
        self.consumer: Simple | None = None
        self.builders: list[Builder] = []

    def print(self, text: str, subs: Sequence[Substitution] = ()) -> None:
        """Add a printed text, `PRINTED` in it for each of the substitutions."""
        self.size += len(text) + 1
        self.sql = self.sql or destroyed(text)
        self.advisor = self.advisor or names_advisor(text)
        self.prints.append(text if not subs else resolved(text, subs))
        for sub in subs:
            if sub.flow is not None:
                self.fetches = self.fetches or sub.flow.fetches
                self._take(sub.flow)

    def add_output(self, other: Flow, *, prints: bool = True) -> None:
        """Print what some other commands print, or only what they fetch."""
        self.fetches = self.fetches or other.fetches
        if other.prints and prints:
            self._take(other)
            self.prints.append(other.prints)

    def _take(self, other: Flow) -> None:
        self.size += other.size + 1  # one for the list around it
        self.sql = self.sql or other.sql
        self.advisor = self.advisor or other.advisor

    def save(self) -> None:
        """Let what is printed go into a file."""
        self.prints, self.size, self.sql, self.advisor = [], 0, "", False

    def add_builders(self, builders: Sequence[Builder]) -> None:
        """Note commands that the standard input completes, until there are enough."""
        if len(self.builders) < _MOST_BUILDERS:
            self.builders += builders

    def add_input(self, other: Flow) -> None:
        """Do with the standard input what some other commands do."""
        self.shell = self.shell or other.shell
        self.reads = self.reads or other.reads
        self.consumer = self.consumer or other.consumer
        if other.builders:
            self.add_builders(other.builders)


class _Strip:
    """A place in nested printed text: the lines' ends before it go."""


_STRIP = _Strip()


def resolved(text: str, subs: Sequence[Substitution]) -> list[Any]:
    """Return a text with what its substitutions print, as nested printed text."""
    first, *rest = text.split(PRINTED)
    parts: list[Any] = [first]
    for number, part in enumerate(rest):
        flow = subs[number].flow if number < len(subs) else None
        if flow is not None and flow.prints:
            parts += [flow.prints, _STRIP]
        else:
            parts.append(OPAQUE)
        parts.append(part)
    return parts


def flat(nested: Sequence[Any]) -> str:
    """Return nested printed text as one text, without recursion."""
    out: list[str] = []
    pending = [iter(nested)]
    while pending:
        for item in pending[-1]:
            if item.__class__ is str:
                out.append(item)
            elif item is _STRIP:
                _strip_end(out)
            else:
                pending.append(iter(item))
                break
        else:
            pending.pop()
    return "".join(out)


def _strip_end(out: list[str]) -> None:
    """Drop the ends of lines that a substitution drops."""
    while out and out[-1].endswith("\n"):
        out[-1] = out[-1].rstrip("\n")
        if out[-1]:
            return
        out.pop()
