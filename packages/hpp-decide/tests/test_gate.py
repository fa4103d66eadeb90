from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from hpp.core.errors import RefusedError
from hpp.decide.decision import ABSTENTION, FAILURE, RECOMMENDATION
from hpp.decide.gate import Demands, Judgement, judge
from hpp.decide.metric import Metrics
from hpp.decide.verdict import Verdict


def judged(cases: str, **demands: Any) -> Judgement:  # noqa: ANN401 -- demands of any kind
    """Judge cases written as words: right, wrong, sure (and wrong), silent, failed."""
    words = {
        "right": ("low", RECOMMENDATION, "low", None),
        "wrong": ("high", RECOMMENDATION, "low", None),
        "sure": ("high", RECOMMENDATION, "low", 0.9),
        "silent": ("low", ABSTENTION, None, None),
        "failed": ("low", FAILURE, None, None),
        "quiet": ("abstain", ABSTENTION, None, None),
        "loud": ("abstain", RECOMMENDATION, "low", None),
    }
    verdicts = [
        Verdict(str(n), expected, status, value=value, confidence=confidence)
        for n, word in enumerate(cases.split())
        for expected, status, value, confidence in [words[word]]
    ]
    return judge(Metrics(verdicts, 0.6), Demands(**demands))


HALF = {"min_selective_accuracy": Fraction(1, 2)}


@pytest.mark.parametrize(
    ("cases", "demands", "reason"),
    [
        ("silent silent", {}, "nothing was decided: 2 abstentions, 0 instrument failures"),
        ("failed", {}, "nothing was decided: 0 abstentions, 1 instrument failure"),
        ("failed", {"max_failures": 9}, "nothing was decided"),
        ("right failed", {}, "1 instrument failure, at most 0 allowed"),
        ("wrong failed", {}, "1 instrument failure, at most 0 allowed"),
        ("right wrong", {}, "selective accuracy 0.5 is below 0.9"),
        ("wrong silent", {}, "selective accuracy 0.0 is below 0.9"),
        ("right silent silent", {}, "answerable coverage 0.3333333333333333 is below 0.5"),
        ("right sure", HALF, "1 confident error, at most 0 allowed"),
        ("right right sure sure", HALF, "2 confident errors, at most 0 allowed"),
    ],
)
def test_the_first_demand_that_is_not_met_decides(
    cases: str, demands: dict[str, Any], reason: str
) -> None:
    judgement = judged(cases, **demands)

    assert not judgement.is_passed
    assert judgement.reason.startswith(reason)


@pytest.mark.parametrize(
    ("cases", "demands"),
    [
        ("right", {}),
        ("right silent", {}),
        ("right quiet quiet quiet", {}),
        ("right failed", {"max_failures": 1}),
        ("right wrong", HALF),
        ("right sure", {**HALF, "max_confident_errors": 1}),
        ("loud", {"min_selective_accuracy": Fraction(0)}),
        ("right " * 9 + "wrong", {}),
    ],
)
def test_these_pass(cases: str, demands: dict[str, Any]) -> None:
    assert judged(cases, **demands).is_passed


def test_a_share_is_compared_as_the_decimal_that_was_typed() -> None:
    # 2/3 and the float next to it are one float and two numbers.
    above = Fraction(0.6666666666666666) + Fraction(1, 10**20)

    assert judged("right right wrong", min_selective_accuracy=Fraction(2, 3)).is_passed
    assert judged(
        "right right wrong", min_selective_accuracy=Fraction(0.6666666666666666)
    ).is_passed
    assert float(above) == 2 / 3
    assert not judged(
        "right right wrong", min_selective_accuracy=Fraction(2, 3) + Fraction(1, 10**20)
    ).is_passed


@pytest.mark.parametrize("name", ["max_confident_errors", "max_failures"])
def test_fewer_than_none_is_refused(name: str) -> None:
    with pytest.raises(RefusedError, match="expected 0 or more, got -1"):
        Demands(**{name: -1})  # type: ignore[arg-type]  # neither is a share
