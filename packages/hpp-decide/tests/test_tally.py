from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpp.core.errors import RefusedError
from hpp.core.schema import faults, find_schema
from hpp.decide.panel import read_panel
from hpp.decide.place import Place
from hpp.decide.session import Session, read_session
from hpp.decide.stop import stop_of

if TYPE_CHECKING:
    from collections.abc import Callable

    Call = Callable[..., tuple[int, Any, str]]
    Make = Callable[..., Any]
    Put = Callable[[str, object], str]


@pytest.fixture(scope="session")
def session(panel: Make, turns: Make) -> Callable[..., Session]:
    """Return a maker of sessions out of words; see `turns`."""

    def make(*rounds: str, **changes: object) -> Session:
        made = panel(**{"budget__max_rounds": 4, **changes})
        places = Place(turns(made, *rounds), "t.json").items()
        return read_session(places, read_panel(Place(made, "p.json")))

    return make


def test_a_round_by_hand(session: Callable[..., Session]) -> None:
    (found,) = session("high low/ abstain").rounds

    assert found.document() == {
        "round": 1,
        "votes": {
            "low": {"grounded": 0, "ungrounded": 1},
            "medium": {"grounded": 0, "ungrounded": 0},
            "high": {"grounded": 1, "ungrounded": 0},
        },
        "abstained": ["c"],
        "not_judged": [],
        "leading": "high",
        "grounded_convergence": False,
        "dissent": [],
        "moved": [],
        "flips_without_new_evidence": [],
        "new_refs": ["r1"],
        "chars": 30,
    }


@pytest.mark.parametrize(
    ("words", "leading", "dissent", "converged"),
    [
        ("high high high", "high", [], True),
        ("high high low", "high", ["c"], False),
        ("high low medium", None, [], False),
        ("high/ high/ high/", None, [], False),
        ("high/ high/ low", "low", [], False),
        ("high high high/", "high", [], False),
        ("high high abstain", "high", [], False),
        ("high low/ low/", "high", [], False),
        ("abstain abstain abstain", None, [], False),
        ("high high -", "high", [], False),
    ],
)
def test_who_leads_and_who_dissents(
    session: Callable[..., Session],
    words: str,
    leading: str | None,
    dissent: list[str],
    converged: bool,
) -> None:
    found = session(words).rounds[0].document()

    assert (found["leading"], found["dissent"]) == (leading, dissent)
    assert found["grounded_convergence"] is converged


def test_a_fact_grounds_and_an_inference_does_not(panel: Make, turn: Make) -> None:
    made = panel()
    claims = [{"kind": "inference", "refs": ["r1"]}, {"kind": "fact", "refs": []}]
    spoken = [turn(made, seat, 1, "high", "r1", claims=claims) for seat in "abc"]

    session = read_session(Place(spoken, "t").items(), read_panel(Place(made, "p")))

    assert session.rounds[0].votes["high"] == {"grounded": 0, "ungrounded": 3}
    assert session.rounds[0].new_refs == ["r1"]


def test_only_declared_evidence_resolves(session: Callable[..., Session]) -> None:
    found = session("high high/r1+made-up high/made-up", evidence={"ids": ["r1", "r2"]})

    shown = found.rounds[0].document()
    assert shown["votes"]["high"] == {"grounded": 2, "ungrounded": 1}
    assert shown["unsupported"] == [
        {"seat": "b", "refs": ["made-up"]},
        {"seat": "c", "refs": ["made-up"]},
    ]
    assert shown["new_refs"] == ["r1"]
    assert (
        session("high high high", evidence={"ids": ["r1"]}).rounds[0].document()["unsupported"]
        == []
    )
    assert "unsupported" not in session("high high high").rounds[0].document()


def test_a_seat_that_moves_on_what_it_used_before_flips(session: Callable[..., Session]) -> None:
    second = session("high low medium", "high high/r2 high").rounds[1]

    assert (second.moved, second.flips, second.new_refs) == (["b", "c"], ["c"], ["r2"])


def test_what_another_seat_has_cited_is_new_to_the_seat_and_not_to_the_session(
    session: Callable[..., Session],
) -> None:
    second = session("high/r2 low/r1 low/r1", "high/r2 high/r2 low/r1").rounds[1]

    assert (second.moved, second.flips, second.new_refs) == (["b"], [], [])


def test_going_to_and_from_silence_is_a_move(session: Callable[..., Session]) -> None:
    second = session("high abstain low", "abstain high/r2 low").rounds[1]

    assert (second.moved, second.flips) == (["a", "b"], ["a"])


@pytest.mark.parametrize(
    ("rounds", "changes", "stop"),
    [
        ([], {}, {"decision": "continue", "next_round": 1, "reason": "no-turns-yet"}),
        (
            ["high low medium"],
            {},
            {"decision": "continue", "next_round": 2, "reason": "not-converged"},
        ),
        (
            ["high/ high/ high/"],
            {},
            {"decision": "continue", "next_round": 2, "reason": "not-converged"},
        ),
        (
            ["high high high"],
            {},
            {"decision": "stop", "round": 1, "reason": "grounded-convergence"},
        ),
        (["high high -"], {}, {"decision": "stop", "round": 1, "reason": "not-judged"}),
        (
            ["high low low", "high - low"],
            {},
            {"decision": "stop", "round": 2, "reason": "not-judged"},
        ),
        (
            ["high low medium"],
            {"budget__max_chars": 30},
            {"decision": "stop", "round": 1, "reason": "paused-budget", "escalate": True},
        ),
        (
            ["high high/ high/"],
            {"budget__max_chars": 29},
            {"decision": "stop", "round": 1, "reason": "paused-budget", "escalate": False},
        ),
        (
            ["high high high"],
            {"budget__max_chars": 1},
            {"decision": "stop", "round": 1, "reason": "grounded-convergence"},
        ),
        (
            ["high low medium", "high low medium"],
            {},
            {"decision": "stop", "round": 2, "reason": "no-new-evidence", "escalate": True},
        ),
        (
            ["high/ low/ medium/", "high/ low/ medium/"],
            {},
            {"decision": "stop", "round": 2, "reason": "no-new-evidence", "escalate": False},
        ),
        (
            ["high low medium", "high high high/r2"],
            {},
            {"decision": "stop", "round": 2, "reason": "grounded-convergence"},
        ),
        (
            ["high low medium", "high low medium/r2"],
            {},
            {"decision": "continue", "next_round": 3, "reason": "not-converged"},
        ),
        (
            ["high low medium", "high low low"],
            {},
            {"decision": "continue", "next_round": 3, "reason": "not-converged"},
        ),
        (
            ["high low medium", "high low low"],
            {"budget__max_rounds": 2},
            {"decision": "stop", "round": 2, "reason": "max-rounds", "escalate": True},
        ),
        (
            ["high low/ low/"],
            {"budget__max_rounds": 1},
            {"decision": "stop", "round": 1, "reason": "max-rounds", "escalate": False},
        ),
    ],
)
def test_the_first_reason_that_holds(
    session: Callable[..., Session],
    rounds: list[str],
    changes: dict[str, Any],
    stop: dict[str, Any],
) -> None:
    found = session(*rounds, **changes).stop.document()

    assert found == {"escalate": False, **stop}
    assert faults(find_schema("deliberation-stop").document(), found) == []


@pytest.mark.parametrize(
    ("rounds", "told"),
    [
        (["high high high", "low low low"], "the session ended with round 1: grounded-conv"),
        (["high high -", "low low low"], "the session ended with round 1: not-judged"),
        (["high low low", "high low low", "high low low"], "the session ended with round 2: no-n"),
    ],
)
def test_nothing_is_said_after_the_stop(
    session: Callable[..., Session], rounds: list[str], told: str
) -> None:
    with pytest.raises(RefusedError, match=told):
        session(*rounds)


WORD = st.sampled_from(["high", "low", "abstain", "high/", "low/r2", "high/r2+r3", "-"])
ROUNDS = st.lists(st.tuples(WORD, WORD, WORD).map(" ".join), max_size=4)


@given(ROUNDS, st.randoms())
def test_the_order_of_turns_changes_nothing_and_a_session_ends_once(
    panel: Make,
    turns: Make,
    rounds: list[str],
    random: Any,  # noqa: ANN401 -- a random.Random
) -> None:
    made = panel(budget__max_rounds=4)
    parsed = read_panel(Place(made, "p"))
    spoken = turns(made, *rounds)
    shuffled = list(spoken)
    random.shuffle(shuffled)

    def read(listed: list[dict[str, Any]]) -> Session | str:
        try:
            return read_session(Place(listed, "t").items(), parsed)
        except RefusedError as error:
            return str(error).split(": ", 2)[2]  # the place is that of the order

    one, other = read(spoken), read(shuffled)
    if isinstance(one, str) or isinstance(other, str):
        assert one == other
        return

    assert [r.document() for r in one.rounds] == [r.document() for r in other.rounds]
    assert one.stop.document() == other.stop.document()
    for number in range(len(one.rounds)):
        assert not stop_of(parsed, one.rounds[:number]).is_stopped
    for counted in one.rounds:
        votes = sum(sum(kinds.values()) for kinds in counted.votes.values())
        assert votes + len(counted.abstained) + len(counted.not_judged) == 3


def test_the_program_counts_and_stops(program: Call, put: Put, panel: Make, turns: Make) -> None:
    made = panel()
    files = ["--panel", put("p.json", made), "--turns", put("t.json", turns(made, "low low low"))]

    code, printed, _ = program("deliberate", "tally", *files)
    assert (code, printed["schema"]) == (0, "hpp.deliberation-tally/v1")
    assert printed["rounds"][0]["leading"] == "low"
    assert faults(find_schema("deliberation-tally").document(), printed) == []
    assert program("deliberate", "stop", *files)[1]["reason"] == "grounded-convergence"


def test_turns_may_lie_in_files_of_their_own(
    program: Call, put: Put, panel: Make, turns: Make
) -> None:
    made = panel()
    words = ["deliberate", "stop", "--panel", put("p.json", made)]
    for number, spoken in enumerate(turns(made, "low low low")):
        words += ["--turns", put(f"{number}.json", spoken)]

    assert program(*words)[1]["reason"] == "grounded-convergence"
    code, _, told = program(*words, "--turns", "0.json")
    assert (code, "0.json: seat: the seat speaks twice in round 1" in told) == (2, True)
