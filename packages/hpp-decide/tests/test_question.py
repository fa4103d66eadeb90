from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpp.core.errors import RefusedError
from hpp.decide.place import Place
from hpp.decide.question import Question, read_question

if TYPE_CHECKING:
    from collections.abc import Callable

RISK = {"id": "risk", "kind": "choice", "options": ["low", "medium", "high"], "ladder": True}
# Taken from a record that another program made of the same question.
RISK_SHA256 = "8ae9ee2f8c22b11f7543e90bba21eacc5b1a537e6d9dccfde7058cfacb40e44f"


def read(**changes: object) -> Question:
    return read_question(Place({**RISK, **changes}, "q.json"))


def test_the_hash_covers_all_six_keys_absent_ones_as_null_or_false(
    digest: Callable[[object], str],
) -> None:
    six = {**RISK, "instructions": None, "criteria": None}

    assert read().sha256 == digest(six) == RISK_SHA256
    assert read().document() == {**six, "sha256": RISK_SHA256}
    assert read(instructions=None, criteria=None, note="left out").sha256 == RISK_SHA256


@pytest.mark.parametrize(
    "change",
    [
        {"id": "other"},
        {"ladder": False},
        {"options": ["low", "high", "medium"]},
        {"instructions": ""},
        {"criteria": {}},
        {"criteria": {"low": "no harm"}},
    ],
)
def test_every_key_changes_the_hash(change: dict[str, Any]) -> None:
    assert read(**change).sha256 != RISK_SHA256


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"id": ""}, "id: expected a non-empty text"),
        ({"id": 7}, "id: expected a non-empty text, got 7"),
        ({"kind": "score"}, 'kind: expected "choice"'),
        ({"kind": None}, 'kind: expected "choice"'),
        ({"options": ["low"]}, "options: expected a list of 2 or more options"),
        ({"options": "low"}, "options: expected a list of 2 or more options"),
        ({"options": [str(n) for n in range(256)]}, "options: expected at most 255 options"),
        ({"options": ["low", "low"]}, r'options\[1\]: the option "low" is repeated'),
        ({"options": ["low", ""]}, r"options\[1\]: expected a non-empty text"),
        ({"options": ["low", "abstain"]}, r'options\[1\]: "abstain" is no option'),
        ({"ladder": 1}, "ladder: expected true or false"),
        ({"ladder": None}, "ladder: expected true or false"),
        ({"instructions": []}, "instructions: expected a text"),
        ({"criteria": []}, "criteria: expected an object"),
        ({"criteria": {"none": "x"}}, "criteria.none: it is the criterion of no option"),
        ({"criteria": {"low": 7}}, "criteria.low: expected a text"),
        ({"sha256": "0" * 64}, "sha256: it is not the hash of this question, which is 8ae9ee2f"),
        ({"sha256": "8AE9"}, "sha256: expected 64 lower-case"),
    ],
)
def test_a_broken_rule_is_named(change: dict[str, Any], told: str) -> None:
    with pytest.raises(RefusedError, match=f"^q.json: {told}"):
        read(**change)


def test_255_options_are_enough_and_the_hash_may_be_given() -> None:
    assert len(read(options=[str(n) for n in range(255)]).options) == 255
    assert read(sha256=RISK_SHA256).sha256 == RISK_SHA256


@given(
    st.lists(st.text(min_size=1).filter(lambda text: text != "abstain"), min_size=2, unique=True),
    st.booleans(),
    st.none() | st.text(),
)
def test_a_normalised_question_reads_as_itself(
    options: list[str], ladder: bool, instructions: str | None
) -> None:
    question = Question("q", tuple(options[:255]), is_ladder=ladder, instructions=instructions)
    written = json.loads(json.dumps(question.document()))

    assert read_question(Place(written, "q.json")).document() == question.document()
