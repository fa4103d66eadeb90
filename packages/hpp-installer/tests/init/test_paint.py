"""Escapes of each tier, and the nearest colours."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hpp.installer.paint import Paint, cube_or_grey, nearest_of_sixteen

CHANNEL = st.integers(0, 255)
ALLOWED = re.compile(r"\x1b\[(?:38;2;\d+;\d+;\d+|38;5;\d+|3[0-7]|9[0-7]|1|2|0)m")


def painted(tier: str, colour: tuple[int, int, int]) -> str:
    paint = Paint(tier)
    styled = [paint.strong("a"), paint.dim("b"), paint.alarm("c"), paint.accent("d")]
    return paint.rgb("x", colour) + "".join(styled)


@settings(max_examples=80, deadline=None)
@given(st.tuples(CHANNEL, CHANNEL, CHANNEL), st.sampled_from(["none", "16", "256", "truecolor"]))
def test_only_the_agreed_escapes_are_written(colour: tuple[int, int, int], tier: str) -> None:
    text = painted(tier, colour)

    assert ALLOWED.sub("", text) == "xabcd"
    assert ("\x1b" in text) == (tier != "none")


@pytest.mark.parametrize(
    ("tier", "escape"), [("truecolor", "38;2;1;2;3"), ("256", "38;5;232"), ("16", "30")]
)
def test_a_tier_has_its_own_escape(tier: str, escape: str) -> None:
    assert Paint(tier).rgb("x", (1, 2, 3)) == f"\x1b[{escape}mx\x1b[0m"


@pytest.mark.parametrize(
    ("colour", "number"),
    [
        ((0, 0, 0), 232),
        ((8, 8, 8), 232),
        ((255, 255, 255), 255),
        ((128, 128, 128), 244),
        ((128, 136, 128), 244),
        ((255, 0, 0), 196),
        ((0, 255, 0), 46),
        ((0, 0, 255), 21),
        ((95, 135, 175), 67),
    ],
)
def test_greys_take_the_ramp_and_colours_the_cube(
    colour: tuple[int, int, int], number: int
) -> None:
    assert cube_or_grey(colour) == number


@pytest.mark.parametrize(
    ("colour", "number"),
    [((0, 0, 0), 0), ((200, 5, 5), 1), ((255, 255, 255), 15), ((120, 120, 120), 8)],
)
def test_sixteen_colours_are_the_nearest_of_xterm(
    colour: tuple[int, int, int], number: int
) -> None:
    assert nearest_of_sixteen(colour) == number
    code = number + 30 if number < 8 else number + 82
    assert Paint("16").rgb("x", colour) == f"\x1b[{code}mx\x1b[0m"


def test_control_red_is_the_palette_s_own() -> None:
    assert Paint("truecolor").alarm("x") == "\x1b[31mx\x1b[0m"
    assert Paint("none").alarm("x") == "x"


def test_sixteen_colours_still_tell_yes_from_no() -> None:
    paint = Paint("16")

    painted = [paint.good("x"), paint.bad("x"), paint.caution("x"), paint.muted("x")]
    assert [text[2:4] for text in painted] == ["32", "31", "33", "90"]
