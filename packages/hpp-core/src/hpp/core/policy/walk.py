"""One pass over the events of a text: commands are judged, and what flows between them.

What a pipe carries and what a substitution prints is kept on a stack of lists, so that
depth costs nothing.
"""

from __future__ import annotations

from hpp.core.policy.command import DOWNLOADERS, judge_command
from hpp.core.policy.flow import Builder, Flow, flat, resolved
from hpp.core.policy.mention import PRINTERS, mentions_sql
from hpp.core.policy.rule import ADVISOR, PIPE_TO_SHELL, SQL, TOO_DEEP
from hpp.core.shell.lexer import read_document
from hpp.core.shell.linelexer import Document
from hpp.core.shell.model import (
    CLOSE,
    FUNCTION,
    OPEN,
    PIPE,
    PRINTED,
    SIMPLE,
    SUB_CLOSE,
    SUB_OPEN,
    Simple,
)
from hpp.core.shell.word import printed_texts
from hpp.core.shell.wrapper import unwrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from hpp.core.policy.classifier import Judge
    from hpp.core.shell.call import Call, Script
    from hpp.core.shell.model import Substitution

__all__ = ["Walk"]

_PIPE_SHELLS = frozenset({"sh", "bash", "zsh", "dash", "ksh"})
_MOST_LINES = 64
_DEEPEST_BUILDS = 8


class _List:
    """One open command list on the way through the events."""

    __slots__ = ("came", "first", "flow", "function", "stage")

    def __init__(self, flow: Flow, function: str = "") -> None:
        self.flow = flow  # of the whole list
        self.function = function
        self.stage: Flow | None = None  # what runs now
        self.came: Flow | None = None  # what the stage before prints
        self.first: Simple | None = None  # where the pipeline begins


class Walk:
    """Judges the events of one text.

    Args:
        judge: Takes the hits, and judges the texts within.
        depth: How many texts this one stands in.
        raw: The text is malformed, so that nobody knows where its functions end.

    """

    def __init__(self, judge: Judge, depth: int, *, raw: bool = False) -> None:
        self.judge = judge
        self.depth = depth
        self.raw = raw
        self.malformed = False
        self.defines = False
        self.lists: list[_List] = []

    def run(self, events: Sequence[tuple[int, Any]], flow: Flow) -> None:
        """Judge all events; what comes out of them is added to a flow."""
        self.lists.append(_List(flow))
        for kind, value in events:
            if kind == SIMPLE:
                self._simple(value)
            elif kind == PIPE:
                self._end_stage(is_pipe=True)
            elif kind in (OPEN, FUNCTION):
                self._open(value if kind == FUNCTION else "")
            elif kind == CLOSE:
                self._close(value)
            elif kind == SUB_OPEN:
                self.lists.append(_List(Flow()))
            elif kind == SUB_CLOSE:
                self._end_stage()
                value.flow = self.lists.pop().flow
            else:
                self._end_stage()
        self._end_stage()
        self.lists.pop()

    # Lists and pipes.

    def _open(self, function: str) -> None:
        if self.raw:
            function = ""
        self.lists.append(_List(Flow(), function))
        if function:
            self.defines = True
            self.judge.functions.append(function)

    def _close(self, tail: Simple) -> None:
        self._end_stage()
        inner = self.lists.pop()
        if inner.function:
            self.judge.functions.pop()
            self.judge.defined[inner.function] = inner.flow
            return
        self._add_stage(inner.flow, tail)

    def _add_stage(self, stage: Flow, simple: Simple) -> None:
        """Add what a command or a compound command does, its redirections included."""
        own = self._own_input(simple)
        current = self.lists[-1]
        current.first = current.first or simple
        current.stage = stage
        if own is not None:
            self._connect(own, stage, simple)
            stage.add_output(own, prints=not stage.reads)
        for sub in simple.sinks:
            self._into_sink(stage, sub, simple)
        if simple.is_saved:
            stage.save()

    def _end_stage(self, *, is_pipe: bool = False) -> None:
        """Let what came before into the stage that ends, and go on."""
        current = self.lists[-1]
        stage, current.stage = current.stage, None
        came, current.came = current.came, None
        if stage is not None and came is not None:
            self._connect(came, stage, current.first)
            stage.add_output(came, prints=not stage.reads)
        elif stage is not None:
            current.flow.add_input(stage)
        else:
            stage = came
        if is_pipe:
            current.came = stage or Flow()
        else:
            if stage is not None:
                current.flow.add_output(stage)
            current.first = None

    def _connect(self, source: Flow, sink: Flow, first: Simple | None) -> None:
        """Judge what reaches a shell, a program or a command that it completes."""
        judge = self.judge
        if source.fetches and sink.shell is not None:
            judge.hit(PIPE_TO_SHELL, _span(first, sink.shell), feeds=self.depth)
        if not source.prints:
            return
        if sink.consumer is not None:
            if source.sql:
                judge.hit(SQL, source.sql)
            if source.advisor:
                judge.hit(ADVISOR, _span(first, sink.consumer), feeds=self.depth)
        if sink.reads or sink.builders:
            text = self._flat(source)
            if sink.reads:
                sink.add_output(judge.text(text, self.depth + 1))
            for builder in sink.builders:
                self._build(builder, text, sink)

    def _flat(self, flow: Flow) -> str:
        """Return printed text as one text, within the budget of the whole."""
        self.judge.budget -= flow.size
        if self.judge.budget < 0:
            self.judge.hit(TOO_DEEP, "")
            return ""
        return flat(flow.prints)

    def _build(self, builder: Builder, text: str, stage: Flow) -> None:
        """Judge the command that `xargs` makes of a text."""
        if self.depth > _DEEPEST_BUILDS:
            self.judge.hit(TOO_DEEP, builder.simple)
            return
        walk = Walk(self.judge, self.depth + 1)
        walk.lists.append(_List(Flow()))
        for words in _completed(builder, text):
            for call in unwrap(words):
                walk.call(call, builder.simple, stage)
        walk.lists.pop()

    # Simple commands.

    def _simple(self, simple: Simple) -> None:
        if not simple.words:
            if simple.inputs:
                self._add_stage(Flow(), simple)
            return
        judge = self.judge
        stage = Flow()
        if judge.commands is not None:
            judge.commands[_shown(simple, 0, len(simple.words))] = None
        judge.call(simple.words[0])
        for call in unwrap(simple.words):
            self.call(call, simple, stage)
        self._arguments(simple, stage)
        self._add_stage(stage, simple)

    def plain_words(self, words: list[str], piece: str) -> None:
        """Judge words that were not read as shell text, by the rules for single commands."""
        for call in unwrap(words):
            if call.command:
                judge_command(self.judge, call.command, piece)

    def call(self, call: Call, simple: Simple, stage: Flow) -> None:
        """Judge what one command comes down to."""
        judge = self.judge
        judge.note_command(simple, self.depth, call.command, call.through)
        if call.too_deep:
            judge.hit(TOO_DEEP, simple)
        for script in call.scripts:
            self._script(script, call, simple, stage)
        if call.reads_input:
            stage.reads = True
        if call.is_login:
            stage.shell = stage.shell or simple
        if call.command:
            self._plain(call, simple, stage)

    def _plain(self, call: Call, simple: Simple, stage: Flow) -> None:
        """Judge a plain command, and note what it prints and reads."""
        judge, command = self.judge, call.command
        name = judge_command(judge, command, simple, call)
        self._note_call(call, simple)
        known = judge.defined.get(command[0])
        if known is not None:
            stage.add_input(known)
            stage.add_output(known)
        if name in DOWNLOADERS:
            stage.fetches = True
        elif name in _PIPE_SHELLS:
            stage.shell = stage.shell or simple
        elif name in PRINTERS:
            self._print(call, simple, stage)
        elif name == "alias":
            self._alias(command)
        if call.file >= 0:
            self._file(call, simple, stage)
        if call.appends:
            stage.add_builders([Builder(command, call.replaces, simple)])
        is_shell = call.scripts or call.reads_input
        if stage.consumer is None and not is_shell and not mentions_sql(name, command):
            stage.consumer = simple

    def _note_call(self, call: Call, simple: Simple) -> None:
        """Note what is behind the wrappers: it may be a function, and a project may ask for it."""
        judge = self.judge
        is_own = call.words is simple.words
        if call.first or not is_own:
            judge.call(call.command[0])
            if judge.commands is not None:
                words = _shown(simple, call.first, call.end) if is_own else tuple(call.command)
                judge.commands[words] = None

    def _print(self, call: Call, simple: Simple, stage: Flow) -> None:
        """Note what `echo` or `printf` prints; the shells do not agree on escapes."""
        subs = _subs(simple, call.first, call.end) if call.words is simple.words else []
        for text in printed_texts(call.command):
            stage.print(text, subs)

    def _alias(self, command: list[str]) -> None:
        """Judge what an alias stands for: it counts when the alias is called."""
        for word in command[1:]:
            name, equals, text = word.partition("=")
            if equals:
                self.judge.functions.append(name)
                self.judge.defined[name] = self.judge.text(text, self.depth + 1)
                self.judge.functions.pop()

    def _script(self, script: Script, call: Call, simple: Simple, stage: Flow) -> None:
        """Judge a text that is executed, with what substitutions print into it."""
        judge = self.judge
        text = script.text
        if PRINTED in text:
            subs = _subs(simple, script.first, script.last) if call.words is simple.words else []
            text = flat(resolved(text, subs))
            judge.budget -= len(text)
            if any(sub.flow is not None and sub.flow.fetches for sub in subs):
                judge.hit(PIPE_TO_SHELL, simple)
        flow = judge.text(text, self.depth + 1, script.dialect)
        stage.add_input(flow)
        stage.add_output(flow)

    def _file(self, call: Call, simple: Simple, stage: Flow) -> None:
        """Judge a shell's script file that is a substitution: ``bash <(…)``."""
        for sub in simple.subs.get(call.file, ()) if call.words is simple.words else ():
            flow = sub.flow
            if flow is None:
                continue
            if flow.fetches:
                self.judge.hit(PIPE_TO_SHELL, simple)
            if flow.prints and sub.kind == "<":
                stage.add_output(self.judge.text(self._flat(flow), self.depth + 1))

    def _arguments(self, simple: Simple, stage: Flow) -> None:
        """Judge what the substitutions among the arguments print."""
        if not simple.subs:
            return
        for subs in simple.subs.values():
            for sub in subs:
                flow = sub.flow
                if flow is None:
                    continue
                if sub.kind == ">":
                    self._into_sink(stage, sub, simple)
                elif sub.kind == "<":
                    stage.add_output(flow)
                if sub.kind != ">" and stage.consumer is not None:
                    if flow.sql:
                        self.judge.hit(SQL, flow.sql)
                    if flow.advisor:
                        self.judge.hit(ADVISOR, simple)

    def _into_sink(self, stage: Flow, sub: Substitution, simple: Simple) -> None:
        """Let what a command prints, and what it reads, into ``>(…)``."""
        if sub.flow is not None:
            self._connect(stage, sub.flow, simple)
            stage.add_input(sub.flow)

    def _own_input(self, simple: Simple) -> Flow | None:
        """Return what a command's own redirections feed it."""
        if not simple.inputs:
            return None
        own = Flow()
        for given in simple.inputs:
            text, subs = given.text, given.subs
            if given.__class__ is Document:
                text, subs = self._document(text)
            own.print(text, subs)
        return own

    def _document(self, body: str) -> tuple[str, list[Substitution]]:
        """Judge the substitutions of a here-document, and return what it comes to."""
        if "$" not in body and "`" not in body and "\\" not in body:
            return body, []
        if self.depth >= _DEEPEST_BUILDS:
            self.judge.split(body)
            return body, []
        read, reading = read_document(body)
        self.malformed = self.malformed or reading.malformed
        for inner in reading.too_deep:
            self.judge.split(inner)
        walk = Walk(self.judge, self.depth + 1)
        walk.run(reading.events, Flow())
        self.malformed = self.malformed or walk.malformed
        return read.text, read.subs


def _subs(simple: Simple, first: int, last: int) -> list[Substitution]:
    """Return the substitutions of some words, in order."""
    if not simple.subs:
        return []
    return [sub for number in range(first, last) for sub in simple.subs.get(number, ())]


def _shown(simple: Simple, first: int, last: int) -> tuple[str, ...]:
    """Return words with their expansions as they were written."""
    words = simple.words
    if not simple.shown:
        return tuple(words[first:last])
    return tuple(simple.shown.get(n, words[n]) for n in range(first, last))


def _span(first: Simple | None, last: Simple) -> Simple:
    """Return what stands from the beginning of a pipeline to one of its commands."""
    if first is None or first.source is not last.source or first.start > last.start:
        return last
    span = Simple(last.source, first.start)
    span.end = last.end
    return span


def _completed(builder: Builder, text: str) -> list[list[str]]:
    """Return the commands that `xargs` makes of a text: by words, by lines, and as a whole."""
    command, mark = list(builder.command), builder.replaces
    if not mark:
        return [command + text.split(), [*command, text.strip()]]
    lines = text.splitlines()
    lines[_MOST_LINES:] = ["\n".join(lines[_MOST_LINES:])]  # the others at once
    made = [[word.replace(mark, line.strip()) for word in command] for line in lines]
    return [*made, command + text.split()]
