from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpp.decide.decision import RECOMMENDATION
from hpp.decide.riskcurve import NOT_MEASURED, coverage_curve, risk_coverage
from hpp.decide.verdict import Verdict


def answers(*pairs: tuple[float | None, bool]) -> list[Verdict]:
    return [
        Verdict(
            str(n), "low", RECOMMENDATION, value="low" if right else "high", confidence=confidence
        )
        for n, (confidence, right) in enumerate(pairs)
    ]


FOUR = answers((0.95, True), (0.75, True), (0.8, False), (0.5, True))


def test_the_curve_at_five_floors_by_hand() -> None:
    curve: Any = coverage_curve(FOUR, 4)

    assert [(point["floor"], point["decided"], point["coverage"]) for point in curve] == [
        (0.5, 4, 1.0),
        (0.6, 3, 0.75),
        (0.7, 3, 0.75),
        (0.8, 2, 0.5),
        (0.9, 1, 0.25),
    ]
    assert [point["selective_accuracy"] for point in curve] == [0.75, 2 / 3, 2 / 3, 0.5, 1.0]


def test_a_floor_that_nobody_reaches_has_no_accuracy() -> None:
    curve: Any = coverage_curve(answers((0.55, True)), 2)

    assert [point["selective_accuracy"] for point in curve] == [1.0, None, None, None, None]
    assert [point["coverage"] for point in curve] == [0.5, 0.0, 0.0, 0.0, 0.0]


def test_risk_against_coverage_by_hand() -> None:
    # From the most confident on: right, wrong, right, right.
    found: Any = risk_coverage(FOUR, 5)

    assert found["scored"] == 4
    assert found["points"] == [
        {"confidence": 0.95, "decided": 1, "coverage": 0.2, "risk": 0.0},
        {"confidence": 0.8, "decided": 2, "coverage": 0.4, "risk": 0.5},
        {"confidence": 0.75, "decided": 3, "coverage": 0.6, "risk": 1 / 3},
        {"confidence": 0.5, "decided": 4, "coverage": 0.8, "risk": 0.25},
    ]
    assert found["area"] == float((Fraction(1, 2) + Fraction(1, 3) + Fraction(1, 4)) / 4)


def test_equal_confidences_enter_together() -> None:
    found: Any = risk_coverage(answers((0.9, True), (0.9, False), (0.4, True)), 3)

    assert [point["decided"] for point in found["points"]] == [2, 3]
    assert found["area"] == float((2 * Fraction(1, 2) + Fraction(1, 3)) / 3)


@pytest.mark.parametrize("measure", [coverage_curve, risk_coverage])
def test_nothing_is_measured_without_a_confidence(measure: Any) -> None:  # noqa: ANN401 -- a function
    assert measure(answers((None, True)), 3) == NOT_MEASURED
    assert measure([], 3) == NOT_MEASURED


PAIRS = st.lists(
    st.tuples(st.sampled_from([0.1, 0.5, 0.6, 0.8, 1.0]), st.booleans()), min_size=1, max_size=8
)


@given(PAIRS, st.integers(0, 5))
def test_the_curve_falls_in_confidence_and_rises_in_coverage(
    pairs: list[tuple[float, bool]], more: int
) -> None:
    found: Any = risk_coverage(answers(*pairs), len(pairs) + more)

    points = found["points"]
    assert [p["confidence"] for p in points] == sorted({c for c, _ in pairs}, reverse=True)
    assert [p["decided"] for p in points] == sorted(p["decided"] for p in points)
    assert points[-1]["decided"] == len(pairs)
    assert points[-1]["risk"] == sum(not right for _, right in pairs) / len(pairs)
    assert 0 <= found["area"] <= 1


@given(PAIRS)
def test_the_area_is_least_when_every_error_is_the_least_confident(
    pairs: list[tuple[float, bool]],
) -> None:
    rights = [right for _, right in pairs]
    steps = [1 - n / 100 for n in range(len(pairs))]
    ideal: Any = risk_coverage(answers(*zip(steps, sorted(rights, reverse=True), strict=True)), 9)
    worst: Any = risk_coverage(answers(*zip(steps, sorted(rights), strict=True)), 9)
    found: Any = risk_coverage(answers(*pairs), 9)

    assert ideal["area"] - 1e-12 <= found["area"] <= worst["area"] + 1e-12


@given(PAIRS)
def test_no_errors_no_area(pairs: list[tuple[float, bool]]) -> None:
    found: Any = risk_coverage(answers(*[(c, True) for c, _ in pairs]), 9)

    assert found["area"] == 0.0
