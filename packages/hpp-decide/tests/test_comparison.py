from __future__ import annotations

from math import comb
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpp.core.errors import RefusedError
from hpp.core.schema import faults, find_schema
from hpp.decide.comparison import Comparison, Report, read_report
from hpp.decide.decision import ABSTENTION, FAILURE, RECOMMENDATION
from hpp.decide.place import Place
from hpp.decide.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable

    Call = Callable[..., tuple[int, Any, str]]
    Make = Callable[..., dict[str, Any]]
    Put = Callable[[str, object], str]


def document(*answers: str, **changes: object) -> dict[str, Any]:
    """Return what a comparison reads of a report: every case expects ``low``."""
    statuses = {"abstain": ABSTENTION, "crash": FAILURE}
    verdicts = [
        Verdict(
            f"c{n}",
            "low",
            statuses.get(answer, RECOMMENDATION),
            value=None if answer in statuses else answer,
            error="x" if answer == "crash" else None,
        )
        for n, answer in enumerate(answers)
    ]
    return {
        "schema": "hpp.decision-eval/v1",
        "suite": {"name": "s", "version": None, "sha256": "0" * 64},
        "question": {"id": "q", "kind": "choice", "sha256": "1" * 64},
        "confidence_floor": 0.6,
        "cases": [verdict.document() for verdict in verdicts],
        **changes,
    }


def report(*answers: str, **changes: object) -> Report:
    return read_report(Place(document(*answers, **changes), "r.json"))


def test_what_moved_is_told_case_by_case() -> None:
    first = report("low", "high", "abstain", "low", "crash", "high")
    second = report("low", "low", "low", "high", "crash", "medium")

    found = Comparison(first, second).document()

    assert (found["fixed"], found["broken"]) == (["c1", "c2"], ["c3"])
    assert [m["id"] for m in found["moved"]] == ["c1", "c2", "c3", "c5"]
    assert found["moved"][1] == {
        "id": "c2",
        "expected": "low",
        "first": {"status": "abstention", "value": None, "correct": False},
        "second": {"status": "recommendation", "value": "low", "correct": True},
    }
    assert found["right"] == {"both": 1, "first_only": 1, "second_only": 2, "neither": 2}
    assert [m["selective_accuracy"] for m in found["metrics"]] == [0.5, 0.6]
    # Three discordant cases split 2 to 1: every split is as likely or likelier.
    assert found["test"] == {"name": "mcnemar-exact", "p_value": 1.0}
    assert found["same_suite"] is True
    assert faults(find_schema("decision-compare").document(), found) == []


@pytest.mark.parametrize(
    ("fixed", "broken", "p_value"),
    [(0, 0, 1.0), (1, 0, 1.0), (5, 0, 2 / 32), (6, 0, 2 / 64), (8, 1, 2 * 10 / 512)],
)
def test_the_exact_test_by_hand(fixed: int, broken: int, p_value: float) -> None:
    first = report(*["high"] * fixed, *["low"] * broken, "low")
    second = report(*["low"] * fixed, *["high"] * broken, "low")

    assert Comparison(first, second).p_value == p_value


@pytest.mark.parametrize(("fixed", "broken"), [(4, 4), (7, 9), (20, 6), (31, 40)])
def test_the_exact_test_is_a_sum_of_binomial_coefficients(fixed: int, broken: int) -> None:
    first = report(*["high"] * fixed, *["low"] * broken)
    second = report(*["low"] * fixed, *["high"] * broken)
    tail = sum(comb(fixed + broken, number) for number in range(min(fixed, broken) + 1))

    assert Comparison(first, second).p_value == min(1.0, 2 * tail / 2 ** (fixed + broken))


ANSWERS = st.lists(
    st.tuples(*[st.sampled_from(["low", "high", "abstain", "crash"])] * 2), min_size=1, max_size=9
)


@given(ANSWERS)
def test_the_other_way_round_fixed_and_broken_change_places(pairs: list[tuple[str, str]]) -> None:
    first, second = (report(*column) for column in zip(*pairs, strict=True))

    one, other = Comparison(first, second), Comparison(second, first)

    assert (one.fixed, one.broken, one.moved) == (other.broken, other.fixed, other.moved)
    assert one.p_value == other.p_value
    total = len(one.fixed) + len(one.broken)
    least = 2 * sum(comb(total, n) for n in range(min(len(one.fixed), len(one.broken)) + 1))
    assert one.p_value == min(1.0, least / 2**total)


@given(ANSWERS)
def test_nothing_moves_against_itself(pairs: list[tuple[str, str]]) -> None:
    same = report(*[first for first, _ in pairs])

    found = Comparison(same, same)

    assert (found.moved, found.fixed, found.broken, found.p_value) == ([], [], [], 1.0)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"schema": "x"}, "schema: expected"),
        ({"cases": []}, "cases: expected a list of 1 or more"),
        ({"cases__0__status": "maybe"}, r"cases\[0\].status: expected"),
        ({"cases__0__correct": False}, r"cases\[0\].correct: expected true, got false"),
        ({"cases__2__value": "low"}, r"cases\[2\].value: a case of the status"),
        ({"cases__1__id": "c0"}, r"cases\[1\].id: the id is repeated"),
        ({"cases__0__confidence": 2}, r"cases\[0\].confidence: expected"),
        ({"confidence_floor": 2}, "confidence_floor: expected"),
        ({"suite__sha256": "x"}, "suite.sha256: expected"),
    ],
)
def test_a_report_that_contradicts_itself_is_refused(
    changed: Make, changes: dict[str, Any], told: str
) -> None:
    made = changed(document("low", "high", "abstain"), changes)

    with pytest.raises(RefusedError, match=f"^r.json: {told}"):
        read_report(Place(made, "r.json"))


@pytest.mark.parametrize(
    ("second", "told"),
    [
        (document("low", question={"sha256": "2" * 64}), "question: it is another question"),
        (document("low", "low"), 'cases: the case "c1" is not in the first report'),
        (
            document("low", cases=[Verdict("x", "low", ABSTENTION).document()]),
            'cases: the case "c0" of the first report is missing',
        ),
        (
            document("low", cases=[Verdict("c0", "high", ABSTENTION).document()]),
            'cases: another answer is expected for "c0"',
        ),
    ],
)
def test_reports_on_other_cases_are_refused(second: dict[str, Any], told: str) -> None:
    with pytest.raises(RefusedError, match=f"^two.json: {told}"):
        Comparison(report("low"), read_report(Place(second, "two.json")))


@pytest.mark.parametrize(
    ("options", "code"),
    [([], 0), (["--max-broken", "1"], 0), (["--max-broken", "0"], 1), (["--max-broken", "-1"], 2)],
)
def test_the_program_compares_what_it_measured(  # noqa: PLR0913, PLR0917 -- fixtures
    program: Call, suite: Make, case: Make, put: Put, options: list[str], code: int
) -> None:
    cases = [("a", "low", "low"), ("b", "low", "high")]
    first = program("eval", put("s1.json", suite(*[case(*each) for each in cases])))[1]
    moved = [("a", "low", "abstain"), ("b", "low", "low")]
    second = program("eval", put("s2.json", suite(*[case(*each) for each in moved])))[1]

    found, printed, _ = program(
        "decide", "compare", put("r1.json", first), put("r2.json", second), *options
    )

    assert found == code
    if code < 2:
        assert (printed["fixed"], printed["broken"], printed["same_suite"]) == (["b"], ["a"], False)
        assert faults(find_schema("decision-compare").document(), printed) == []
