"""Colours as escapes, for each tier; without colour a text stays what it is.

The colours of xterm: a cube of 6 x 6 x 6, a ramp of 24 greys, and sixteen names.
"""

from __future__ import annotations

from hpp.installer.tier import NONE, SIXTEEN, TRUECOLOR

__all__ = ["Paint", "cube_or_grey", "nearest_of_sixteen"]

Rgb = tuple[int, int, int]

GOLD, RED, GREEN, AMBER, GREY = (
    (226, 168, 58), (214, 69, 65), (40, 190, 70), (230, 180, 60), (138, 138, 138),
)  # fmt: skip
_XTERM: tuple[Rgb, ...] = (
    (0, 0, 0), (205, 0, 0), (0, 205, 0), (205, 205, 0),
    (0, 0, 238), (205, 0, 205), (0, 205, 205), (229, 229, 229),
    (127, 127, 127), (255, 0, 0), (0, 255, 0), (255, 255, 0),
    (92, 92, 255), (255, 0, 255), (0, 255, 255), (255, 255, 255),
)  # fmt: skip
_LEVELS = (0, 95, 135, 175, 215, 255)
_GREY_SPREAD = 10
_FIRST_GREY, _GREYS, _GREY_STEP, _DARKEST_GREY = 232, 24, 10, 8
_END = "\x1b[0m"


class Paint:
    """Paints texts for one tier."""

    def __init__(self, tier: str) -> None:
        self.tier = tier

    def rgb(self, text: str, colour: Rgb) -> str:
        """Return a text in the nearest colour that the tier has."""
        if self.tier == NONE or not text:
            return text
        return f"{_escape(colour, self.tier)}{text}{_END}"

    def strong(self, text: str) -> str:
        """Return a bold text."""
        return self._style(text, "1")

    def dim(self, text: str) -> str:
        """Return a faint text."""
        return self._style(text, "2")

    def alarm(self, text: str) -> str:
        """Return a red text, the red of the terminal's own palette."""
        return self._style(text, "31")

    def accent(self, text: str) -> str:
        """Return a text in the colour of the product."""
        return self.rgb(text, GOLD)

    def good(self, text: str) -> str:
        """Return a text that says yes."""
        return self.rgb(text, GREEN)

    def bad(self, text: str) -> str:
        """Return a text that says no."""
        return self.rgb(text, RED)

    def caution(self, text: str) -> str:
        """Return a text that asks for a look."""
        return self.rgb(text, AMBER)

    def muted(self, text: str) -> str:
        """Return a text that stands back."""
        return self.rgb(text, GREY)

    def _style(self, text: str, code: str) -> str:
        return text if self.tier == NONE or not text else f"\x1b[{code}m{text}{_END}"


def _escape(colour: Rgb, tier: str) -> str:
    if tier == TRUECOLOR:
        return f"\x1b[38;2;{colour[0]};{colour[1]};{colour[2]}m"
    if tier == SIXTEEN:
        number = nearest_of_sixteen(colour)
        return f"\x1b[{number + 30 if number < 8 else number + 82}m"  # noqa: PLR2004 -- 90 to 97
    return f"\x1b[38;5;{cube_or_grey(colour)}m"


def cube_or_grey(colour: Rgb) -> int:
    """Return the number of a colour among 256."""
    if max(colour) - min(colour) < _GREY_SPREAD:
        step = round((sum(colour) / 3 - _DARKEST_GREY) / _GREY_STEP)
        return _FIRST_GREY + min(max(step, 0), _GREYS - 1)
    red, green, blue = (
        min(range(6), key=lambda level: abs(_LEVELS[level] - channel)) for channel in colour
    )
    return 16 + 36 * red + 6 * green + blue


def nearest_of_sixteen(colour: Rgb) -> int:
    """Return the number of the nearest of xterm's sixteen, by squared distance."""
    return min(
        range(len(_XTERM)),
        key=lambda number: sum((a - b) ** 2 for a, b in zip(_XTERM[number], colour, strict=True)),
    )
