"""The simple commands that a shell text would run: a plain list over `hpp.core.shell`.

For a reminder in front of a person's policy, not for a sandbox: aliases, functions, scripts
on disk and git's own aliases are not followed.
"""

from __future__ import annotations

import os

from hpp.core.shell.call import program_name
from hpp.core.shell.lexer import read_document, read_text, without_marks
from hpp.core.shell.linelexer import Document
from hpp.core.shell.model import CLOSE, FUNCTION, MARKS, OPEN, PIPE, SIMPLE, SUB_CLOSE, SUB_OPEN
from hpp.core.shell.word import printed_texts
from hpp.core.shell.wrapper import unwrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from hpp.core.portable.gitwords import GitCall
    from hpp.core.shell.call import Call
    from hpp.core.shell.model import Reading, Simple

__all__ = ["DEEPEST", "LONGEST", "Command", "commands", "git_call"]

LONGEST = 64 * 1024
DEEPEST = 4
_MARKS = frozenset(MARKS)
_PRINTERS = frozenset({"echo", "printf"})


class Command:
    """One simple command, behind all its wrappers.

    Attributes:
        words: Program and arguments, quotes removed; an expansion stands as it was written.
        program: Base name of the program without ``.exe``; empty when nobody can tell.
        opaque: What runs cannot be told from the text.
        piped_from: Number of the command whose output is its standard input, or None.
        depth: How many texts within texts it stands in.
        piece: The text it was read from.

    """

    __slots__ = ("depth", "opaque", "piece", "piped_from", "program", "words")

    def __init__(  # noqa: PLR0913 -- one value an attribute
        self,
        words: Sequence[str],
        *,
        program: str = "",
        opaque: bool = False,
        piped_from: int | None = None,
        depth: int = 0,
        piece: str = "",
    ) -> None:
        self.words = list(words)
        self.program = program
        self.opaque = opaque
        self.piped_from = piped_from
        self.depth = depth
        self.piece = piece

    def __repr__(self) -> str:
        return f"Command({self.words!r}, opaque={self.opaque}, piped_from={self.piped_from})"


def commands(text: str, *, system: str = os.name) -> list[Command]:
    """Return the simple commands of a text, in the order in which they are read.

    Substitutions, and texts that a shell is given to run (``sh -c``, ``eval``, ``git submodule
    foreach``, a here-document), are followed to depth 4. What is longer than 64 KiB, too
    deep, or not closed gives a command that is `opaque`.

    Args:
        text: Shell text.
        system: As `os.name`; on ``nt`` the case of a program's name does not count.

    """
    if len(text.encode("utf-8", "replace")) > LONGEST:
        return [Command([], opaque=True, piece=text)]
    reader = _Reader(system)
    reader.text(text, 0)
    return reader.found


def git_call(command: Command) -> GitCall | None:
    """Return what a command asks git for; None when it is no call of git."""
    if command.program.lower() != "git":
        return None
    from hpp.core.portable.gitwords import read_git_call

    return read_git_call(command.words)


class _Stage:
    """One open list of commands: what feeds it, and the last command in its pipeline."""

    __slots__ = ("fed_by", "first", "last", "source")

    def __init__(self, fed_by: int | None) -> None:
        self.fed_by = fed_by  # what the whole list reads from
        self.source: int | None = None  # what the next command reads from
        self.last: int | None = None
        self.first = True


class _Reader:
    """Collects the commands of a text and of the texts within it."""

    def __init__(self, system: str) -> None:
        self.system = system
        self.found: list[Command] = []

    def text(self, text: str, depth: int) -> None:
        """Read one text."""
        if depth > DEEPEST:
            self._opaque(text, depth)
            return
        reading = read_text(without_marks(text))
        self._reading(reading, depth)
        if reading.malformed:
            self._opaque(text, depth)

    def _reading(self, reading: Reading, depth: int) -> None:
        self._events(reading.events, depth)
        for inner in reading.too_deep:
            self._opaque(inner, depth)

    def _opaque(self, piece: str, depth: int) -> None:
        self.found.append(Command([], opaque=True, depth=depth, piece=piece))

    def _events(self, events: Sequence[tuple[int, Any]], depth: int) -> None:
        stack = [_Stage(None)]
        for kind, value in events:
            stage = stack[-1]
            if kind == SIMPLE:
                source = stage.source if stage.source is not None else stage.fed_by
                stage.last = self._simple(value, depth, source)
                stage.source = None
            elif kind == PIPE:
                stage.source = stage.last
            elif kind in (OPEN, FUNCTION):
                source = stage.source if stage.source is not None else stage.fed_by
                stack.append(_Stage(source))
            elif kind == SUB_OPEN:
                stack.append(_Stage(None))
            elif kind == CLOSE and len(stack) > 1:
                ended = stack.pop()
                stack[-1].last, stack[-1].source = ended.last, None
                self._inputs(value, depth, runs=False)
            elif kind == SUB_CLOSE and len(stack) > 1:
                stack.pop()
            else:
                stage.source = None

    def _simple(self, simple: Simple, depth: int, source: int | None) -> int | None:
        """Add what a simple command runs, and return the number of what it comes down to."""
        if not simple.words:
            self._inputs(simple, depth, runs=False)
            return None
        last: int | None = None
        reads = False
        for call in unwrap(simple.words):
            if call.command or call.is_login:
                last = self._plain(call, simple, depth, source)
            if call.too_deep:
                self._opaque(simple.piece, depth)
            for script in call.scripts:
                self.text(script.text, depth + 1)
            reads = reads or call.reads_input
        self._inputs(simple, depth, runs=reads)
        if reads and source is not None and self.found[source].program in _PRINTERS:
            for printed in printed_texts(self.found[source].words):
                self.text(printed, depth + 1)
        return len(self.found) - 1 if last is None and self.found else last

    def _plain(self, call: Call, simple: Simple, depth: int, source: int | None) -> int:
        words = call.command or list(call.words[call.first : call.first + 1])
        is_unknown = not words or not _MARKS.isdisjoint(words[0])
        program = "" if is_unknown else program_name(words[0])
        if self.system == "nt":
            program = program.lower()
        own = call.words is simple.words and len(words) == call.end - call.first
        shown = [
            simple.shown.get(call.first + number, word) if own else _without(word)
            for number, word in enumerate(words)
        ]
        self.found.append(
            Command(
                shown,
                program=program,
                opaque=is_unknown,
                piped_from=source,
                depth=depth,
                piece=simple.piece,
            )
        )
        return len(self.found) - 1

    def _inputs(self, simple: Simple, depth: int, *, runs: bool) -> None:
        """Read here-documents: what a shell runs, and substitutions in any other."""
        for given in simple.inputs:
            if runs:
                self.text(given.text, depth + 1)
            elif given.__class__ is Document and not {"$", "`"}.isdisjoint(given.text):
                if depth < DEEPEST:
                    self._reading(read_document(given.text)[1], depth + 1)
                else:
                    self._opaque(given.text, depth)


def _without(word: str) -> str:
    return "".join("$?" if char in _MARKS else char for char in word)
