"""The output a person reads: its colours, its width, what its encoding can say."""

from __future__ import annotations

import os
import textwrap

from hpp.core.output import write_bytes
from hpp.installer.paint import Paint
from hpp.installer.shellword import IS_WINDOWS
from hpp.installer.tier import NONE, choose_tier, switch_on_escapes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import TextIO

__all__ = ["GLYPHS", "Terminal"]

# What is drawn, and what stands for it where an encoding has no such characters.
GLYPHS = {
    "✓": "OK", "✗": "X", "▸": ">", "█": "#", "▓": "=", "░": ".",
    "│": "|", "├": "+", "└": "`", "─": "-", "·": "-", "—": "-",
}  # fmt: skip
_PLAIN = {ord(glyph): plain for glyph, plain in GLYPHS.items()}
_UNKNOWN_WIDTH = 80
_NARROWEST = 20


class Terminal:
    """One output.

    Args:
        stream: What is asked for its facts; None where there is none.
        environment: Only variables that `choose_tier` names and ``CI`` are read.
        animate: Whether a person wants lines that move.
        windows: Whether this is Windows.
        sink: Takes the bytes.

    Attributes:
        paint: Paints for its tier.
        width: Columns; 80 where nobody knows.
        is_live: A line may be rewritten: a terminal with colour that nobody records.

    """

    def __init__(
        self,
        stream: TextIO | None,
        environment: Mapping[str, str],
        *,
        animate: bool = True,
        windows: bool = IS_WINDOWS,
        sink: Callable[[bytes], None] = write_bytes,
    ) -> None:
        self._sink = sink
        is_terminal = _is_terminal(stream)
        tier = choose_tier(
            environment, is_terminal=is_terminal, windows=windows, escapes=switch_on_escapes
        )
        self.paint = Paint(tier)
        self.width = max(_width(stream), _NARROWEST) if is_terminal else _UNKNOWN_WIDTH
        self.is_live = is_terminal and tier != NONE and animate and not environment.get("CI")
        self._encoding = getattr(stream, "encoding", None) or "utf-8"
        self._plain = not _can_encode("".join(GLYPHS), self._encoding)

    def glyph(self, glyph: str) -> str:
        """Return a glyph, or what stands for it here."""
        return GLYPHS.get(glyph, glyph) if self._plain else glyph

    def text(self, text: str) -> str:
        """Return a text with every glyph that this output lacks replaced."""
        return text.translate(_PLAIN) if self._plain else text

    def fold(self, text: str, indent: str, first: str | None = None) -> list[str]:
        """Return a text in lines of the width, without its last column."""
        room = self.width - 1 - max(len(indent), len(first or ""))
        return textwrap.wrap(
            text,
            self.width - 1,
            initial_indent=indent if first is None else first,
            subsequent_indent=indent,
            # A long name parts at a hyphen rather than anywhere.
            break_on_hyphens=any(len(name) > room for name in text.split()),
        ) or [first or ""]

    def write(self, text: str) -> None:
        """Write a text; a character that the encoding lacks is replaced.

        Raises:
            MachineError: The output is closed or full.

        """
        self._sink(self.text(text).encode(self._encoding, "replace"))


def _is_terminal(stream: TextIO | None) -> bool:
    try:
        return stream is not None and stream.isatty()
    except ValueError:  # it is closed
        return False


def _width(stream: TextIO | None) -> int:
    try:
        assert stream is not None  # noqa: S101 -- it is a terminal
        return os.get_terminal_size(stream.fileno()).columns or _UNKNOWN_WIDTH
    except (OSError, ValueError):
        return _UNKNOWN_WIDTH


def _can_encode(text: str, encoding: str) -> bool:
    try:
        text.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True
