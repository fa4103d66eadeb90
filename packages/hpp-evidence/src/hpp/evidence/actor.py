"""Actors: claimed names, of which the maker and the checker must be two."""

from __future__ import annotations

import re
import unicodedata

__all__ = ["are_two", "compared", "is_session"]

_SESSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,127}")
# Characters that show nothing and would make one name look like another: those that Unicode
# calls ignorable by default, the blank pattern of Braille, and controls that are no blanks.
_INVISIBLE = dict.fromkeys(
    [*range(0x09), *range(0x0E, 0x1C), *range(0x7F, 0x85), *range(0x86, 0xA0), 0xAD, 0x34F, 0x61C,
     0x115F, 0x1160, 0x17B4, 0x17B5, *range(0x180B, 0x1810), *range(0x200B, 0x2010),
     *range(0x202A, 0x202F), *range(0x2060, 0x2070), 0x2800, 0x3164, *range(0xFE00, 0xFE10), 0xFEFF,
     0xFFA0, *range(0xFFF0, 0xFFFC), *range(0x1BCA0, 0x1BCA4), *range(0x1D173, 0x1D17B),
     *range(0xE0000, 0xE1000)]
)  # fmt: skip


def compared(name: str) -> str:
    """Return the form in which names are compared: NFKC, case folded, blanks collapsed."""
    folded = unicodedata.normalize("NFKC", name.translate(_INVISIBLE)).casefold()
    return " ".join(unicodedata.normalize("NFKC", folded).split())


def are_two(maker: object, checker: object) -> bool:
    """Say whether two names are texts, not empty, and different."""
    if not isinstance(maker, str) or not isinstance(checker, str):
        return False
    first, second = compared(maker), compared(checker)
    return bool(first and second) and first != second


def is_session(text: object) -> bool:
    """Say whether a value has the form of a session's id."""
    return isinstance(text, str) and _SESSION.fullmatch(text) is not None
