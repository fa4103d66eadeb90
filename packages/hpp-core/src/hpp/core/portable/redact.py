"""Secret-like text taken out, by shape: only kind and length stay.

The detectors are those of `hpp.core.secret`, which refuses inputs, and those of `leak`,
which sees more, for a text that is kept must be safe even where refusing it would be too
strict. Before anything is looked for, escape sequences, control characters and marks that
show nothing or reorder text are removed, since they hide a secret from a reader of shapes.
"""

from __future__ import annotations

import re
from bisect import bisect_left

from hpp.core.portable.leak import leaks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Hit = tuple[str, int, int]

__all__ = ["KINDS", "clean", "cut", "find_secrets", "redact", "shown"]

KINDS = (
    "private-key", "url-credential", "auth-header", "cookie", "provider-token", "jwt",
    "flag-value", "basic-credential", "assignment", "high-entropy",
)  # fmt: skip
_MASK = re.compile(rf"\[REDACTED:(?:{'|'.join(KINDS)}):[0-9]{{1,9}}\]")
_SHOWN_MASK = re.compile(r"\[secret-like text, [0-9]{1,9} characters\]")
_ESCAPE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]{0,64}[ -/]{0,8}[@-~]|\x1b\][^\x07\x1b\n]{0,256}(?:\x07|\x1b\\)|\x1b[ -~]"
)
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ufff9-\ufffb\U000e0000-\U000e007f]"
)
_HALF = re.compile("[\ud800-\udfff]")
_MOST_PASSES = 6
_CARRIES = re.compile(r"[^\W_]")


def redact(text: str) -> str:
    """Return a text with each secret as ``[REDACTED:kind:length]``; twice is as once."""
    return _masked(clean(text), _MASK, lambda kind, length: f"[REDACTED:{kind}:{length}]")


def shown(text: str) -> str:
    """Return a text as a hook may say it, each secret as ``[secret-like text, N characters]``."""
    return _masked(
        clean(text), _SHOWN_MASK, lambda _, length: f"[secret-like text, {length} characters]"
    )


def find_secrets(text: str) -> list[tuple[str, int]]:
    """Return kind and length of each secret, in the order of the text."""
    return [(kind, end - start) for kind, start, end in _hits(clean(text), _MASK)]


def clean(text: str) -> str:
    """Return a text without escape sequences, control characters and hidden marks.

    Line feeds and tabs stay; half a surrogate pair becomes U+FFFD.
    """
    if text.isascii() and text.replace("\n", "").replace("\t", "").isprintable():
        return text
    return _HALF.sub("\ufffd", _HIDDEN.sub("", _ESCAPE.sub("", text)))


def cut(text: str, most: int) -> str:
    """Return the head of a text, at most so many characters, without the word that is cut.

    For use before `redact`: half a secret may not look like one.
    """
    if len(text) <= most:
        return text
    head = text[: most + 1]
    at = max(head.rfind(" "), head.rfind("\n"), head.rfind("\t"))
    return head[:at] if at > 0 else ""


def _masked(text: str, own: re.Pattern[str], mask: Callable[[str, int], str]) -> str:
    for _ in range(_MOST_PASSES):
        hits = _hits(text, own)
        if not hits:
            return text
        parts, at = [], 0
        for kind, start, end in hits:
            parts += [text[at:start], mask(kind, end - start)]
            at = end
        text = "".join(parts) + text[at:]
    # Masks that bring ever new names and values together: nothing of it can be trusted.
    return mask("high-entropy", len(text)) if _hits(text, own) else text


def _hits(text: str, own: re.Pattern[str]) -> list[Hit]:
    """Return the hits, sorted, none overlapping another one or a mask that is there."""
    merged: list[list[int]] = []
    kinds: list[str] = []
    masks = [found.span() for found in own.finditer(text)]
    starts = [span[0] for span in masks]
    for kind, start, end in sorted(leaks(text), key=lambda hit: (hit[1], -hit[2])):
        before = bisect_left(starts, start) - 1
        if before >= 0 and start < masks[before][1]:
            continue  # begins with what a mask itself says
        if merged and start < merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], end)
        elif start < end:
            merged.append([start, end])
            kinds.append(kind)
    hits: list[Hit] = []
    place = 0
    for kind, (start, end) in zip(kinds, merged, strict=True):
        while place < len(masks) and masks[place][1] <= start:
            place += 1
        at, number = start, place
        while number < len(masks) and masks[number][0] < end:
            if _counts(text, at, masks[number][0]):
                hits.append((kind, at, masks[number][0]))
            at = max(at, masks[number][1])
            number += 1
        if _counts(text, at, end) or (at == start and at < end):
            hits.append((kind, at, end))
    return hits


def _counts(text: str, start: int, end: int) -> bool:
    """Say whether what is left beside a mask is more than punctuation."""
    return start < end and _CARRIES.search(text, start, end) is not None
