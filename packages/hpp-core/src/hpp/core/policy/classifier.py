"""Judge a text: every command that it would run, by every rule, in the order of the rules.

The events of a reading are walked once. What a pipe carries, what a substitution prints
and which functions are called is kept on a stack of lists, so that depth costs nothing.
"""

from __future__ import annotations

from hpp.core.policy.rule import (
    ADVISOR,
    DOWNLOADERS,
    EXTERNAL_SEND,
    ORDER,
    PIPE_SHELLS,
    PIPE_TO_SHELL,
    RECURSIVE_DELETE,
    SQL,
    TOO_DEEP,
    is_printer,
    is_text_only,
    names_advisor,
    push_rule,
    removes_recursively,
    sends,
)
from hpp.core.policy.sql import destroys
from hpp.core.shell.lexer import read_text
from hpp.core.shell.model import (
    CLOSE,
    FUNCTION,
    OPEN,
    PIPE,
    SIMPLE,
    SUB_CLOSE,
    SUB_OPEN,
    Simple,
    Substitution,
)
from hpp.core.shell.word import printed_text
from hpp.core.shell.wrapper import Inner, program_name, unwrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["Findings", "Hit", "Step", "classify"]

_DEEPEST = 8
_QUOTES = str.maketrans({"'": " ", '"': " ", "`": " "})
_SEPARATORS = str.maketrans(dict.fromkeys(";&|(){}<>\n\r`$", "\n"))
_SOURCES = frozenset({"source", ".", "eval"})


class Hit:
    """A rule that matched, and the piece of text that decided it."""

    __slots__ = ("piece", "rule")

    def __init__(self, rule: str, piece: str) -> None:
        self.rule = rule
        self.piece = piece


class Findings:
    """Everything that a text came to.

    Attributes:
        hits: The first hit of each rule that matched, in the order of the rules.
        commands: The words of every command that would run, joined by single blanks.

    """

    __slots__ = ("commands", "hits")

    def __init__(self, hits: list[Hit], commands: list[str]) -> None:
        self.hits = hits
        self.commands = commands


class Step:
    """One step of the reading, for a person who asks how a verdict came about."""

    __slots__ = ("depth", "kind", "rules", "text")

    def __init__(self, depth: int, kind: str, text: str) -> None:
        self.depth = depth
        self.kind = kind
        self.text = text
        self.rules: list[str] = []


def classify(text: str, steps: list[Step] | None = None) -> Findings:
    """Return what a text comes to; every text has findings, and it never raises.

    Linear in the length of the text.

    Args:
        text: What a shell would be given.
        steps: Filled with how it was read, when given.

    """
    import gc

    # A long text makes a great many small objects that all live to the end; collecting
    # among them would take most of the time.
    collects = gc.isenabled()
    gc.disable()
    try:
        return _classify(text, _Judge(steps))
    finally:
        if collects:
            gc.enable()


def _classify(text: str, judge: _Judge) -> Findings:
    unquoted = text.translate(_QUOTES)
    malformed = judge.text(text, 0)
    if malformed and unquoted != text:
        # What cannot be read as shell may only become stricter.
        judge.note(0, "rereads", "the text without its quotes, since it cannot be read as shell")
        judge.text(unquoted, 0)
    return judge.findings()


class _List:
    """One open command list on the way through the events.

    Attributes:
        fetched: A downloader's output reaches the stage that runs now.
        fetches: A downloader ran in the stage that runs now.
        fetched_any: One ran anywhere in the list.
        carried: Texts that the stages before print into this one; read once at most.
        carries_sql: One of them destroys a table.
        prints: Texts that the stage that runs now prints.
        printed: Texts that the whole list prints; lists of lists, to be flattened.

    """

    __slots__ = (
        "carried", "carries_sql", "fetched", "fetched_any", "fetches", "function", "inherited",
        "printed", "prints",
    )  # fmt: skip

    def __init__(self, outer: _List | None = None, function: str = "") -> None:
        self.inherited = outer
        self.function = function
        self.fetches = self.fetched_any = self.fetched = self.carries_sql = False
        self.prints: list[Any] = []
        self.printed: list[Any] = []
        self.begin()

    def begin(self) -> None:
        """Begin a command that only what feeds the whole list feeds."""
        outer = self.inherited
        self.fetched = outer is not None and outer.fetched
        self.carried: list[Any] = outer.carried if outer is not None else []
        self.carries_sql = outer is not None and outer.carries_sql

    def pipe(self) -> None:
        """Go on to the next stage of a pipe."""
        self.fetched = self.fetched or self.fetches
        self.fetches = False
        if self.prints:
            texts = _flat(self.prints)
            self.carries_sql = self.carries_sql or any(map(destroys, texts))
            self.carried = [*self.carried, texts]
            self.prints = []

    def end(self) -> None:
        """Go on to the next command of the list."""
        self.fetched_any = self.fetched_any or self.fetches or self.fetched
        self.fetches = False
        if self.prints or self.carried:
            self.printed.append(self.prints)
            if self.inherited is None or self.carried is not self.inherited.carried:
                self.printed.append(self.carried)
            self.prints = []
        self.begin()


def _flat(nested: list[Any]) -> list[str]:
    """Return the texts of lists of lists, without recursion."""
    texts: list[str] = []
    pending = [nested]
    while pending:
        for item in pending.pop():
            if isinstance(item, str):
                texts.append(item)
            else:
                pending.append(item)
    return texts


class _Judge:
    def __init__(self, steps: list[Step] | None) -> None:
        self.hits: dict[str, list[tuple[str, str]]] = {}
        self.calls: dict[str, set[str]] = {"": set()}
        self.functions: list[str] = [""]
        self.defined: set[str] = set()
        self.commands: list[tuple[str, list[str]]] = []
        self._steps = steps

    def findings(self) -> Findings:
        live = self._live()
        hits: list[Hit] = []
        for rule in ORDER:
            pieces = [piece for function, piece in self.hits.get(rule, ()) if function in live]
            if pieces:
                hits.append(Hit(rule, pieces[0]))
        commands = [" ".join(words) for function, words in self.commands if function in live]
        return Findings(hits, commands)

    def note(self, depth: int, kind: str, text: str) -> None:
        """Add a step for a person, when one asked."""
        if self._steps is not None:
            self._steps.append(Step(depth, kind, text))

    def _live(self) -> set[str]:
        """Return the functions that are called, from outside or from one that is."""
        live, pending = {""}, [""]
        while pending:
            for name in self.calls.get(pending.pop(), ()):
                if name in self.defined and name not in live:
                    live.add(name)
                    pending.append(name)
        return live

    def call(self, name: str) -> None:
        """Note that a command is called from where the walk stands."""
        self.calls.setdefault(self.functions[-1], set()).add(name)

    def hit(self, rule: str, piece: str) -> None:
        self.hits.setdefault(rule, []).append((self.functions[-1], piece))
        if self._steps:
            self._steps[-1].rules.append(rule)

    def text(self, text: str, depth: int) -> bool:
        """Judge a text that runs; say whether it was malformed."""
        self.note(depth, "reads", text)
        if depth > _DEEPEST:
            self._split(text)
            return False
        reading = read_text(text)
        _Walk(self, text, depth).run(reading.events)
        if reading.too_deep:
            self.hit(TOO_DEEP, text)
        return reading.malformed

    def _split(self, text: str) -> None:
        """Judge a text that is nested too deep as plain commands, and never allow it."""
        for line in text.translate(_QUOTES).translate(_SEPARATORS).split("\n"):
            words = line.split()
            for inner in unwrap(words) if words else []:
                if inner.words:
                    self.plain(inner.words, text)
        self.hit(TOO_DEEP, text)

    def plain(self, words: list[str], piece: str) -> None:
        """Judge the words of one command by the rules that need nothing else."""
        self.commands.append((self.functions[-1], words))
        if removes_recursively(words):
            self.hit(RECURSIVE_DELETE, piece)
        push = push_rule(words)
        if push is not None:
            self.hit(push, piece)
        if sends(words):
            self.hit(EXTERNAL_SEND, piece)
        if names_advisor(words) and not is_text_only(words, for_sql=False):
            self.hit(ADVISOR, piece)


class _Walk:
    """One pass over the events of a text."""

    def __init__(self, judge: _Judge, text: str, depth: int) -> None:
        self.judge = judge
        self.source = text
        self.depth = depth
        self.lists = [_List()]

    def run(self, events: list[tuple[int, object]]) -> None:
        for kind, value in events:
            current = self.lists[-1]
            if kind == SIMPLE and isinstance(value, Simple):
                self._simple(value, current)
            elif kind == PIPE:
                current.pipe()
            elif kind in (OPEN, FUNCTION):
                self._open(current, str(value) if kind == FUNCTION else "")
            elif kind == CLOSE:
                self._close()
            elif kind == SUB_OPEN:
                self.lists.append(_List())
            elif kind == SUB_CLOSE and isinstance(value, Substitution):
                inner = self.lists.pop()
                inner.end()
                value.fetches = inner.fetched_any
                value.printed = inner.printed
            else:
                current.end()

    def _open(self, current: _List, function: str) -> None:
        self.lists.append(_List(current, function))
        if function:
            self.judge.defined.add(function)
            self.judge.functions.append(function)

    def _close(self) -> None:
        inner = self.lists.pop()
        outer = self.lists[-1]
        inner.end()
        if inner.function:
            self.judge.functions.pop()
            return
        outer.fetches = outer.fetches or inner.fetched_any
        if inner.printed:
            outer.prints.append(inner.printed)

    def _simple(self, simple: Simple, current: _List) -> None:
        piece = self.source[simple.start : simple.end].strip()
        for inner in unwrap(simple.words):
            self._inner(inner, simple, current, piece)
        if simple.words:
            self.judge.call(simple.words[0])

    def _inner(self, inner: Inner, simple: Simple, current: _List, piece: str) -> None:
        if inner.too_deep:
            self.judge.hit(TOO_DEEP, piece)
        if not inner.words:
            self._texts(inner)
            return
        self.judge.note(self.depth, "runs", " ".join(inner.words))
        self.judge.plain(inner.words, piece)
        name = program_name(inner.words[0])
        if name in DOWNLOADERS:
            current.fetches = True
        is_fed = name in PIPE_SHELLS and current.fetched
        is_script = name in PIPE_SHELLS or name in _SOURCES
        if is_fed or (is_script and _takes_fetched(inner, simple)):
            self.judge.hit(PIPE_TO_SHELL, piece)
        if inner.reads_input:
            self._read_input(simple, current)
        self._sql(inner, simple, current, piece)
        self._texts(inner)
        if is_printer(inner.words):
            current.prints.append(printed_text(" ".join(inner.words[1:])))
        elif name in ("cat", "tee") and simple.inputs:
            current.prints.append(simple.inputs)

    def _texts(self, inner: Inner) -> None:
        for text in inner.texts:
            self.judge.text(text, self.depth + 1)

    def _read_input(self, simple: Simple, current: _List) -> None:
        """Judge what a shell is fed: here-documents, and what a pipe prints into it."""
        carried = _flat(current.carried)
        current.carried.clear()  # judged once, however many shells follow
        for text in simple.inputs + carried:
            self.judge.text(text, self.depth + 1)

    def _sql(self, inner: Inner, simple: Simple, current: _List, piece: str) -> None:
        texts = [" ".join(inner.words), *simple.inputs]
        for found in simple.subs.values():
            for sub in found:
                texts += _flat(sub.printed)
        is_destroyed = current.carries_sql or any(map(destroys, texts))
        if is_destroyed and not is_text_only(inner.words, for_sql=True):
            self.judge.hit(SQL, piece)


def _takes_fetched(inner: Inner, simple: Simple) -> bool:
    """Say whether a shell's script comes out of a substitution with a downloader in it."""
    subs = list(simple.input_subs)
    for number, found in simple.subs.items():
        if number > inner.first:
            subs += found
    return any(sub.fetches for sub in subs)
