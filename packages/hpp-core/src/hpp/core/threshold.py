"""A share that a person typed, kept as the decimal it was, so that a gate is exact."""

from __future__ import annotations

from fractions import Fraction

from hpp.core.errors import RefusedError, UsageError
from hpp.core.text import shorten

__all__ = ["parse_share"]

_LONGEST = 100


def parse_share(name: str, text: str) -> Fraction:
    """Return a decimal from 0 to 1 without rounding it.

    Args:
        name: Name of the option, for messages.
        text: What was typed, such as ``0.8`` or ``8e-1``.

    Raises:
        UsageError: It is no number.
        RefusedError: It is not finite, out of range, or written longer than 100 characters.

    """
    try:
        value = float(text) if text.isascii() and "_" not in text and text == text.strip() else None
    except ValueError:
        value = None
    if value is None:
        raise UsageError(f"{name}: {shorten(text)!r} is not a number")
    # NaN is in no range. What is not 0 and rounds to it has an exponent no fraction should hold.
    is_zero = not text.lower().partition("e")[0].strip("+-.0")
    if 0 <= value <= 1 and len(text) <= _LONGEST and (value != 0 or is_zero):
        share = Fraction(0) if is_zero else Fraction(text)
        if share <= 1:  # what is a little more rounds to 1
            return share
    raise RefusedError(f"{name}: {shorten(text)} is not a number from 0 to 1")
