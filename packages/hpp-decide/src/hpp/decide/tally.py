"""The count of a round: who stands where, and on what.

A vote is grounded when a fact of its turn cites something that may be cited. Where no
evidence is declared, everything may.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from hpp.decide.panel import Panel
    from hpp.decide.turn import Turn

__all__ = ["Round", "count_rounds"]


class Round:
    """One round, counted.

    Attributes:
        number: From 1.
        turns: Of this round, in the order of the seats.
        votes: For each option how many seats, grounded and ungrounded.
        not_judged: Participants without a turn.
        grounded: Of each seat that spoke whether its turn rests on a fact that may be cited.
        moved: Seats whose position is another than in the round before.
        flips: Those of them that bring no reference which they had not used before.
        new_refs: References that resolve and were in no earlier round, sorted.

    """

    def __init__(
        self, panel: Panel, number: int, turns: Sequence[Turn], earlier: Sequence[Turn]
    ) -> None:
        self.number = number
        self.turns = turns
        self._evidence = None if panel.evidence is None else frozenset(panel.evidence.ids)
        seated = {turn.seat for turn in turns}
        self.not_judged = [seat.id for seat in panel.participants if seat.id not in seated]
        self.grounded = {turn.seat: bool(self._resolving(turn, facts_only=True)) for turn in turns}
        self.votes = {option: {"grounded": 0, "ungrounded": 0} for option in panel.question.options}
        for turn in turns:
            if turn.has_vote:
                kind = "grounded" if self.grounded[turn.seat] else "ungrounded"
                self.votes[turn.position][kind] += 1
        self._compare(earlier)

    @property
    def abstained(self) -> list[str]:
        """Return the seats that took no side."""
        return [turn.seat for turn in self.turns if not turn.has_vote]

    @property
    def leading(self) -> str | None:
        """Return the one option with the most grounded votes, None without one."""
        most = max(counts["grounded"] for counts in self.votes.values())
        first = [option for option, counts in self.votes.items() if counts["grounded"] == most]
        return first[0] if most and len(first) == 1 else None

    @property
    def is_converged(self) -> bool:
        """Say whether everybody stands grounded on one option."""
        leading = self.leading
        is_complete = leading is not None and not self.not_judged
        return is_complete and all(
            turn.position == leading and self.grounded[turn.seat] for turn in self.turns
        )

    @property
    def chars(self) -> int:
        """Return how much was said."""
        return sum(turn.chars for turn in self.turns)

    @property
    def contested(self) -> int:
        """Return how many options have grounded votes."""
        return sum(counts["grounded"] > 0 for counts in self.votes.values())

    def grounded_elsewhere(self, option: str | None) -> list[Turn]:
        """Return the turns that stand grounded on another option than this one."""
        return [
            turn
            for turn in self.turns
            if turn.has_vote and self.grounded[turn.seat] and turn.position != option
        ]

    def document(self) -> dict[str, Any]:
        """Return the round as tallies list it."""
        leading = self.leading
        dissent = [] if leading is None else self.grounded_elsewhere(leading)
        shown: dict[str, Any] = {
            "round": self.number,
            "votes": self.votes,
            "abstained": self.abstained,
            "not_judged": self.not_judged,
            "leading": leading,
            "grounded_convergence": self.is_converged,
            "dissent": [turn.seat for turn in dissent],
            "moved": self.moved,
            "flips_without_new_evidence": self.flips,
            "new_refs": self.new_refs,
            "chars": self.chars,
        }
        if self._evidence is not None:
            shown["unsupported"] = [
                {"seat": turn.seat, "refs": refs}
                for turn in self.turns
                if (refs := sorted(set(turn.references()) - self._evidence))
            ]
        return shown

    def _compare(self, earlier: Sequence[Turn]) -> None:
        before = {turn.seat: turn.position for turn in earlier if turn.round == self.number - 1}
        used: dict[str, set[str]] = {}
        for turn in earlier:
            used.setdefault(turn.seat, set()).update(self._resolving(turn))
        everything: set[str] = set().union(*used.values())
        brought = {turn.seat: set(self._resolving(turn)) for turn in self.turns}
        self.moved = [
            turn.seat
            for turn in self.turns
            if turn.seat in before and before[turn.seat] != turn.position
        ]
        self.flips = [seat for seat in self.moved if not brought[seat] - used[seat]]
        now: set[str] = set().union(*brought.values())
        self.new_refs = sorted(now - everything)

    def _resolving(self, turn: Turn, *, facts_only: bool = False) -> list[str]:
        cited = turn.references(facts_only=facts_only)
        if self._evidence is None:
            return cited
        return [reference for reference in cited if reference in self._evidence]


def count_rounds(panel: Panel, turns: Sequence[Turn]) -> list[Round]:
    """Return the rounds of a session, which are without a gap, counted.

    Args:
        panel: Whose session it is.
        turns: Ordered by round, then by seat.

    """
    rounds = []
    for number in range(1, max((turn.round for turn in turns), default=0) + 1):
        own = [turn for turn in turns if turn.round == number]
        earlier = [turn for turn in turns if turn.round < number]
        rounds.append(Round(panel, number, own, earlier))
    return rounds
