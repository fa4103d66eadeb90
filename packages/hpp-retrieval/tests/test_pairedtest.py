from __future__ import annotations

import itertools
from math import comb
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hpp.retrieval.pairedtest import EXACT, SAMPLED, p_value

if TYPE_CHECKING:
    from collections.abc import Sequence


def by_definition(differences: Sequence[int]) -> float:
    seen = abs(sum(differences))
    signs = list(itertools.product((1, -1), repeat=len(differences)))
    as_large = [
        abs(sum(sign * each for sign, each in zip(row, differences, strict=True))) >= seen
        for row in signs
    ]
    return sum(as_large) / len(signs)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(-4, 4), max_size=9))
def test_with_few_differences_every_sign_is_tried(differences: list[int]) -> None:
    p, method = p_value([each / 4 for each in differences], samples=1, seed=0)

    assert method == EXACT
    assert p == by_definition([each for each in differences if each])


def test_of_hits_it_is_the_sign_test() -> None:
    """Ten cases won and two lost: twice the tail of a fair coin."""
    p, _ = p_value([1.0] * 10 + [-1.0] * 2 + [0.0] * 50, samples=1, seed=0)

    assert p == pytest.approx(2 * sum(comb(12, k) for k in range(3)) / 2**12)


def test_with_many_differences_a_sample_comes_near() -> None:
    differences = [1.0] * 16 + [-1.0] * 8
    exact = 2 * sum(comb(24, k) for k in range(9)) / 2**24
    p, method = p_value(differences, samples=10_000, seed=0)

    assert method == SAMPLED
    assert p == pytest.approx(exact, abs=0.02)
    assert p == p_value(differences, samples=10_000, seed=0)[0]


def test_a_sample_is_never_certain() -> None:
    assert p_value([1.0] * 100, samples=99, seed=0) == (0.01, SAMPLED)


def test_no_difference_is_chance() -> None:
    assert p_value([0.0] * 9, samples=9, seed=0) == (1.0, EXACT)
    assert p_value([], samples=9, seed=0) == (1.0, EXACT)


def test_equal_differences_that_round_apart_are_equal() -> None:
    """2/3 - 1/3 and 1/3 - 0 are one difference, though their doubles may not be."""
    differences = [0.7 - 0.6, 0.1, -(0.3 - 0.2), 0.1]

    assert len(set(map(abs, differences))) > 1
    assert p_value(differences, samples=9, seed=0)[0] == by_definition([1, 1, -1, 1])


@given(st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.5, 1.0]), min_size=17, max_size=40))
@settings(max_examples=20, deadline=None)
def test_the_side_does_not_matter(differences: list[float]) -> None:
    one, _ = p_value(differences, samples=200, seed=3)
    other, _ = p_value([-each for each in differences], samples=200, seed=3)

    assert one == other
    assert 0 < one <= 1


def test_control_a_clear_loss_is_not_chance() -> None:
    assert p_value([-1.0] * 8, samples=1, seed=0)[0] < 0.01
    assert p_value([-1.0, 1.0] * 4, samples=1, seed=0)[0] == 1.0
