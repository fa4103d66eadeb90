from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpp.decide.calibration import BINS, brier, calibration
from hpp.decide.decision import RECOMMENDATION
from hpp.decide.verdict import Verdict

OPTIONS = ("low", "medium", "high")


def answer(
    confidence: float | None = None,
    *,
    right: bool = True,
    expected: str = "low",
    probabilities: tuple[float, ...] | None = None,
) -> Verdict:
    shares = None if probabilities is None else dict(zip(OPTIONS, probabilities, strict=True))
    return Verdict(
        "x",
        expected,
        RECOMMENDATION,
        value=expected if right else "other",
        confidence=confidence,
        probabilities=shares,
    )


def test_brier_by_hand() -> None:
    first = answer(probabilities=(0.8, 0.1, 0.1))
    second = answer(probabilities=(0.4, 0.1, 0.5), right=False)

    assert brier([first]) == 0.06
    assert brier([second]) == 0.62
    assert brier([first, second]) == 0.34


def test_brier_leaves_out_cases_without_a_right_option() -> None:
    first = answer(probabilities=(0.8, 0.1, 0.1))
    silent = answer(expected="abstain", right=False)

    assert brier([first, silent]) == 0.06


@pytest.mark.parametrize(
    "verdicts",
    [
        [],
        [answer(expected="abstain", right=False, probabilities=(1, 0, 0))],
        [answer(probabilities=(1, 0, 0)), answer()],
    ],
)
def test_brier_of_a_part_is_no_figure(verdicts: list[Verdict]) -> None:
    assert brier(verdicts) == "not-measured"


def test_calibration_by_hand() -> None:
    found: Any = calibration([answer(0.9), answer(0.95, right=False), answer(0.3), answer()])

    assert found["scored"] == 3
    assert found["bins"] == [
        {"from": 0.3, "to": 0.4, "decided": 1, "confidence": 0.3, "accuracy": 1.0},
        {"from": 0.9, "to": 1.0, "decided": 2, "confidence": 0.925, "accuracy": 0.5},
    ]
    assert found["error"] == float((Fraction(7, 10) + 2 * Fraction(425, 1000)) / 3)
    assert found["largest"] == 0.7


@pytest.mark.parametrize(
    ("confidence", "lower"), [(0, 0.0), (0.1, 0.1), (0.3, 0.3), (0.7, 0.7), (0.99, 0.9), (1, 0.9)]
)
def test_a_bin_holds_its_lower_border(confidence: float, lower: float) -> None:
    found: Any = calibration([answer(confidence)])

    assert [each["from"] for each in found["bins"]] == [lower]


def test_nothing_is_measured_without_a_confidence() -> None:
    assert calibration([answer(), answer(right=False)]) == "not-measured"


PAIRS = st.lists(st.tuples(st.integers(0, 100), st.booleans()), min_size=1, max_size=12)


@given(PAIRS)
def test_the_error_lies_between_nothing_and_the_largest(pairs: list[tuple[int, bool]]) -> None:
    found: Any = calibration([answer(n / 100, right=right) for n, right in pairs])

    assert 0 <= found["error"] <= found["largest"] <= 1
    assert sum(each["decided"] for each in found["bins"]) == found["scored"] == len(pairs)
    assert len(found["bins"]) <= BINS
    for each in found["bins"]:
        assert each["from"] <= each["confidence"] <= each["to"]


@given(PAIRS)
def test_the_error_is_at_least_the_distance_of_the_means(pairs: list[tuple[int, bool]]) -> None:
    found: Any = calibration([answer(n / 100, right=right) for n, right in pairs])
    said = sum(n for n, _ in pairs) / 100 / len(pairs)
    held = sum(right for _, right in pairs) / len(pairs)

    assert found["error"] >= abs(said - held) - 1e-12


@given(st.lists(st.tuples(*[st.integers(0, 10)] * 3), min_size=1, max_size=6))
def test_brier_lies_between_0_and_2(shares: list[tuple[int, int, int]]) -> None:
    given_ = [tuple(share / (sum(each) or 1) for share in each) for each in shares]

    found = brier([answer(probabilities=each) for each in given_])

    assert isinstance(found, float)
    assert 0 <= found <= 2 + 1e-9
