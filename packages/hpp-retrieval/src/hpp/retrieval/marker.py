"""Citation markers: how they are found, and what their ids come to."""

from __future__ import annotations

import json
import re
import sys

from hpp.core.errors import RefusedError
from hpp.core.text import shorten
from hpp.retrieval import markersearch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    Region = tuple[str, list[tuple[int, int]]]

__all__ = [
    "DEFAULT_PATTERN",
    "EMPTY",
    "RANGE",
    "RESOLVED",
    "UNKNOWN",
    "Finder",
    "Marker",
    "classify",
]

DEFAULT_PATTERN = r"\[ID:([^\]\n]*)\]"
RESOLVED, RANGE, UNKNOWN, EMPTY = "RESOLVED", "RANGE", "UNKNOWN_ID", "EMPTY_MARKER"

_OPENING = "[ID:"
_LIMIT_S = 5.0
_LARGEST_ANSWER = 256 * 1024 * 1024
_SEPARATOR = re.compile(r"\.{2,3}|[-\u2013\u2014\u2026]")
_MOST_SPLITS = 100


class Marker:
    """One marker of a text.

    Attributes:
        start, end: Where it stands.
        id: What it names, without white space at the ends.

    """

    __slots__ = ("end", "id", "start")

    def __init__(self, start: int, end: int, identity: str) -> None:
        self.start = start
        self.end = end
        self.id = identity


class Finder:
    """Finds the markers of an expression.

    Args:
        pattern: A regular expression of Python whose one capture group is the id.

    Raises:
        RefusedError: It does not compile, has another number of groups, or matches the
            empty text.

    """

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.is_default = pattern == DEFAULT_PATTERN
        if not self.is_default:
            _check(pattern)

    def find(self, regions: Sequence[Region]) -> list[list[Marker]]:
        """Return the markers of each region, in order, with places that count from its start.

        Args:
            regions: A text, and the code spans in it, in which no marker begins.

        Raises:
            RefusedError: The expression takes longer than five seconds for all of them.

        """
        if self.is_default:
            places = [_default_places(text, code) for text, code in regions]
        else:
            places = self._places(regions)
        return [
            [Marker(start, end, text[first:last].strip()) for start, end, first, last in found]
            for (text, _), found in zip(regions, places, strict=True)
        ]

    def _places(self, regions: Sequence[Region]) -> list[list[tuple[int, int, int, int]]]:
        from hpp.core.outcome import EXITED
        from hpp.core.runner import run

        request = json.dumps({"pattern": self.pattern, "regions": regions})
        outcome = run(
            [sys.executable, "-I", "-S", markersearch.__file__],
            timeout_s=_LIMIT_S,
            input_bytes=request.encode("ascii"),
            keep_stdout=_LARGEST_ANSWER,
        )
        if outcome.ending != EXITED or outcome.exit_code != 0:
            raise RefusedError(f"--marker: {shorten(self.pattern)}: it takes longer than 5 s")
        found: list[list[tuple[int, int, int, int]]] = json.loads(outcome.stdout.kept)
        return found


def classify(identity: str, known: Collection[str]) -> str:
    """Return what the id of a marker comes to.

    A list or a range is told from an unknown id by its parts, so that an id with a dash in
    it is called neither.
    """
    if not identity:
        return EMPTY
    if identity in known:
        return RESOLVED
    if "," in identity or ";" in identity:
        parts = [part.strip() for part in identity.replace(";", ",").split(",") if part.strip()]
        if len(parts) > 1 and (any(part in known for part in parts) or _are_digits(parts)):
            return RANGE
    for number, separator in enumerate(_SEPARATOR.finditer(identity)):
        if number >= _MOST_SPLITS:
            break
        sides = [identity[: separator.start()].strip(), identity[separator.end() :].strip()]
        if all(side in known for side in sides) or _are_digits(sides):
            return RANGE
    return UNKNOWN


def _are_digits(parts: Sequence[str]) -> bool:
    return all(part.isdecimal() for part in parts)


def _check(pattern: str) -> None:
    if not pattern:
        raise RefusedError("--marker: an empty expression marks nothing")
    try:
        compiled = re.compile(pattern)
    except (re.error, OverflowError, RecursionError, MemoryError) as error:
        told = f"it is no regular expression: {shorten(str(error))}"
        raise RefusedError(f"--marker: {shorten(pattern)}: {told}") from None
    if compiled.groups != 1:
        told = f"expected exactly one capture group, the id, got {compiled.groups}"
        raise RefusedError(f"--marker: {shorten(pattern)}: {told}")
    if compiled.match("") is not None:
        raise RefusedError(f"--marker: {shorten(pattern)}: it matches the empty text")


def _default_places(text: str, code: list[tuple[int, int]]) -> list[tuple[int, int, int, int]]:
    """Find what the default expression matches, without looking at any place twice."""
    found: list[tuple[int, int, int, int]] = []
    at = span = closing = line_end = 0
    while (start := text.find(_OPENING, at)) >= 0:
        while span < len(code) and code[span][1] <= start:
            span += 1
        if span < len(code) and code[span][0] <= start:
            at = code[span][1]
            continue
        inner = start + len(_OPENING)
        closing = _find(text, "]", inner, closing)
        line_end = _find(text, "\n", inner, line_end)
        if closing < line_end:
            found.append((start, closing + 1, inner, closing))
            at = closing + 1
        else:
            at = inner
    return found


def _find(text: str, char: str, start: int, known: int) -> int:
    """Return the first place of a character from a start on, or the end of the text."""
    if known >= start:
        return known
    place = text.find(char, start)
    return len(text) if place < 0 else place
