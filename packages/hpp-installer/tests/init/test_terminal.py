"""What an output can show: its width, its encoding, whether its lines may move."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pytest

from hpp.installer.terminal import GLYPHS, Terminal

if TYPE_CHECKING:
    from collections.abc import Mapping

COLOUR = {"TERM": "xterm"}


class Stream(io.TextIOWrapper):
    def __init__(self, encoding: str, *, is_terminal: bool) -> None:
        super().__init__(io.BytesIO(), encoding=encoding)
        self._is_terminal = is_terminal

    def isatty(self) -> bool:
        return super().isatty() or self._is_terminal


def terminal(
    encoding: str = "utf-8",
    environment: Mapping[str, str] = COLOUR,
    *,
    is_terminal: bool = True,
    animate: bool = True,
) -> tuple[Terminal, list[bytes]]:
    written: list[bytes] = []
    stream = Stream(encoding, is_terminal=is_terminal)
    made = Terminal(stream, environment, animate=animate, windows=False, sink=written.append)
    return made, written


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
def test_an_encoding_without_the_glyphs_gets_others_and_never_an_error(encoding: str) -> None:
    made, written = terminal(encoding)

    made.write("".join(GLYPHS) + "日本\n")

    assert written == [b"OKX>#=.|+`---??\n"]


def test_an_encoding_with_the_glyphs_keeps_them() -> None:
    made, written = terminal("utf-8")

    made.write("✓ · — é\n")

    assert written == ["✓ · — é\n".encode()]
    assert made.glyph("✓") == "✓"


def test_a_width_that_nobody_knows_is_eighty() -> None:
    made, _ = terminal()

    assert made.width == 80


def test_lines_move_only_on_a_coloured_terminal_that_nobody_records() -> None:
    assert terminal()[0].is_live
    for facts in (
        {"is_terminal": False},
        {"animate": False},
        {"environment": {"TERM": "dumb"}},
        {"environment": {**COLOUR, "CI": "true"}},
        {"environment": {**COLOUR, "NO_COLOR": "1"}},
    ):
        assert not terminal(**facts)[0].is_live, facts
    assert terminal(environment={**COLOUR, "CI": ""})[0].is_live


def test_prose_is_folded_inside_the_width() -> None:
    made, _ = terminal()

    lines = made.fold("word " * 60, "    ", "  * ")

    assert max(map(len, lines)) < 80
    assert lines[0].startswith("  * word")
    assert lines[1].startswith("    word")


def test_control_a_closed_output_has_no_colour_and_a_width() -> None:
    stream = Stream("utf-8", is_terminal=True)
    stream.close()
    made = Terminal(stream, COLOUR, windows=False, sink=lambda _: None)

    assert (made.paint.tier, made.width, made.is_live) == ("none", 80, False)
