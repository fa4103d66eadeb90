from __future__ import annotations

import pytest

from hpp.retrieval.claim import blank, claim_of


@pytest.mark.parametrize(
    ("text", "token"),
    [
        ("Sales grew 12% there", "12%"),
        ("It costs $40.", "$40"),
        ("Custa R$ 1.500,00 hoje", "R$ 1.500,00"),
        ("US$5 or \u20ac9", "US$5"),
        ("now \u20ac9", "\u20ac9"),
        ("\u00a3 7 and \u00a53", "\u00a3 7"),
        ("on 2026-09-24.", "2026-09-24"),
        ("on 24/09/2026 at 10:30", "24/09/2026"),
        ("only 3.", "3"),
        ("has 5k users", "5"),
        ("rose to 7.25 million", "7.25"),
        ("grew 12 % more", "12 %"),
        ("version 2.5.8 is out", "2.5.8"),
        ("\u8cbb\u7528\u306f5%\u3067\u3059", "5%"),
        ("\u0661\u0662 cases", "\u0661\u0662"),
        ("COVID-19 came", "19"),
        ("see RFC 2119", "2119"),
        ("Q3 was 4% up", "4%"),
        ("in H2O and x_1 and 7", "7"),
    ],
)
def test_the_first_figure_is_the_claim(text: str, token: str) -> None:
    assert claim_of(text) == token


@pytest.mark.parametrize(
    "text",
    [
        "in Q3 of H2O",
        "twelve percent",
        "install v2.5.8 or V3 or v1.0.0-rc.1 or v2.0+build.7",
        "see https://example.com/2026/report?x=5 here",
        "see www.example.com/2026",
        "as noted[^1] and[^note-2]",
        "a_1 and b2b",
        "",
    ],
)
def test_what_only_looks_like_a_figure_is_none(text: str) -> None:
    assert claim_of(text) is None


def test_blanks_keep_every_place() -> None:
    assert blank("0123456789", [(1, 3), (2, 4), (8, 10)]) == "0   4567  "


def test_control_a_marker_s_digits_are_a_claim_unless_blanked() -> None:
    text = "see [ID:7]"

    assert claim_of(text) == "7"
    assert claim_of(blank(text, [(4, 10)])) is None
