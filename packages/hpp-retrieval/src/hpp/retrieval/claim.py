"""Quantitative claims: a number, a share, an amount or a date that a sentence states."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["blank", "claim_of"]

_BLANK = r"[ \t\u00a0\u202f]?"
_CLAIM = re.compile(
    rf"(?:(?:US\$|R\$|[$€£¥]){_BLANK})?(?P<digits>\d+)(?:[.,:/-]\d+)*(?:{_BLANK}%)?"
)
# Addresses, references to footnotes, and versions written with a v.
_NOT_CLAIMS = re.compile(
    r"(?i:https?://|www\.)\S+"
    r"|\[\^[^\]\s]{1,100}\]"
    r"|(?<!\w)[vV]\d+(?:\.\d+)*(?:[-+][A-Za-z][0-9A-Za-z.-]*)?"
)


def blank(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Return a text with blanks in place of some spans, which are in order."""
    parts: list[str] = []
    at = 0
    for start, end in spans:
        if end > at:  # two may overlap
            first = max(start, at)
            parts += [text[at:first], " " * (end - first)]
            at = end
    return "".join(parts) + text[at:]


def claim_of(text: str) -> str | None:
    """Return the first claim of a sentence, or None.

    Args:
        text: The sentence, with blanks in place of markers and code.

    """
    text = _NOT_CLAIMS.sub(lambda found: " " * len(found[0]), text)
    at = 0
    while (found := _CLAIM.search(text, at)) is not None:
        first = found.start("digits")
        if first == 0 or not _hides(text[first - 1]):
            return found[0].strip()
        at = found.end("digits")
    return None


def _hides(char: str) -> bool:
    """Say whether a digit after this is part of a word: `Q3`, `H2O`, `x_1`."""
    return char == "_" or char.islower() or char.isupper() or char.istitle()
