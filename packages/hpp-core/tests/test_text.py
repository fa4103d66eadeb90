from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpp.core.text import printable, shorten

# What a terminal would act on, or show as nothing: controls, line and paragraph breaks,
# surrogates. Joiners and other marks are tested one by one below.
HIDDEN = {"Cc", "Zl", "Zp", "Cs"}
any_text = st.text(st.characters())


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain é 表 🙂", "plain é 表 🙂"),
        ("a\nb\tc\rd", "a\\nb\\tc\\rd"),
        ("\x07\x1b[31m\x7f\x85", "\\u0007\\u001b[31m\\u007f\\u0085"),
        ("\u2028\u202e\u2066\u061c\ufeff", "\\u2028\\u202e\\u2066\\u061c\\ufeff"),
        ("a\u200bb\u2060c", "a\\u200bb\\u2060c"),
        ("a\U000e0041", "a\\U000e0041"),
        ("caf\udce9 \ud800", "caf\\xe9 \\ud800"),
    ],
)
def test_a_terminal_sees_no_raw_control_character(text: str, shown: str) -> None:
    assert printable(text) == shown


@given(any_text)
def test_what_is_shown_holds_nothing_hidden_and_is_one_line(text: str) -> None:
    shown = printable(text)

    assert not [char for char in shown if unicodedata.category(char) in HIDDEN]
    assert len(shown.splitlines()) <= 1
    shown.encode("utf-8")


@given(any_text)
def test_showing_twice_changes_nothing(text: str) -> None:
    assert printable(printable(text)) == printable(text)


@given(any_text, st.integers(1, 40))
def test_a_short_form_is_a_beginning_and_says_where_it_was_cut(text: str, limit: int) -> None:
    shown = shorten(text, limit)

    if len(text) <= limit:
        assert shown == printable(text)
    else:
        assert shown == printable(text[:limit]) + "..."


def test_a_cut_never_falls_inside_an_escape() -> None:
    assert shorten("\x07" * 3, 2) == "\\u0007\\u0007..."
    assert shorten("x" * 81) == "x" * 80 + "..."
    assert shorten("x" * 80) == "x" * 80


def test_control_the_plain_text_would_reach_the_terminal() -> None:
    raw = "\x1b[2J"

    assert unicodedata.category(raw[0]) in HIDDEN
    assert "\x1b" not in printable(raw)
