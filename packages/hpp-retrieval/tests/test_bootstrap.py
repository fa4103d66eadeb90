from __future__ import annotations

from fractions import Fraction
from statistics import fmean

from hypothesis import given, settings
from hypothesis import strategies as st

from hpp.retrieval.bootstrap import Bootstrap
from hpp.retrieval.randomness import draw_bytes, draw_indices

LEVEL = Fraction("0.95")


def test_random_numbers_are_the_same_everywhere() -> None:
    """The first line is what `openssl dgst -shake128 -xoflen 8` says of ``0:signs:0``."""
    assert draw_bytes(0, "signs", 0, 8).hex() == "044513384ca23825"
    assert draw_indices(7, "bootstrap", 3, 10) == [1, 7, 4, 9, 0, 6, 0, 0, 7, 3]


def test_indices_cover_the_cases_evenly() -> None:
    seen = [0] * 10
    for draw in range(2000):
        for index in draw_indices(1, "x", draw, 10):
            seen[index] += 1

    assert min(seen) > 1800
    assert max(seen) < 2200


def test_intervals_are_the_same_everywhere() -> None:
    values = {"recall_at_k": [1, 1, 0.5, 0, 1, 1, 1]}
    found = Bootstrap(LEVEL, 1000, 0).intervals(values)

    assert found == {"recall_at_k": [0.5, 1.0]}


def test_another_seed_gives_another_interval() -> None:
    values = {"x": [number / 97 % 1 for number in range(0, 970, 7)]}
    found = {tuple((Bootstrap(LEVEL, 50, seed).intervals(values) or {})["x"]) for seed in range(5)}

    assert len(found) > 1


@settings(max_examples=30, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=20), st.integers(0, 99))
def test_an_interval_lies_inside_the_values(values: list[float], seed: int) -> None:
    found = Bootstrap(LEVEL, 60, seed).intervals({"x": values})
    assert found is not None
    low, high = found["x"]

    assert min(values) - 1e-12 <= low <= high <= max(values) + 1e-12


def test_a_higher_level_gives_no_narrower_interval() -> None:
    values = {"x": [0.0, 1.0] * 20}
    narrow = (Bootstrap(Fraction("0.5"), 300, 0).intervals(values) or {})["x"]
    wide = (Bootstrap(Fraction("0.99"), 300, 0).intervals(values) or {})["x"]

    assert wide[0] <= narrow[0] <= fmean(values["x"]) <= narrow[1] <= wide[1]


def test_one_resample_and_no_case_have_an_answer_too() -> None:
    assert Bootstrap(LEVEL, 1, 0).intervals({"x": [0.25]}) == {"x": [0.25, 0.25]}
    assert Bootstrap(LEVEL, 10, 0).intervals({"x": []}) is None


def test_control_cases_that_differ_make_the_interval_wide() -> None:
    same = (Bootstrap(LEVEL, 100, 0).intervals({"x": [0.5] * 9}) or {})["x"]
    apart = (Bootstrap(LEVEL, 100, 0).intervals({"x": [0.0, 1.0] * 9}) or {})["x"]

    assert same == [0.5, 0.5]
    assert apart[1] - apart[0] > 0.2
