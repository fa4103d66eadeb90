from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpp.core.errors import RefusedError, UsageError
from hpp.core.threshold import parse_share


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("0.6", Fraction(3, 5)),
        ("1", Fraction(1)),
        ("8e-1", Fraction(4, 5)),
        ("1.0", Fraction(1)),
        ("0", Fraction(0)),
        ("-0.0", Fraction(0)),
        ("0e999999999999", Fraction(0)),
        (".5", Fraction(1, 2)),
    ],
)
def test_a_decimal_is_kept_as_it_was_typed(text: str, share: Fraction) -> None:
    assert parse_share("--min", text) == share


@pytest.mark.parametrize(
    "text",
    ["nan", "inf", "-inf", "1.1", "1.0000000000000000001", "-0.1", "1e400", "1e-999999999"],
)
def test_a_number_out_of_range_is_refused(text: str) -> None:
    with pytest.raises(RefusedError, match="--min: "):
        parse_share("--min", text)


@pytest.mark.parametrize("text", ["", "abc", "1/2", "0_1", " 0.5", "0.5\n", "٠"])
def test_what_is_no_number_is_a_usage_error(text: str) -> None:
    with pytest.raises(UsageError, match="--min: "):
        parse_share("--min", text)


@given(st.decimals(min_value=0, max_value=1, places=9))
def test_no_digit_is_lost(value: object) -> None:
    assert parse_share("--min", str(value)) == Fraction(str(value))


def test_control_a_float_would_lose_digits() -> None:
    assert Fraction(float("0.6")) != parse_share("--min", "0.6")
