"""Code spans of a block: a run of backticks up to the next run of the same length."""

from __future__ import annotations

import re

__all__ = ["code_spans"]

_RUN = re.compile("`+")


def code_spans(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Return ``(start, end)`` of each span between two places, in order; linear in the text."""
    if text.find("`", start, end) < 0:
        return []
    runs = [found.span() for found in _RUN.finditer(text, start, end)]
    following = _next_of_same_length(runs)
    spans: list[tuple[int, int]] = []
    number = 0
    while number < len(runs):
        closing = following[number]
        if closing is None:
            number += 1
            continue
        spans.append((runs[number][0], runs[closing][1]))
        number = closing + 1
    return spans


def _next_of_same_length(runs: list[tuple[int, int]]) -> list[int | None]:
    following: list[int | None] = [None] * len(runs)
    seen: dict[int, int] = {}
    for number in range(len(runs) - 1, -1, -1):
        length = runs[number][1] - runs[number][0]
        following[number] = seen.get(length)
        seen[length] = number
    return following
