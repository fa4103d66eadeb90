"""Near names for a word that nothing knows; loaded only after a mistake."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["suggestion"]


def suggestion(word: str, known: Iterable[str]) -> str:
    """Return `` (did you mean X?)`` for the nearest known word, or an empty text."""
    import difflib

    near = difflib.get_close_matches(word[:80], sorted(known), n=1, cutoff=0.6)
    return f" (did you mean {near[0]}?)" if near else ""
