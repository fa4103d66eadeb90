"""What an unknown id may have meant, and what may have been meant for a marker."""

from __future__ import annotations

import re

from hpp.core.text import shorten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["NearIds", "near_marker"]

_MOST_LOOKS = 20  # a look costs as much as the context has ids
_MOST_IDS = 2000
_LONGEST = 80
_LETTERS = re.compile(r"[\W_]+")
# `[id:x]`, `[ ID x ]`, `(ID:x)`, `【ID:x】` and `[3]`; bounded, for a sentence may be long.
_NEAR = re.compile(
    r"(?i:[\[(【]\s{0,8}ID\s{0,8}[:=\s]\s{0,8}[^\])】\n]{1,80}[\])】])"
    r"|\[\s{0,8}\d{1,9}(?:\s{0,8}[,;–-]\s{0,8}\d{1,9}){0,20}\s{0,8}\]"  # noqa: RUF001 -- a dash
)


class NearIds:
    """Known ids, looked up by their resemblance; what is asked for twice is looked up once."""

    def __init__(self, ids: Iterable[str]) -> None:
        self._ids = sorted(ids)
        self._plain: dict[str, str] = {}
        for each in self._ids:
            self._plain.setdefault(_plain(each), each)
        self._answers: dict[str, str | None] = {}
        self._left = _MOST_LOOKS if len(self._ids) <= _MOST_IDS else 0

    def nearest(self, identity: str) -> str | None:
        """Return the known id that differs least, when one is near."""
        if identity not in self._answers:
            self._answers[identity] = self._look(identity)
        return self._answers[identity]

    def _look(self, identity: str) -> str | None:
        same = self._plain.get(_plain(identity))
        if same is not None or not self._left or len(identity) > _LONGEST:
            return same
        import difflib

        self._left -= 1
        candidates = [each for each in self._ids if len(each) <= 2 * _LONGEST]
        near = difflib.get_close_matches(identity, candidates, n=1, cutoff=0.6)
        return near[0] if near else None


def near_marker(text: str) -> str | None:
    """Return the first thing in a sentence that looks like a marker and is none, or None.

    Args:
        text: The sentence, with blanks in place of markers and code.

    """
    found = _NEAR.search(text)
    return None if found is None else shorten(found[0])


def _plain(identity: str) -> str:
    """Return an id without what is easily mistyped: letter case and punctuation."""
    return _LETTERS.sub("", identity).casefold() or identity
