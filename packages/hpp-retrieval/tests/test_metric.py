from __future__ import annotations

import math
import random
from fractions import Fraction
from typing import TYPE_CHECKING

import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st

from hpp.retrieval.metric import METRICS, Means, figures, hit_ranks

if TYPE_CHECKING:
    from collections.abc import Sequence

IDS = [f"d{number}" for number in range(12)]
CASES = st.tuples(
    st.lists(st.sampled_from(IDS), min_size=1, unique=True),
    st.lists(st.sampled_from(IDS), unique=True),
    st.integers(1, 15),
)
TREC = {
    "hit_at_k": "success",
    "recall_at_k": "recall",
    "precision_at_k": "P",
    "ndcg_at_k": "ndcg_cut",
}


def measured(relevant: Sequence[str], ranking: Sequence[str], k: int) -> dict[str, float]:
    return figures(hit_ranks(ranking, frozenset(relevant), k), len(relevant), k)


@pytest.mark.parametrize(
    ("relevant", "ranking", "k", "wanted"),
    [
        ("a", "xa", 3, (1, 1, 1 / 3, 1 / 2, 0.6309)),
        ("abcd", "a", 3, (1, 0.25, 1 / 3, 1, 0.4693)),
        ("abcd", "xab", 3, (1, 0.5, 2 / 3, 1 / 2, 0.5307)),
        ("ab", "axb", 3, (1, 1, 2 / 3, 1, 0.9197)),
        ("a", "xyza", 3, (0, 0, 0, 0, 0)),
        ("a", "", 3, (0, 0, 0, 0, 0)),
        ("ab", "a", 10, (1, 0.5, 0.1, 1, 0.6131)),
        ("abcdefghijklmnopqrst", "a", 1, (1, 0.05, 1, 1, 1)),
        ("c", "abc", 3, (1, 1, 1 / 3, 1 / 3, 0.5)),
    ],
    ids=lambda value: str(value)[:8],
)
def test_figures_worked_out_by_hand(
    relevant: str, ranking: str, k: int, wanted: tuple[float, ...]
) -> None:
    found = measured(list(relevant), list(ranking), k)

    assert list(found.values())[:4] == list(wanted)[:4]
    assert found["ndcg_at_k"] == pytest.approx(wanted[4], abs=5e-5)


def suites(count: int) -> list[tuple[list[str], list[str], int]]:
    source = random.Random(20260101)
    made = []
    for _ in range(count):
        ids = [f"doc-{number}" for number in range(source.randint(1, 40))]
        relevant = source.sample(ids, source.randint(1, len(ids)))
        ranking = source.sample(ids, source.randint(1, len(ids)))
        made.append((relevant, ranking, source.choice([1, 2, 3, 5, 10, 20, 100])))
    return made


def test_every_figure_is_that_of_trec_eval() -> None:
    """On 500 generated rankings without equal scores, which trec_eval orders by name."""
    for relevant, ranking, k in suites(500):
        qrels = {"q": dict.fromkeys(relevant, 1)}
        scores = {"q": {each: float(-rank) for rank, each in enumerate(ranking)}}
        wanted = {f"{name}.{k}" for name in TREC.values()}
        judge = pytrec_eval.RelevanceEvaluator(qrels, wanted)
        # Its reciprocal rank has no cut, so the ranking is cut for it.
        cut = {"q": dict(list(scores["q"].items())[:k])}
        first = pytrec_eval.RelevanceEvaluator(qrels, {"recip_rank"}).evaluate(cut)["q"]
        theirs = judge.evaluate(scores)["q"]
        ours = measured(relevant, ranking, k)

        for name, trec in TREC.items():
            assert ours[name] == pytest.approx(theirs[f"{trec}_{k}"], abs=1e-9), name
        assert ours["reciprocal_rank"] == pytest.approx(first["recip_rank"], abs=1e-9)


def test_control_another_ideal_is_seen_by_that_comparison() -> None:
    """With the ideal of what was found, and not of the labels, figures differ."""
    relevant, ranking, k = list("abcd"), list("xab"), 3
    found = hit_ranks(ranking, set(relevant), k)

    assert figures(found, len(found), k)["ndcg_at_k"] != measured(relevant, ranking, k)["ndcg_at_k"]


@given(CASES)
def test_every_figure_lies_between_0_and_1(case: tuple[list[str], list[str], int]) -> None:
    assert all(0 <= value <= 1 for value in measured(*case).values())


@given(CASES, st.permutations(IDS))
def test_renaming_ids_changes_nothing(
    case: tuple[list[str], list[str], int], names: list[str]
) -> None:
    relevant, ranking, k = case
    renamed = dict(zip(IDS, names, strict=True))

    again = measured([renamed[each] for each in relevant], [renamed[each] for each in ranking], k)

    assert again == measured(relevant, ranking, k)


@given(CASES)
def test_what_stands_after_the_cut_changes_nothing(
    case: tuple[list[str], list[str], int],
) -> None:
    relevant, ranking, k = case

    assert measured(relevant, ranking[:k], k) == measured(relevant, ranking, k)


@given(CASES)
def test_a_larger_cut_finds_no_less(case: tuple[list[str], list[str], int]) -> None:
    relevant, ranking, k = case
    small, large = measured(relevant, ranking, k), measured(relevant, ranking, k + 1)

    for name in ("hit_at_k", "recall_at_k", "reciprocal_rank"):
        assert large[name] >= small[name]


@given(CASES, st.data())
def test_moving_a_relevant_id_up_lowers_no_figure(
    case: tuple[list[str], list[str], int], data: st.DataObject
) -> None:
    relevant, ranking, k = case
    places = [at for at, each in enumerate(ranking) if at and each in relevant]
    if not places:
        return
    at = data.draw(st.sampled_from(places))
    better = list(ranking)
    better[at - 1], better[at] = better[at], better[at - 1]

    before, after = measured(relevant, ranking, k), measured(relevant, better, k)

    assert all(after[name] >= before[name] - 1e-15 for name in METRICS)


@given(CASES)
def test_the_ideal_ranking_is_worth_1(case: tuple[list[str], list[str], int]) -> None:
    relevant, _, k = case
    best = measured(relevant, relevant, k)

    assert best["ndcg_at_k"] == 1
    assert best["recall_at_k"] == min(1, k / len(relevant))


@settings(max_examples=50)
@given(st.lists(CASES, min_size=1))
def test_a_mean_is_the_double_nearest_to_the_exact_one(
    cases: list[tuple[list[str], list[str], int]],
) -> None:
    k = cases[0][2]
    means = Means(k)
    recalls, firsts = Fraction(0), Fraction(0)
    for relevant, ranking, _ in cases:
        ranks = hit_ranks(ranking, set(relevant), k)
        means.add(ranks, len(relevant))
        recalls += Fraction(len(ranks), len(relevant))
        firsts += Fraction(1, ranks[0]) if ranks else 0

    assert means.recall() == recalls / len(cases)
    assert means.document()["recall_at_k"] == float(recalls / len(cases))
    assert means.document()["mrr"] == float(firsts / len(cases))


def test_without_a_case_there_is_no_mean() -> None:
    assert set(Means(3).document().values()) == {None}


def test_misses_stay_in_the_mean() -> None:
    means = Means(3)
    means.add([1], 1)
    means.add([], 4)

    assert means.document()["mrr"] == 0.5
    assert means.document()["ndcg_at_k"] == 0.5


def test_a_cut_far_beyond_the_ranking_costs_nothing() -> None:
    assert measured(["a", "b"], ["x", "a"], 2**53 - 1)["ndcg_at_k"] == pytest.approx(
        (1 / math.log2(3)) / (1 + 1 / math.log2(3))
    )
