"""How many colours: the first rule that holds."""

from __future__ import annotations

import os

import pytest

from hpp.installer.tier import choose_tier, switch_on_escapes


@pytest.mark.parametrize(
    ("environment", "facts", "tier"),
    [
        ({"NO_COLOR": "1", "FORCE_COLOR": "3", "COLORTERM": "truecolor"}, "t", "none"),
        ({"NO_COLOR": "", "FORCE_COLOR": "3"}, "", "truecolor"),
        ({"FORCE_COLOR": "0", "COLORTERM": "truecolor"}, "t", "none"),
        ({"FORCE_COLOR": "false"}, "t", "none"),
        ({"FORCE_COLOR": "no"}, "t", "none"),
        ({"FORCE_COLOR": "1"}, "", "16"),
        ({"FORCE_COLOR": "2"}, "", "256"),
        ({"FORCE_COLOR": "3", "TERM": "dumb"}, "", "truecolor"),
        ({"FORCE_COLOR": "yes"}, "", "truecolor"),
        ({"FORCE_COLOR": "", "TERM": "xterm"}, "t", "16"),
        ({"COLORTERM": "truecolor", "TERM": "xterm-256color"}, "", "none"),
        ({"COLORTERM": "truecolor", "TERM": "dumb"}, "t", "none"),
        ({"COLORTERM": "truecolor"}, "t", "truecolor"),
        ({"COLORTERM": "24bit", "TERM": "xterm"}, "t", "truecolor"),
        ({"COLORTERM": "yes", "TERM": "xterm-256color"}, "t", "256"),
        ({"TERM": "screen-256color-bce"}, "t", "256"),
        ({"TERM": "vt100"}, "t", "16"),
        ({}, "t", "16"),
        ({}, "tw", "none"),
        ({"WT_SESSION": "x"}, "tw", "none"),
        ({"WT_SESSION": "x"}, "twe", "truecolor"),
        ({"TERM": "xterm"}, "twe", "256"),
        ({"COLORTERM": "truecolor"}, "tw", "truecolor"),
        ({"WT_SESSION": "x", "TERM": "xterm"}, "t", "16"),
    ],
)
def test_the_first_rule_that_holds_decides(
    environment: dict[str, str], facts: str, tier: str
) -> None:
    """Facts: t a terminal, w Windows, e escapes can be switched on there."""
    found = choose_tier(
        environment,
        is_terminal="t" in facts,
        windows="w" in facts,
        escapes=lambda: "e" in facts,
    )

    assert found == tier


def test_control_escapes_are_asked_for_on_windows_alone() -> None:
    def never() -> bool:
        raise AssertionError

    assert choose_tier({}, is_terminal=True, windows=False, escapes=never) == "16"
    with pytest.raises(AssertionError):
        choose_tier({}, is_terminal=True, windows=True, escapes=never)


@pytest.mark.skipif(os.name == "nt", reason="a console of Windows has an answer of its own")
def test_elsewhere_escapes_need_no_switch() -> None:
    assert switch_on_escapes()
