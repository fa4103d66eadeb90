"""The seven points that a page says of material it did not write."""

from __future__ import annotations

import re

__all__ = ["POINTS", "READ_ONLY", "missing_points"]

# What a sentence has to speak of, all of it, to make a point.
POINTS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "data, not orders",
        (r"\bdata\b|\bevidence\b|\bmaterial\b", r"\bnot?\b|\bnever\b|\bnothing\b"),
    ),
    ("role and rules stay", (r"\brole\b", r"\brules?\b|\bchang|\bstay|\bother\b")),
    ("secrets stay", (r"\bsecrets?\b|\bcredentials?\b",)),
    ("nothing unasked", (r"\bcommands?\b", r"\blinks?\b", r"\bcode\b")),
    ("signs of attack", (r"\burg(?:e|ing)", r"\bauthority\b", r"\battack")),
    ("harm refused", (r"\bharm", r"\brefus")),
    ("tools and scope", (r"\btools?\b", r"\bscope\b")),
)
READ_ONLY = ("shell only reads", (r"\bshell\b", r"\bread"))


def missing_points(text: str, *, is_reader: bool) -> list[str]:
    """Return the points that no sentence of a section makes, in their order."""
    sentences = [each.lower() for each in re.split(r"(?<=[.!?;])\s+", text) if each]
    points = (*POINTS, READ_ONLY) if is_reader else POINTS
    return [
        name
        for name, wanted in points
        if not any(all(re.search(each, sentence) for each in wanted) for sentence in sentences)
    ]
