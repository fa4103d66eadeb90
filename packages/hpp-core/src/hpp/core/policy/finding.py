"""What judging a text comes to: hits, commands, and the steps that led there."""

from __future__ import annotations

__all__ = ["FEEDS", "READS", "REREADS", "RUNS", "Findings", "Hit", "Step"]

READS, REREADS, RUNS, FEEDS = "reads", "rereads", "runs", "feeds"


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
        commands: The words of every command that would run, wrappers and what is behind
            them apart; none unless they were asked for.

    """

    __slots__ = ("commands", "hits")

    def __init__(self, hits: list[Hit], commands: list[tuple[str, ...]]) -> None:
        self.hits = hits
        self.commands = commands


class Step:
    """One step of the reading, for a person who asks how a verdict came about.

    Attributes:
        depth: How many texts it stands in.
        kind: `READS` a text; `REREADS` one that is malformed, as bare words; `RUNS` a
            command; `FEEDS` the output of one to another.
        text: As it was written.
        words: What a command comes down to, quotes removed and wrappers left out.
        through: The wrappers.
        rules: What matched here.

    """

    __slots__ = ("depth", "kind", "rules", "text", "through", "words")

    def __init__(self, depth: int, kind: str, text: str) -> None:
        self.depth = depth
        self.kind = kind
        self.text = text
        self.words: list[str] = []
        self.through: list[str] = []
        self.rules: list[str] = []
