from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpp.core.errors import RefusedError
from hpp.decide.decision import Decision, is_alias, read_decision
from hpp.decide.place import Place

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Make = Callable[..., dict[str, Any]]
    Call = Callable[..., tuple[int, Any, str]]

MODEL = {
    "method": "external-model",
    "provider": {"id": "p", "model_served": "m-1.2"},
    "raw_response_sha256": "a" * 64,
}
ABSTENTION = {"status": "abstention"}
FAILURE = {"status": "instrument-failure", "error": "timeout"}


def read(record: object) -> Decision:
    return read_decision(Place(record, "r.json"))


@pytest.mark.parametrize(
    ("direction", "declared", "outcome", "value", "action"),
    [
        ("raise-only", "low", "high", "high", "raised"),
        ("raise-only", "low", "medium", "medium", "raised"),
        ("raise-only", "high", "low", "high", "kept"),
        ("raise-only", "medium", "medium", "medium", "kept"),
        ("raise-only", "low", ABSTENTION, "low", "kept"),
        ("raise-only", "high", FAILURE, "high", "kept"),
        ("raise-only", None, "low", "low", "advised"),
        ("informational", None, "high", "high", "advised"),
        ("raise-only", None, ABSTENTION, None, "none"),
        ("informational", None, FAILURE, None, "none"),
    ],
)
def test_the_effective_value(  # noqa: PLR0913, PLR0917 -- the columns of the table
    decision: Make,
    direction: str,
    declared: str | None,
    outcome: Any,  # noqa: ANN401 -- a value, or a whole outcome
    value: str | None,
    action: str,
) -> None:
    if isinstance(outcome, str):
        outcome = {"status": "recommendation", "value": outcome}
    record = decision(direction=direction, declared=declared, outcome=outcome)

    assert read(record).effective() == (value, action)


@given(st.permutations(["a", "b", "c", "d"]), st.integers(0, 3), st.integers(0, 3))
def test_advice_never_lowers_caution(options: list[str], declared: int, advised: int) -> None:
    record = {
        "schema": "hpp.decision/v1",
        "question": {"id": "q", "kind": "choice", "options": options, "ladder": True},
        "state_sha256": "0" * 64,
        "method": "human",
        "authority": "advisory",
        "direction": "raise-only",
        "declared": options[declared],
        "outcome": {"status": "recommendation", "value": options[advised]},
    }

    value, _ = read(record).effective()

    assert value == options[max(declared, advised)]


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"schema": "hpp.decision/v2"}, 'schema: expected "hpp.decision/v1"'),
        ({"question": 7}, "question: expected an object"),
        ({"state_sha256": "A" * 64}, "state_sha256: expected 64"),
        ({"state_sha256": "a" * 64 + "\n"}, "state_sha256: expected 64"),
        ({"method": "oracle"}, "method: expected one of regex"),
        ({"method": ["human"]}, "method: expected one of regex"),
        ({"authority": "binding"}, 'authority: expected "advisory"'),
        ({"direction": "lower"}, "direction: expected one of raise-only"),
        ({"question__ladder": False}, "direction: raise-only needs"),
        ({"direction": "informational", "declared": "low"}, "declared: only a raise-only"),
        ({"declared": "none"}, "declared: expected one of low"),
        ({"declared": 1}, "declared: expected one of low"),
        ({"outcome": "high"}, "outcome: expected an object"),
        ({"outcome__status": "maybe"}, "outcome.status: expected one of recommendation"),
        ({"outcome__status": ["recommendation"]}, "outcome.status: expected one of"),
        ({"outcome__value": "none"}, "outcome.value: expected one of low"),
        ({"outcome__value": None}, "outcome.value: expected one of low"),
        ({"outcome": {**ABSTENTION, "value": "low"}}, "outcome.value: an outcome of the status"),
        ({"outcome": {**FAILURE, "value": "low"}}, "outcome.value: an outcome of the status"),
        ({"outcome": {**FAILURE, "error": ""}}, "outcome.error: expected a text in which"),
        ({"outcome": {**FAILURE, "error": "\u200b "}}, "outcome.error: expected a text in which"),
        ({"outcome": {"status": "instrument-failure"}}, "outcome.error: .* it is missing"),
        ({"outcome__confidence": 1.5}, "outcome.confidence: expected a number from 0 to 1"),
        ({"outcome__confidence": True}, "outcome.confidence: expected a number from 0 to 1"),
        ({"method": "human", "outcome__confidence": 0.5}, "outcome.confidence: the method human"),
        ({"method": "regex", "outcome__confidence": 0.5}, "outcome.confidence: the method regex"),
        ({"outcome__probabilities": []}, "outcome.probabilities: expected an object"),
        ({"outcome__probabilities": {"low": 1}}, "outcome.probabilities.medium: .* is missing"),
        (
            {"outcome__probabilities": {"low": 0.5, "medium": 0.5, "high": 0.5}},
            "outcome.probabilities: they add up to 1.5",
        ),
        (
            {"outcome__probabilities": {"low": 1.2, "medium": -0.1, "high": -0.1}},
            "outcome.probabilities.low: expected a number from 0 to 1",
        ),
        (
            {"outcome__probabilities": {"low": 1, "medium": 0, "high": 0, "none": 0}},
            "outcome.probabilities.none: it is the probability of no option",
        ),
        ({**MODEL, "provider": None}, "provider: expected an object"),
        ({**MODEL, "provider": {"id": "p"}}, "provider.model_served: .* it is missing"),
        ({**MODEL, "provider": {"model_served": "m"}}, "provider.id: .* it is missing"),
        ({**MODEL, "raw_response_sha256": None}, "raw_response_sha256: expected 64"),
        ({"method": "local-model"}, "provider: expected an object, it is missing"),
        ({"method": "panel"}, "raw_response_sha256: expected 64"),
        ({"method": "panel", "outcome": FAILURE}, "raw_response_sha256: expected 64"),
        ({"raw_response_sha256": "x"}, "raw_response_sha256: expected 64"),
        ({"usage": "much"}, "usage: expected an object"),
    ],
)
def test_a_broken_rule_is_named(decision: Make, changes: dict[str, Any], told: str) -> None:
    with pytest.raises(RefusedError, match=f"^r.json: {told}"):
        read(decision(**changes))


@pytest.mark.parametrize(
    "model", ["m-latest", "LATEST", "m:Latest-1", "m-preview", "PREVIEW-2", "~m-1", " ~m"]
)
def test_a_name_of_whatever_is_current_is_no_version(decision: Make, model: str) -> None:
    assert is_alias(model)
    record = decision(**{**MODEL, "provider": {"id": "p", "model_served": model}})
    with pytest.raises(RefusedError, match=r"provider.model_served: it names whatever is current"):
        read(record)


@pytest.mark.parametrize(
    "changes",
    [
        MODEL,
        {**MODEL, "outcome": FAILURE, "raw_response_sha256": None},
        {"method": "panel", "raw_response_sha256": "b" * 64},
        {"outcome": {**ABSTENTION, "value": None, "error": None}},
        {"outcome__probabilities": {"low": 0.001, "medium": 0, "high": 1}},
        {"outcome__probabilities": {"low": 0.333, "medium": 0.333, "high": 0.333}},
        {"outcome__confidence": 1},
        {"provider": {"id": "p", "model_served": "m"}, "method": "human"},
    ],
)
def test_these_are_sound(decision: Make, changes: dict[str, Any]) -> None:
    record = read(decision(**changes)).document()

    assert read(json.loads(json.dumps(record))).document() == record


def test_the_tolerance_of_probabilities_is_the_decimal_that_is_written(decision: Make) -> None:
    # As floats, 0.999 is further from 1 than 0.001.
    read(decision(outcome__probabilities={"low": 0.333, "medium": 0.333, "high": 0.333}))
    with pytest.raises(RefusedError, match="they add up to"):
        read(decision(outcome__probabilities={"low": 0.333, "medium": 0.333, "high": 0.3329}))


def test_the_normalised_record_repeats_nothing_unknown(
    decision: Make, program: Call, put: Callable[[str, object], str]
) -> None:
    usage = {"tokens": 3, "cost": None, "note": "x", "cached": True, "price": 0.5}
    put("r.json", decision(note="x", question__note="x", outcome__note="x", usage=usage))

    code, printed, _ = program("validate", "r.json")

    assert code == 0
    assert printed["record"] == {
        "schema": "hpp.decision/v1",
        "question": {
            "id": "risk",
            "kind": "choice",
            "options": ["low", "medium", "high"],
            "ladder": True,
            "instructions": None,
            "criteria": None,
            "sha256": "8ae9ee2f8c22b11f7543e90bba21eacc5b1a537e6d9dccfde7058cfacb40e44f",
        },
        "state_sha256": printed["record"]["state_sha256"],
        "method": "replay",
        "authority": "advisory",
        "direction": "raise-only",
        "declared": None,
        "outcome": {"status": "recommendation", "value": "high", "confidence": None},
        "usage": {"tokens": 3, "cost": None, "price": 0.5},
    }
    assert printed["effective"] == {"value": "high", "action": "advised", "declared": None}


def test_a_record_with_a_byte_order_mark_is_read_and_utf_16_is_named(
    decision: Make,
    program: Call,
    workspace: Path,
) -> None:
    text = json.dumps(decision())
    (workspace / "bom.json").write_bytes(b"\xef\xbb\xbf" + text.encode())
    (workspace / "wide.json").write_bytes(text.encode("utf-16"))

    assert program("decide", "validate", "bom.json")[0] == 0
    code, _, told = program("decide", "validate", "wide.json")
    assert (code, "UTF-16" in told) == (2, True)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
PLACES = [
    "schema", "question", "state_sha256", "method", "authority", "direction", "declared",
    "outcome", "provider", "raw_response_sha256", "usage", "question__options", "question__id",
    "question__ladder", "question__criteria", "outcome__status", "outcome__value",
    "outcome__error", "outcome__confidence", "outcome__probabilities",
]  # fmt: skip


@given(st.sampled_from(PLACES), JSON)
def test_any_value_anywhere_is_taken_or_refused_in_one_line(
    decision: Make, place: str, value: object
) -> None:
    told = "r.json: "
    try:
        read(decision(**{place: value}))
    except RefusedError as error:
        told = str(error)

    assert told.startswith("r.json: ")
    assert "\n" not in told
