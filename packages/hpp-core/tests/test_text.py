from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpp.core.text import printable, shorten, utf8_path


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text", "plain text"),
        ("a\nb\r\tc", "a\\nb\\r\\tc"),
        ("\x07\x1b[31m\x7f\x85", "\\u0007\\u001b[31m\\u007f\\u0085"),
        ("\u202eevil\u2028\ufeff", "\\u202eevil\\u2028\\ufeff"),
        ("caf\u00e9 \U0001f600", "caf\u00e9 \U0001f600"),
        ("\udcff\ud800", "\\xff\\ud800"),
    ],
)
def test_what_a_terminal_would_obey_is_written_out(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_a_long_text_is_cut() -> None:
    assert shorten("a" * 80) == "a" * 80
    assert shorten("a" * 81) == "a" * 80 + "..."
    assert shorten("\n" * 9, 3) == "\\n\\..."[:3] + "..."


@pytest.mark.parametrize(
    ("path", "carried"),
    [
        ("/a/b", "/a/b"),
        ("/a\n/\u202e", "/a\n/\u202e"),
        ("/caf\u00e9", "/caf\u00e9"),
        ("/\udcff", "/\\xff"),
        ("C:\\\ud800x", "C:\\\\ud800x"),
    ],
)
def test_a_path_keeps_all_that_json_can_carry(path: str, carried: str) -> None:
    assert utf8_path(path) == carried


@given(st.text(st.characters(), max_size=20))
def test_every_path_can_be_written_as_utf8(path: str) -> None:
    carried = utf8_path(path)

    assert carried.encode("utf-8").decode("utf-8") == carried
    if not any("\ud800" <= char <= "\udfff" for char in path):
        assert carried == path


def test_control_such_a_path_cannot_be_written_as_it_is() -> None:
    with pytest.raises(UnicodeEncodeError):
        "/\udcff".encode()
