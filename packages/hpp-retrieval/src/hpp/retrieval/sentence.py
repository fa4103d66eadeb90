"""The sentences of a block, and the markers that belong to each."""

from __future__ import annotations

import re
from itertools import pairwise

from hpp.retrieval.block import TEXT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hpp.retrieval.block import Block
    from hpp.retrieval.marker import Marker

__all__ = ["Sentence", "split_block"]

# What closes, emphasis and the marks of other scripts included.
_CLOSING = "\"'”’)\\]}»*_」』）"  # noqa: RUF001 -- as said
_END = re.compile(f"[.?!]+[{_CLOSING}]*|[。！？]+[{_CLOSING}]*")  # noqa: RUF001 -- full stops
_WIDE = "。！？"  # noqa: RUF001 -- these need no blank after them
_OPENING = "([{\"'“‘«*_「『（"  # noqa: RUF001 -- what opens
_AFTER_MARKER = re.compile(f"[.,;:!?。！？、，{_CLOSING}]*")  # noqa: RUF001 -- as above
_BLANKS = re.compile(r"[ \t\u00a0\u202f\u3000]*")
_ABBREVIATIONS = frozenset({
    "e.g.", "i.e.", "cf.", "vs.", "al.", "approx.", "fig.", "figs.", "eq.", "vol.", "ch.", "sec.",
    "pp.", "ed.", "eds.", "dr.", "mr.", "mrs.", "ms.", "prof.", "st.", "jr.", "sr.", "inc.", "ltd.",
    "co.", "corp.", "dept.", "univ.", "ph.d.", "m.d.", "jan.", "feb.", "mar.", "apr.", "jun.",
    "jul.", "aug.", "sep.", "sept.", "oct.", "nov.", "dec.", "ex.", "sra.", "dra.", "art.",
})  # fmt: skip
_NUMBER = "no."  # one before a number, else an answer
_LONGEST = max(map(len, _ABBREVIATIONS))


class Sentence:
    """One sentence.

    Attributes:
        kind: That of its block.
        start, end: Where it stands in the text, without white space at the ends.
        markers: Those that belong to it, in order.
        code: The code spans in it, in order.

    """

    __slots__ = ("code", "end", "kind", "markers", "start")

    def __init__(self, kind: str, start: int, end: int) -> None:
        self.kind = kind
        self.start = start
        self.end = end
        self.markers: list[Marker] = []
        self.code: list[tuple[int, int]] = []


def split_block(
    text: str, block: Block, markers: Sequence[Marker], code: Sequence[tuple[int, int]]
) -> list[Sentence]:
    """Return the sentences of a block; linear in its length.

    Args:
        text: The whole text.
        block: What is split; a heading and a row of a table are one sentence.
        markers: Those in the block, in order.
        code: The code spans in it, in order.

    """
    cuts = [block.start, block.end]
    if block.kind == TEXT:
        cuts[1:1] = _ends(text, block, markers, code)
    sentences: list[Sentence] = []
    number = 0
    for start, end in pairwise(cuts):
        piece = text[start:end]
        if not piece.strip():
            continue
        begun = start + len(piece) - len(piece.lstrip())
        sentence = Sentence(block.kind, begun, begun + len(piece.strip()))
        while number < len(code) and code[number][0] < end:
            sentence.code.append(code[number])
            number += 1
        sentences.append(sentence)
    return sentences


def _ends(
    text: str, block: Block, markers: Sequence[Marker], code: Sequence[tuple[int, int]]
) -> list[int]:
    """Return where sentences end inside a block."""
    begins = {marker.start: marker for marker in markers}
    closed = sorted([*((marker.start, marker.end) for marker in markers), *code])
    ends: list[int] = []
    number = 0
    done = block.start
    for found in _END.finditer(text, block.start, block.end):
        start, end = found.span()
        while number < len(closed) and closed[number][1] <= start:
            number += 1
        is_inside = number < len(closed) and closed[number][0] <= start
        if start < done or is_inside or not _is_end(text, block, found):
            continue
        done = _with_markers(text, end, begins)
        ends.append(done)
    return ends


def _is_end(text: str, block: Block, found: re.Match[str]) -> bool:
    start, end = found.span()
    if text[start] in _WIDE or end == block.end:
        return True
    if not text[end].isspace():
        return False
    is_one_stop = text[start] == "." and not text.startswith((".", "?", "!"), start + 1)
    return not (is_one_stop and _is_abbreviation(text, block, start, end))


def _is_abbreviation(text: str, block: Block, start: int, end: int) -> bool:
    """Say whether the full stop at `start` ends a word that is always written with one."""
    head = text[max(block.start, start - 2 * _LONGEST) : start + 1]
    word = head.split()[-1].lstrip(_OPENING).lower()
    if word == _NUMBER:
        following = text[end : min(block.end, end + 80)].lstrip()
        return following[:1].isdecimal()
    return word in _ABBREVIATIONS


def _with_markers(text: str, end: int, begins: dict[int, Marker]) -> int:
    """Return the end of a sentence with the markers that follow it on its line."""
    while True:
        blanks = _BLANKS.match(text, end)
        place = blanks.end() if blanks is not None else end
        marker = begins.get(place)
        if marker is None:
            return end
        punctuation = _AFTER_MARKER.match(text, marker.end)
        end = punctuation.end() if punctuation is not None else marker.end
