"""Judge a text: every command that it would run, by every rule, in the order of the rules."""

from __future__ import annotations

from hpp.core.policy.finding import FEEDS, READS, REREADS, RUNS, Findings, Hit, Step
from hpp.core.policy.flow import Flow
from hpp.core.policy.rule import ORDER, TOO_DEEP
from hpp.core.policy.walk import Walk
from hpp.core.shell.call import CMD, POWERSHELL, SHELL
from hpp.core.shell.lexer import read_text, without_marks
from hpp.core.shell.model import Simple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hpp.core.shell.model import Reading

__all__ = ["DEEPEST", "Findings", "Hit", "Judge", "Step", "classify"]

DEEPEST = 8  # texts within texts that are read; what nests deeper is never allowed
_QUOTES = str.maketrans({"'": " ", '"': " ", "`": " "})
_SEPARATORS = str.maketrans(dict.fromkeys(";&|(){}<>\n\r`$", "\n"))
# Quotes within quotes are read once a level; only a text made for it comes to more than this.
_READINGS = 4
_SPARE = 65536
_SHORT = 4096
_LONGEST_STEP = 400
_ADVISOR_LETTERS = frozenset("decide.py")  # quotes and backslashes may stand between them


def classify(
    text: str, steps: list[Step] | None = None, *, with_commands: bool = False
) -> Findings:
    """Return what a text comes to; every text has findings, and it never raises.

    Takes time in proportion to the length of the text.

    Args:
        text: What a shell would be given.
        steps: Filled with how it was read, when given.
        with_commands: Whether the commands are wanted.

    """
    judge = Judge(steps, with_commands=with_commands)
    judge.whole(text)
    return judge.findings()


class Judge:
    """Gathers what matches in a text and in the texts within it."""

    def __init__(self, steps: list[Step] | None, *, with_commands: bool) -> None:
        self.steps = steps
        self.step_of: dict[int, tuple[Simple, Step]] = {}
        self.commands: dict[tuple[str, ...], None] | None = {} if with_commands else None
        # Rule to the functions that it matched in, and the piece that it matched there.
        self.hits: dict[str, dict[str, str]] = {}
        self.calls: dict[str, set[str]] = {"": set()}
        self.functions: list[str] = [""]
        self.defined: dict[str, Flow] = {}
        self.memo: dict[tuple[str, str, str], Flow] = {}
        self.budget = 0  # characters that may still be read
        self.may_name_advisor = False

    def whole(self, text: str) -> None:
        """Judge the text that was asked about."""
        text = without_marks(text)
        self.budget = _READINGS * len(text) + _SPARE
        self.may_name_advisor = set(text) >= _ADVISOR_LETTERS
        if len(text) <= _SHORT:
            self.text(text, 0)
            return
        from hpp.core.collector import Paused

        with Paused():
            self.text(text, 0)

    def findings(self) -> Findings:
        """Return what counts: hits in functions that nobody calls do not."""
        live = self._live()
        hits: list[Hit] = []
        for rule in ORDER:
            matched = self.hits.get(rule)
            if matched:
                pieces = [piece for function, piece in matched.items() if function in live]
                hits += [Hit(rule, piece) for piece in pieces[:1]]
        return Findings(hits, list(self.commands or ()))

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

    def hit(self, rule: str, piece: Simple | str, *, feeds: int = -1) -> None:
        """Note that a rule matches; of one function the first match is kept.

        Args:
            rule: The rule.
            piece: Where it matched.
            feeds: Depth of a match that lies in what one command feeds another, or -1.

        """
        found = self.hits.setdefault(rule, {})
        function = self.functions[-1]
        if function not in found:
            found[function] = piece if isinstance(piece, str) else piece.piece
        if self.steps is not None:
            self._tell(rule, piece, feeds)

    def text(self, text: str, depth: int, dialect: str = SHELL) -> Flow:
        """Judge a text that runs, and return what comes out of it."""
        key = (self.functions[-1], dialect, text)
        known = self.memo.get(key)
        if known is not None:
            return known
        flow = Flow()
        self.budget -= len(text)
        if self.budget < 0:
            self.hit(TOO_DEEP, text)
        elif depth > DEEPEST:
            self.split(text)
        else:
            self._read(text, depth, dialect, flow)
        self.memo[key] = flow  # only now: a text that came to itself would never end
        return flow

    def _read(self, text: str, depth: int, dialect: str, flow: Flow) -> None:
        self.note(depth, READS, text)
        reading = _reading(text, dialect)
        walk = Walk(self, depth)
        walk.run(reading.events, flow)
        for inner in reading.too_deep:
            self.split(inner)
        if not (reading.malformed or walk.malformed):
            return
        # What cannot be read as shell may only become stricter.
        bare = text.translate(_QUOTES)
        if bare != text or walk.defines or any(mark in text for mark in ("#", "[[")):
            self.note(depth, REREADS, text)
            raw = read_text(bare, raw=True)
            Walk(self, depth, raw=True).run(raw.events, flow)

    def split(self, text: str) -> None:
        """Judge a text that is nested too deep as plain commands, and never allow it."""
        self.note(DEEPEST + 1, REREADS, text)
        walk = Walk(self, DEEPEST + 1)
        for line in text.translate(_QUOTES).translate(_SEPARATORS).split("\n"):
            words = line.split()
            if words:
                walk.plain_words(words, text)
        self.hit(TOO_DEEP, text)

    # Steps.

    def note(self, depth: int, kind: str, text: str) -> None:
        """Add a step that reads a text."""
        if self.steps is not None:
            self.steps.append(Step(depth, kind, text[:_LONGEST_STEP]))

    def note_command(
        self, simple: Simple, depth: int, words: Sequence[str], through: Sequence[str]
    ) -> None:
        """Add a step that runs a command."""
        if self.steps is None:
            return
        end = min(simple.end, simple.start + _LONGEST_STEP)
        step = Step(depth, RUNS, simple.source[simple.start : end].strip())
        step.words, step.through = list(words), list(through)
        self.steps.append(step)
        self.step_of[id(simple)] = (simple, step)

    def _tell(self, rule: str, piece: Simple | str, feeds: int) -> None:
        """Add a rule to the step in which it matched."""
        steps = self.steps or []
        if feeds >= 0 and isinstance(piece, Simple):
            end = min(piece.end, piece.start + _LONGEST_STEP)
            steps.append(Step(feeds, FEEDS, piece.source[piece.start : end].strip()))
            step = steps[-1]
        elif isinstance(piece, Simple) and id(piece) in self.step_of:
            step = self.step_of[id(piece)][1]
        elif steps:
            step = steps[-1]
        else:
            return
        if rule not in step.rules:
            step.rules.append(rule)


def _reading(text: str, dialect: str) -> Reading:
    if dialect == SHELL:
        return read_text(text)
    from hpp.core.shell import windows

    readers = {CMD: windows.read_cmd, POWERSHELL: windows.read_powershell}
    return readers[dialect](text)
