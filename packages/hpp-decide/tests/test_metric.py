from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpp.decide.decision import ABSTENTION, FAILURE, RECOMMENDATION
from hpp.decide.metric import Metrics
from hpp.decide.verdict import Verdict

OPTIONS = ["low", "medium", "high"]


def verdict(
    expected: str, answer: str, confidence: float | None = None, name: str = "x"
) -> Verdict:
    """Return a verdict; the answers ``abstain`` and ``crash`` are the other outcomes."""
    status = {"abstain": ABSTENTION, "crash": FAILURE}.get(answer, RECOMMENDATION)
    value = answer if status == RECOMMENDATION else None
    return Verdict(name, expected, status, value=value, confidence=confidence)


def figures(*verdicts: Verdict, floor: float | None = 0.6) -> dict[str, Any]:
    return Metrics(verdicts, floor).document()


def test_five_cases_by_hand() -> None:
    found = figures(
        verdict("low", "low"),
        verdict("high", "low"),
        verdict("abstain", "abstain"),
        verdict("low", "abstain"),
        verdict("low", "crash"),
    )

    assert found == {
        "total": 5,
        "decided": 2,
        "abstained": 2,
        "failed": 1,
        "coverage": 0.4,
        "answerable_coverage": 0.5,
        "selective_accuracy": 0.5,
        "correct_abstentions": 1,
        "missed_abstentions": 0,
        "confident_errors": 0,
        "errors_by_expected": {"high": 1},
        "brier": "not-measured",
        "coverage_curve": "not-measured",
        "risk_coverage": "not-measured",
        "calibration": "not-measured",
    }


def test_silence_counts_against_coverage_only_where_an_answer_was_expected() -> None:
    silent = figures(verdict("low", "low"), *[verdict("low", "abstain")] * 9)
    right = figures(verdict("low", "low"), *[verdict("abstain", "abstain")] * 9)

    assert (silent["selective_accuracy"], silent["answerable_coverage"]) == (1.0, 0.1)
    assert (right["selective_accuracy"], right["answerable_coverage"]) == (1.0, 1.0)
    assert right["coverage"] == 0.1


def test_an_answer_where_none_was_expected_is_wrong() -> None:
    found = figures(verdict("low", "low"), verdict("abstain", "low"))

    assert (found["missed_abstentions"], found["selective_accuracy"]) == (1, 0.5)
    assert found["errors_by_expected"] == {"abstain": 1}
    assert found["answerable_coverage"] == 1.0


def test_five_right_and_five_silent() -> None:
    found = figures(*[verdict("low", "low")] * 5, *[verdict("low", "abstain")] * 5)

    assert (found["coverage"], found["selective_accuracy"], found["abstained"]) == (0.5, 1.0, 5)


def test_nothing_is_measured_of_failures_alone() -> None:
    found = figures(verdict("low", "crash"), verdict("high", "crash"))

    assert (found["selective_accuracy"], found["coverage"], found["failed"]) == (None, 0.0, 2)
    assert found["answerable_coverage"] == 0.0
    assert figures(verdict("abstain", "crash"))["answerable_coverage"] is None


@pytest.mark.parametrize(
    ("confidence", "floor", "errors"),
    [(0.6, 0.6, 1), (0.59, 0.6, 0), (1, 1, 1), (None, 0.0, 0), (0.9, None, 0), (0, 0, 1)],
)
def test_an_error_is_confident_from_the_floor_on(
    confidence: float | None, floor: float | None, errors: int
) -> None:
    found = figures(
        verdict("low", "high", confidence), verdict("high", "high", confidence), floor=floor
    )

    assert found["confident_errors"] == errors


def test_errors_are_sorted_by_what_was_expected() -> None:
    found = figures(verdict("medium", "low"), verdict("high", "low"), verdict("medium", "high"))

    assert list(found["errors_by_expected"].items()) == [("high", 1), ("medium", 2)]


ANY = st.builds(
    verdict,
    st.sampled_from([*OPTIONS, "abstain"]),
    st.sampled_from([*OPTIONS, "abstain", "crash"]),
    st.none() | st.sampled_from([0.0, 0.3, 0.5, 0.6, 0.75, 0.9, 1.0]),
)


@given(st.lists(ANY, min_size=1, max_size=12), st.none() | st.floats(0, 1))
def test_counts_add_up_and_shares_stay_in_range(
    verdicts: list[Verdict], floor: float | None
) -> None:
    metrics = Metrics(verdicts, floor)

    assert metrics.decided + metrics.abstained + metrics.failed == metrics.total == len(verdicts)
    assert sum(metrics.errors_by_expected().values()) == metrics.decided - metrics.right
    assert metrics.missed_abstentions <= metrics.decided - metrics.right
    assert 0 <= metrics.confident_errors <= metrics.decided - metrics.right
    for share in (metrics.selective_accuracy, metrics.answerable_coverage):
        assert share is None or 0 <= share <= 1
    assert (metrics.selective_accuracy is None) == (metrics.decided == 0)


@given(st.lists(ANY, min_size=1, max_size=8), st.randoms())
def test_the_order_of_cases_changes_nothing(verdicts: list[Verdict], random: Any) -> None:  # noqa: ANN401
    shuffled = list(verdicts)
    random.shuffle(shuffled)

    assert figures(*shuffled) == figures(*verdicts)


@given(st.lists(ANY, min_size=1, max_size=8))
def test_staying_silent_in_place_of_an_error_never_lowers_accuracy(
    verdicts: list[Verdict],
) -> None:
    before = Metrics(verdicts, None).selective_accuracy
    wrong = next((v for v in verdicts if v.is_decided and not v.correct), None)
    if wrong is None:
        return
    silent = [verdict(v.expected, "abstain") if v is wrong else v for v in verdicts]

    after = Metrics(silent, None).selective_accuracy

    assert before is not None
    assert after is None or after >= before


def test_shares_are_exact() -> None:
    found = Metrics([verdict("low", "low")] * 2 + [verdict("low", "high")], None)

    assert found.selective_accuracy == Fraction(2, 3)
