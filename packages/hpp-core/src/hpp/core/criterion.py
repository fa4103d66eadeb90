"""Names of acceptance criteria: ``<unit key>/<scenario>``, as tests cite them."""

from __future__ import annotations

import re
import unicodedata

__all__ = ["is_criterion_id", "is_key", "slug", "unit_key"]

LONGEST_SLUG = 48

_KEY = re.compile(r"\w[\w.-]*")
_ID = re.compile(r"\w[\w.-]*/\w[\w.-]*")
_SEPARATORS = re.compile(r"[\W_]+")


def is_key(text: str) -> bool:
    """Say whether a text can stand on either side of the slash as it is."""
    return _KEY.fullmatch(text) is not None


def is_criterion_id(text: str) -> bool:
    """Say whether a text has the form of a criterion id."""
    return _ID.fullmatch(text) is not None


def slug(text: str) -> str:
    """Return the letters and digits of a text, joined by ``-``; empty when it has none.

    NFC and case-folded before, at most 48 characters after.
    """
    folded = text.lower() if text.isascii() else unicodedata.normalize("NFC", text).casefold()
    return _SEPARATORS.sub("-", folded)[:LONGEST_SLUG].strip("-")


def unit_key(unit_id: str) -> str:
    """Return the left side of the criterion ids of a unit; empty when its id gives none."""
    return unit_id if is_key(unit_id) else slug(unit_id)
