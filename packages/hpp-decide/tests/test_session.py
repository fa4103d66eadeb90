from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from hpp.core.errors import RefusedError
from hpp.decide.panel import read_panel
from hpp.decide.place import Place
from hpp.decide.session import Session, read_session

if TYPE_CHECKING:
    from collections.abc import Callable

    Make = Callable[..., Any]


@pytest.fixture
def read(panel: Make) -> Callable[..., Session]:
    """Return a reader of a list of turns of the panel."""
    made = panel(budget__max_rounds=3)

    def call(spoken: list[dict[str, Any]]) -> Session:
        return read_session(Place(spoken, "t.json").items(), read_panel(Place(made, "p.json")))

    return call


@pytest.fixture
def rounds(panel: Make, turns: Make) -> Make:
    """Return a maker of two rounds of turns, three seats each."""

    def make() -> list[dict[str, Any]]:
        spoken: list[dict[str, Any]] = turns(
            panel(budget__max_rounds=3), "high low medium", "high low medium/r2"
        )
        return spoken

    return make


def test_a_turn_may_name_what_was_said_before(
    read: Callable[..., Session], rounds: Make, digest: Callable[[object], str]
) -> None:
    spoken = rounds()
    spoken[3]["seen_turns"] = [digest(turn) for turn in spoken[:3]]

    assert [turn.seat for turn in read(spoken[::-1]).turns] == list("abcabc")


@pytest.mark.parametrize("speaker", [3, 5], ids=["spoken before it", "spoken after it"])
def test_a_turn_names_nothing_of_its_own_round(
    read: Callable[..., Session], rounds: Make, digest: Callable[[object], str], speaker: int
) -> None:
    spoken = rounds()
    spoken[speaker]["seen_turns"] = [digest(spoken[4])]

    with pytest.raises(RefusedError, match=r"seen_turns\[0\]: it is no turn of an earlier round"):
        read(spoken)


def test_a_turn_names_nothing_of_another_session(
    read: Callable[..., Session], rounds: Make
) -> None:
    spoken = rounds()
    spoken[4]["seen_turns"] = ["0" * 64]

    with pytest.raises(RefusedError, match=r"\[4\].seen_turns\[0\]: it is no turn of an earlier"):
        read(spoken)


def test_a_seat_speaks_once_a_round(read: Callable[..., Session], rounds: Make) -> None:
    spoken = rounds()[:3]
    spoken.append({**spoken[0], "position": "low"})

    with pytest.raises(RefusedError, match="seat: the seat speaks twice in round 1"):
        read(spoken)


def test_rounds_have_no_gap(read: Callable[..., Session], rounds: Make) -> None:
    with pytest.raises(RefusedError, match="round: there is no turn of round 1"):
        read(rounds()[3:])


def test_control_two_rounds_are_a_session(read: Callable[..., Session], rounds: Make) -> None:
    assert [counted.number for counted in read(rounds()).rounds] == [1, 2]
