from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpp.core.errors import RefusedError
from hpp.decide.panel import Panel, read_panel
from hpp.decide.place import Place

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Call = Callable[..., tuple[int, Any, str]]
    Make = Callable[..., dict[str, Any]]
    Put = Callable[[str, object], str]


def read(document: object) -> Panel:
    return read_panel(Place(document, "p.json"))


def seats(*roles: str, families: str = "fa fb") -> list[dict[str, str]]:
    names = itertools.cycle(families.split())
    return [
        {
            "id": f"s{n}",
            "role": role,
            "provider": "p",
            "model_served": f"m-{n}",
            "family": "fj" if role == "judge" else next(names),
            "lane": f"l{n}",
        }
        for n, role in enumerate(roles)
    ]


def test_the_normalised_panel_has_its_hash_and_what_derives(
    panel: Make, panel_sha256: Callable[[dict[str, Any]], str]
) -> None:
    made = panel(note="dropped", seats__0__note="dropped")
    found = read(made).document()

    plain = panel()
    assert found["sha256"] == panel_sha256(plain)
    assert (found["judge"], found["families"]) == ("j", ["fa", "fb"])
    assert found["judge_independence"] == "full"
    assert found["seats"] == plain["seats"]
    assert found["question"]["sha256"].startswith("8ae9ee2f")
    assert "note" not in found


def test_a_hash_that_another_program_made(panel: Make) -> None:
    state = "4ba69735ca53765ed6a709edb56c6ea236b7193a3b29a6b390c346f0f4340e4e"
    wanted = "81206af1f22a0e2bd8a88a9f271257876091cf938ca9c03a17977af656284a39"

    assert read(panel(state_sha256=state)).sha256 == wanted


def test_normalising_twice_changes_nothing(panel: Make) -> None:
    evidence = {"ids": ["b", "a"], "sources": [{"kind": "context", "sha256": "0" * 64}]}
    once = read(panel(evidence=evidence)).document()

    assert once["evidence"]["ids"] == ["a", "b"]
    assert read(json.loads(json.dumps(once))).document() == once


@pytest.mark.parametrize("family", ["fa", "FA", " fa "])
def test_a_judge_of_a_participant_s_family_is_partial(panel: Make, family: str) -> None:
    assert read(panel(seats__3__family=family)).judge_independence == "partial"


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"schema": "x"}, "schema: expected"),
        ({"id": " "}, "id: expected a non-blank text"),
        ({"session_type": "chat"}, "session_type: expected one of plan"),
        ({"session_type": ["review"]}, "session_type: expected one of plan"),
        ({"session_type": {}}, "session_type: expected one of plan"),
        ({"question__kind": "score"}, "question.kind: expected"),
        ({"state_sha256": "x"}, "state_sha256: expected"),
        ({"seats": []}, "seats: expected a list of 1 or more seats"),
        ({"seats": {"a": 1}}, "seats: expected a list of 1 or more seats"),
        ({"seats__0": "a"}, r"seats\[0\]: expected an object"),
        ({"seats__0__id": ""}, r"seats\[0\].id: expected a non-blank"),
        ({"seats__1__id": "A"}, r"seats\[1\].id: it is the id of seat 0 already"),
        ({"seats__1__id": "\uff41"}, r"seats\[1\].id: it is the id of seat 0 already"),
        ({"seats__0__role": "chair"}, r"seats\[0\].role: expected one of proponent"),
        ({"seats__0__role": ["judge"]}, r"seats\[0\].role: expected one of proponent"),
        ({"seats__3__role": "examiner"}, "seats: there is no judge"),
        ({"seats__2__role": "judge"}, r"seats\[3\].role: a second judge"),
        ({"seats__0__provider": None}, r"seats\[0\].provider: expected a non-blank"),
        ({"seats__0__model_served": "m-latest"}, r"seats\[0\].model_served: it names whatever"),
        ({"seats__0__model_served": "\uff5em"}, r"seats\[0\].model_served: it names whatever"),
        ({"seats__1__model_served": "m-a"}, r"seats\[1\].family: its model is of another family"),
        ({"seats__3__model_served": "M-A"}, r"seats\[3\].family: its model is of another family"),
        ({"seats__1__family": "fa"}, "seats: the participants, .* fewer than two families"),
        ({"seats__1__family": "FA "}, "seats: the participants, .* fewer than two families"),
        ({"seats__1__lane": "la"}, r"seats\[1\].lane: it is the lane of seat 0 already"),
        ({"seats__1__lane": "la "}, r"seats\[1\].lane: it is the lane of seat 0 already"),
        ({"seats__3__lane": "LA"}, r"seats\[3\].lane: it is the lane of seat 0 already"),
        ({"seats__2__role": "examiner"}, "seats: a session of the type review has 1 or more"),
        ({"budget": 7}, "budget: expected an object"),
        ({"budget__max_rounds": 11}, "budget.max_rounds: expected an integer from 1 to 10"),
        ({"budget__max_rounds": 0}, "budget.max_rounds: expected an integer from 1 to 10"),
        ({"budget__max_rounds": 2.0}, "budget.max_rounds: expected an integer"),
        ({"budget__max_rounds": True}, "budget.max_rounds: expected an integer"),
        ({"budget__max_chars": 0}, "budget.max_chars: expected an integer of 1 or more"),
        ({"budget__max_chars": "9"}, "budget.max_chars: expected an integer"),
        ({"evidence": []}, "evidence: expected an object"),
        ({"evidence": {}}, "evidence.ids: expected a list of 1 or more ids"),
        ({"evidence": {"ids": []}}, "evidence.ids: expected a list of 1 or more ids"),
        ({"evidence": {"ids": ["a", " "]}}, r"evidence.ids\[1\]: expected a non-blank"),
        ({"evidence": {"ids": ["a", "a"]}}, r'evidence.ids\[1\]: the id "a" is repeated'),
        ({"evidence": {"ids": ["a"], "x": 1}}, "evidence.x: unknown key"),
        ({"evidence": {"ids": ["a"], "sources": [{}]}}, r"evidence.sources\[0\].kind: expected"),
        ({"sha256": "0" * 64}, "sha256: it is not the hash of this panel"),
        ({"sha256": 7}, "sha256: expected 64"),
    ],
)
def test_a_broken_rule_is_named(panel: Make, changes: dict[str, Any], told: str) -> None:
    with pytest.raises(RefusedError, match=f"^p.json: {told}"):
        read(panel(**changes))


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ({"kind": "rumour", "sha256": "0" * 64}, "kind: expected one of context"),
        ({"kind": "context", "sha256": "x"}, "sha256: expected 64"),
        ({"kind": "context"}, "sha256: .* it is missing"),
        ({"kind": "context", "sha256": "0" * 64, "id": ""}, "id: expected a non-blank"),
        ({"kind": "context", "sha256": "0" * 64, "path": "x"}, "path: unknown key"),
    ],
)
def test_a_source_has_nothing_else(panel: Make, source: dict[str, Any], told: str) -> None:
    with pytest.raises(RefusedError, match=rf"evidence.sources\[0\].{told}"):
        read(panel(evidence={"ids": ["a"], "sources": [source]}))


LEAST = {
    "plan": ["proponent", "proponent", "dissent", "examiner"],
    "review": ["examiner", "examiner", "dissent"],
    "release-gate": ["examiner", "dissent"],
    "incident": ["proponent", "proponent"],
    "design": ["proponent", "proponent", "proponent", "dissent"],
}


# Where one seat fewer leaves one participant: another role, so that there are two families.
SPARE = {"incident": ["examiner"], "release-gate": ["proponent"]}


@pytest.mark.parametrize("session_type", LEAST)
def test_a_session_has_its_roles_and_not_one_fewer(panel: Make, session_type: str) -> None:
    roles = LEAST[session_type]

    read(panel(session_type=session_type, seats=seats(*roles, "judge")))
    read(panel(session_type=session_type, seats=seats(*roles, "examiner", "judge")))
    for number in range(len(roles)):
        fewer = [role for n, role in enumerate(roles) if n != number] + SPARE.get(session_type, [])
        with pytest.raises(RefusedError, match=f"a session of the type {session_type}"):
            read(panel(session_type=session_type, seats=seats(*fewer, "judge")))


def test_an_incident_takes_two_rounds_at_most(panel: Make) -> None:
    incident = {"session_type": "incident", "seats": seats(*LEAST["incident"], "judge")}

    read(panel(**incident, budget__max_rounds=2))
    with pytest.raises(RefusedError, match=r"budget.max_rounds: .* from 1 to 2, got 3"):
        read(panel(**incident, budget__max_rounds=3))


def test_families_are_listed_once_in_their_first_spelling(panel: Make) -> None:
    found = read(panel(seats__0__family="Acme", seats__2__family="acme "))

    assert found.families == ["Acme", "fb"]


def test_one_model_may_sit_twice_in_one_family(panel: Make) -> None:
    assert read(panel(seats__2__model_served="m-a")).families == ["fa", "fb"]


@given(st.permutations(range(4)))
def test_the_hash_knows_the_order_of_seats_and_the_rules_do_not(
    panel: Make, order: list[int]
) -> None:
    made = panel()
    shuffled = {**made, "seats": [made["seats"][number] for number in order]}

    assert read(shuffled).families == ["fa", "fb"]
    assert (read(shuffled).sha256 == read(made).sha256) == (order == [0, 1, 2, 3])


def test_plan_prints_and_writes_the_normalised_panel(
    program: Call,
    put: Put,
    panel: Make,
    workspace: Path,
) -> None:
    code, printed, _ = program(
        "deliberate", "plan", put("p.json", panel()), "--out", "made/here/panel.json"
    )

    assert (code, printed["status"]) == (0, "valid")
    written = json.loads((workspace / "made/here/panel.json").read_text(encoding="utf-8"))
    assert written == printed["panel"] == read(panel()).document()
    assert program("deliberate", "validate", "made/here/panel.json")[1] == printed
