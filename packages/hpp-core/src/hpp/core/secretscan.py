"""Which of many texts need a closer look for secrets, at a fraction of its cost.

`secretmark` says what stands in every secret. Looking for some forty fragments in each of
10,000 texts takes longer than everything else that is done with them, so here they are
looked for in many texts at once, each by its rarest character: the expression engine skips
to a single literal as fast as memory is read. The name of a secret counts only where a value
can follow it, since prose speaks of tokens and keys all the time.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from itertools import accumulate
from operator import add

from hpp.core.secretmark import ALL, NAME, NAME_END, OPTION, SIGN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["suspects"]

_CHUNK = 1_000_000  # characters; bounds the memory that is taken beside the texts
# From the rarest in prose and code on; whatever is not here is common.
_RARE = "_-:.0123456789jqxzkvbywpgfmc"


def suspects(texts: Sequence[str]) -> list[int]:
    """Return the places of the texts that may hold a secret, sorted.

    A text that is left out holds none for certain.
    """
    found: set[int] = set()
    for first, chunk in _chunks(texts):
        joined = "\n".join(chunk)
        if joined.isascii():  # elsewhere a letter can become two
            joined = joined.lower()
        else:
            chunk = [text.lower() for text in chunk]  # noqa: PLW2901 -- the same texts
            joined = "\n".join(chunk)
        starts = [0, *map(add, accumulate(map(len, chunk)), range(1, len(chunk)))]
        for expression in _EXPRESSIONS:
            found.update(first + place for place in _places(expression, joined, starts))
        for expression in _NAMES:
            found.update(first + place for place in _named(expression, joined, starts))
    return sorted(found)


def _chunks(texts: Sequence[str]) -> Iterator[tuple[int, Sequence[str]]]:
    """Yield runs of texts, each with the place of its first one."""
    ends = list(accumulate(map(len, texts)))
    first = 0
    while first < len(ends):
        before = ends[first - 1] if first else 0
        last = bisect_left(ends, before + _CHUNK, first) + 1
        yield first, texts[first:last]
        first = last


def _places(expression: re.Pattern[str], joined: str, starts: list[int]) -> Iterator[int]:
    """Yield the texts in which an expression is found, each once."""
    at = 0
    while (found := expression.search(joined, at)) is not None:
        place = bisect_right(starts, found.start()) - 1
        yield place
        if place + 1 == len(starts):
            break
        at = starts[place + 1]


def _named(expression: re.Pattern[str], joined: str, starts: list[int]) -> Iterator[int]:
    """Yield the texts in which the name of a secret stands where a value can follow."""
    for found in expression.finditer(joined):
        after = _AFTER_NAME.match(joined, found.end())
        if after is None:
            continue
        place = bisect_right(starts, found.start()) - 1
        end = starts[place + 1] if place + 1 < len(starts) else len(joined)
        if after[1] or _DASH.search(joined, starts[place], end):
            yield place


# What the detectors of `secret` need behind a name: a sign that gives it a value, or for an
# option, which begins with a dash, a blank.
_AFTER_NAME = re.compile(rf"(?:word|wd|phrase|s)?{NAME_END}(?:({SIGN})|[ \t])")
_DASH = re.compile(OPTION)


def _expressions(marks: Sequence[str]) -> list[re.Pattern[str]]:
    """Return one expression for each rare character, and one for each mark without any."""
    needed = [mark for mark in marks if not any(other in mark for other in marks if other != mark)]
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


_EXPRESSIONS = _expressions([mark for mark in ALL if mark not in NAME])
_NAMES = _expressions(NAME)
