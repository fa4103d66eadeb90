"""Brace lists: ``{rm,-rf,x}`` is three words, ``a{b,c}`` is two."""

from __future__ import annotations

__all__ = ["expand", "mask", "unmask"]

_MASK = str.maketrans("{},", "\ufdd2\ufdd3\ufdd4")
_UNMASK = str.maketrans("\ufdd2\ufdd3\ufdd4", "{},")
_TO_BLANKS = str.maketrans("{},", "   ")
_MOST_WORDS = 256
_DEEPEST = 16
_LONGEST = 4096


def mask(piece: str) -> str:
    """Return a quoted piece with braces and commas that list nothing."""
    return piece.translate(_MASK)


def unmask(word: str) -> str:
    """Return a word with its quoted braces and commas."""
    return word.translate(_UNMASK)


def expand(word: str) -> list[str]:
    """Return the words of a word with unquoted braces, at most 256; quoted ones are masked.

    A word too long to be a list that somebody wrote is taken apart at every brace and
    comma, so that it costs no more than its length and hides nothing.
    """
    is_long = len(word) > _LONGEST
    made = word.translate(_TO_BLANKS).split() if is_long else _expand(word, 0)
    return [unmask(part) for part in made]


def _expand(word: str, depth: int) -> list[str]:
    found = _list(word) if depth < _DEEPEST else None
    if found is None:
        return [word]
    opening, parts, closing = found
    tails = _expand(word[closing + 1 :], depth + 1)
    made: list[str] = []
    for part in parts:
        for inner in _expand(part, depth + 1):
            head = word[:opening] + inner
            made += [head + tail for tail in tails]
            if len(made) > _MOST_WORDS:
                return made[:_MOST_WORDS]
    return [each for each in made if each]


def _list(word: str) -> tuple[int, list[str], int] | None:
    """Return the first brace that lists something: where it opens, its parts, where it closes."""
    open_at: list[int] = []
    commas: list[list[int]] = []
    best: tuple[int, list[int], int] | None = None
    for at, char in enumerate(word):
        if char == "{" and word[at - 1 : at] != "$":
            open_at.append(at)
            commas.append([])
        elif char == "," and open_at:
            commas[-1].append(at)
        elif char == "}" and open_at:
            opening, found = open_at.pop(), commas.pop()
            if found and (best is None or opening < best[0]):
                best = (opening, found, at)
            if best is not None and not open_at:
                break
    if best is None:
        return None
    opening, found, closing = best
    edges = [opening, *found, closing]
    parts = [word[edge + 1 : edges[place + 1]] for place, edge in enumerate(edges[:-1])]
    return opening, parts, closing
