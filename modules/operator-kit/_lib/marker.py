"""Emphasis markers in a prompt: whole words, whatever their case, in any script."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["DEFAULTS", "markers_in"]

DEFAULTS = ("always", "never", "from now on", "stop doing", "I already told you")


def markers_in(prompt: str, markers: Iterable[str]) -> list[str]:
    """Return the markers that a prompt holds as whole words, in their own order."""
    text = " ".join(prompt.casefold().split())
    return [marker for marker in markers if _holds(text, " ".join(marker.casefold().split()))]


def _holds(text: str, marker: str) -> bool:
    at = text.find(marker) if marker else -1
    while at >= 0:
        before, after = text[at - 1 : at] if at else "", text[at + len(marker) :][:1]
        if not _joins(before) and not _joins(after):
            return True
        at = text.find(marker, at + 1)
    return False


def _joins(char: str) -> bool:
    return char.isalnum() or char == "_"
