"""Which of many texts need a closer look for secrets, at a fraction of its cost.

`secretmark` says what stands in every secret. Looking for some forty fragments in each of
10,000 texts takes longer than everything else that is done with them, so here they are
looked for in many texts at once, each by its rarest character: the expression engine skips
to a single literal as fast as memory is read.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from hpp.core.secretmark import ALL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["suspects"]

_CHUNK = 1_000_000  # characters; bounds the memory that is taken beside the texts
# From the rarest in prose and code on; whatever is not here is common.
_RARE = "_-:.0123456789jqxzkvbywpgfmc"


def suspects(texts: Sequence[str]) -> list[int]:
    """Return the places of the texts that hold a mark of a secret, sorted.

    A text that is left out holds none for certain, as `secretmark.may_hold_secret` says of
    one text.
    """
    found: set[int] = set()
    for first, lowered in _chunks(texts):
        starts, at = [], 0
        for text in lowered:
            starts.append(at)
            at += len(text) + 1
        joined = "\n".join(lowered)
        for expression in _EXPRESSIONS:
            found.update(first + place for place in _places(expression, joined, starts))
    return sorted(found)


def _chunks(texts: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield runs of texts in lower case, each with the place of its first one."""
    first, run, size = 0, [], 0
    for place, text in enumerate(texts):
        run.append(text.lower())
        size += len(text)
        if size >= _CHUNK:
            yield first, run
            first, run, size = place + 1, [], 0
    if run:
        yield first, run


def _places(expression: re.Pattern[str], joined: str, starts: list[int]) -> Iterator[int]:
    """Yield the texts in which an expression is found, each once."""
    at = 0
    while (found := expression.search(joined, at)) is not None:
        place = bisect_right(starts, found.start()) - 1
        yield place
        if place + 1 == len(starts):
            break
        at = starts[place + 1]


def _expressions() -> list[re.Pattern[str]]:
    """Return one expression for each rare character, and one for each mark without any."""
    needed = [mark for mark in ALL if not any(other in mark for other in ALL if other != mark)]
    by_anchor: dict[str, list[str]] = {}
    plain: list[str] = []
    for mark in needed:
        rare = [char for char in _RARE if char in mark]
        if rare:
            anchor = rare[0]
            before, _, after = mark.partition(anchor)
            behind = f"(?<={re.escape(before + anchor)})" if before else ""
            by_anchor.setdefault(anchor, []).append(behind + re.escape(after))
        else:
            plain.append(re.escape(mark))
    anchored = [f"{re.escape(anchor)}(?:{'|'.join(rest)})" for anchor, rest in by_anchor.items()]
    return [re.compile(expression) for expression in (*anchored, *plain)]


_EXPRESSIONS = _expressions()
