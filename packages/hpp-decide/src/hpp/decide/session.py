"""The turns of a session in their order, as far as the rules let it go."""

from __future__ import annotations

from hpp.decide.stop import stop_of
from hpp.decide.tally import count_rounds
from hpp.decide.turn import read_turn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from hpp.decide.panel import Panel
    from hpp.decide.place import Place
    from hpp.decide.stop import Stop
    from hpp.decide.tally import Round
    from hpp.decide.turn import Turn

__all__ = ["Session", "read_session"]


class Session:
    """What was said on a panel's question.

    Attributes:
        panel: Who speaks.
        turns: By round, then in the order of the seats.
        rounds: The same, counted.
        stop: Whether it goes on.

    """

    __slots__ = ("panel", "rounds", "stop", "turns")

    def __init__(self, panel: Panel, turns: list[Turn]) -> None:
        self.panel = panel
        self.turns = turns
        self.rounds: list[Round] = count_rounds(panel, turns)
        self.stop: Stop = stop_of(panel, self.rounds)


def read_session(places: Iterable[Place], panel: Panel) -> Session:
    """Return the session of the turns that stand at some places, in any order.

    Raises:
        RefusedError: A turn breaks a rule by itself or beside the others, or comes after
            the session has ended.

    """
    read = [(read_turn(place, panel), place) for place in places]
    order = {seat.id: number for number, seat in enumerate(panel.participants)}
    read.sort(key=lambda pair: (pair[0].round, order[pair[0].seat]))
    _check_turns(read)
    turns = [turn for turn, _ in read]
    session = Session(panel, turns)
    for number in range(1, len(session.rounds)):
        stop = stop_of(panel, session.rounds[:number])
        if stop.is_stopped:
            late = next(raw for turn, raw in read if turn.round > number)
            late.refuse(f"the session ended with round {number}: {stop.reason}")
    return session


def _check_turns(read: list[tuple[Turn, Place]]) -> None:
    rounds: dict[str, int] = {}
    spoken: set[tuple[int, str]] = set()
    highest = 0
    for turn, raw in read:
        if (turn.round, turn.seat) in spoken:
            raw.at("seat").refuse(f"the seat speaks twice in round {turn.round}")
        spoken.add((turn.round, turn.seat))
        if turn.round > highest + 1:
            raw.at("round").refuse(f"there is no turn of round {highest + 1}")
        highest = turn.round
        for seen in raw.at("seen_turns").items():
            if rounds.get(seen.value, turn.round) >= turn.round:
                seen.refuse("it is no turn of an earlier round of this session")
        rounds[turn.sha256] = turn.round
