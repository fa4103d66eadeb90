"""A value of a document together with where it stands, so that a refusal can name it.

Each check returns what is sound or refuses with ``file: path: what was expected``.
"""

from __future__ import annotations

import re
import unicodedata

from hpp.core.arguments import LARGEST_INTEGER
from hpp.core.errors import RefusedError
from hpp.core.jsonfault import shown_path
from hpp.core.strictjson import kind_of
from hpp.core.text import shorten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, NoReturn

__all__ = ["ABSENT", "Place", "folded", "is_visible"]


_DIGEST = re.compile(r"[0-9a-f]{64}")
# Letters and signs of Unicode that are drawn as nothing.
_BLANK = frozenset("\u115f\u1160\u2800\u3164\uffa0")


class _Absent:
    """The value of a key that an object does not have."""


ABSENT = _Absent()


class Place:
    """One place of a document.

    Args:
        value: What stands there; `ABSENT` when nothing does.
        name: Names the document in messages.
        steps: Keys and indices that lead there from its root.

    """

    __slots__ = ("name", "steps", "value")

    def __init__(self, value: object, name: str, steps: tuple[str | int, ...] = ()) -> None:
        self.value: Any = value
        self.name = name
        self.steps = steps

    @property
    def is_absent(self) -> bool:
        """Say whether nothing stands there."""
        return self.value is ABSENT

    @property
    def is_none(self) -> bool:
        """Say whether nothing stands there, or null."""
        return self.value is ABSENT or self.value is None

    def refuse(self, what: str) -> NoReturn:
        """Refuse the document because of this place."""
        path = shown_path(list(self.steps))
        raise RefusedError(f"{self.name}: {path}: {what}" if path else f"{self.name}: {what}")

    def expected(self, wanted: str) -> NoReturn:
        """Refuse, telling what should stand here and what does."""
        if self.is_absent:
            found = "it is missing"
        elif isinstance(self.value, str):
            found = f'got "{shorten(self.value, 40)}"'
        elif type(self.value) is int and abs(self.value) <= LARGEST_INTEGER:
            found = f"got {self.value}"
        elif isinstance(self.value, (list, dict)) and not self.value:
            found = "got an empty list" if isinstance(self.value, list) else "got an empty object"
        else:
            found = f"got {kind_of(self.value)}"
        self.refuse(f"expected {wanted}, {found}")

    def at(self, key: str) -> Place:
        """Return the place of a key of this object, which may be absent."""
        if not isinstance(self.value, dict):
            self.expected("an object")
        return Place(self.value.get(key, ABSENT), self.name, (*self.steps, key))

    def mapping(self, only: Sequence[str] = ()) -> dict[str, Any]:
        """Return an object; with `only`, one that has no other keys."""
        if not isinstance(self.value, dict):
            self.expected("an object")
        if only:
            for key in self.value:
                if key not in only:
                    self.at(key).refuse(f"unknown key; known are {', '.join(only)}")
        return self.value

    def items(self, least: int = 0, most: int | None = None, of: str = "values") -> list[Place]:
        """Return the places of a list of at least and at most so many items."""
        if not isinstance(self.value, list) or len(self.value) < least:
            self.expected(f"a list of {least} or more {of}" if least else f"a list of {of}")
        if most is not None and len(self.value) > most:
            self.refuse(f"expected at most {most} {of}, got {len(self.value)}")
        return [Place(v, self.name, (*self.steps, n)) for n, v in enumerate(self.value)]

    def exactly(self, text: str) -> None:
        """Check one text."""
        if self.value != text:
            self.expected(f'"{text}"')

    def choice(self, words: Sequence[str]) -> str:
        """Return a text of a closed list."""
        if not isinstance(self.value, str) or self.value not in words:
            self.expected(f"one of {', '.join(shorten(word, 40) for word in words[:20])}")
        return self.value

    def string(self) -> str:
        """Return a text, which may be empty."""
        if not isinstance(self.value, str):
            self.expected("a text")
        return self.value

    def text(self) -> str:
        """Return a text that is not empty."""
        if not isinstance(self.value, str) or not self.value:
            self.expected("a non-empty text")
        return self.value

    def solid(self) -> str:
        """Return a text that is not blank."""
        if not isinstance(self.value, str) or not self.value.strip():
            self.expected("a non-blank text")
        return self.value

    def visible(self) -> str:
        """Return a text in which something can be seen."""
        if not isinstance(self.value, str) or not is_visible(self.value):
            self.expected("a text in which something can be seen")
        return self.value

    def boolean(self) -> bool:
        """Return true or false."""
        if not isinstance(self.value, bool):
            self.expected("true or false")
        return self.value

    def integer(self, low: int, high: int = LARGEST_INTEGER) -> int:
        """Return an integer of a range."""
        if type(self.value) is not int or not low <= self.value <= high:
            span = f"of {low} or more" if high == LARGEST_INTEGER else f"from {low} to {high}"
            self.expected(f"an integer {span}")
        return self.value

    def share(self) -> float:
        """Return a number from 0 to 1."""
        if type(self.value) not in (int, float) or not 0 <= self.value <= 1:
            self.expected("a number from 0 to 1")
        return self.value  # type: ignore[no-any-return]  # an int or a float, as checked

    def digest(self) -> str:
        """Return a SHA-256 as 64 lower-case hexadecimal digits."""
        if not isinstance(self.value, str) or not _DIGEST.fullmatch(self.value):
            self.expected("64 lower-case hexadecimal digits")
        return self.value


def is_visible(text: str) -> bool:
    """Say whether a text has a letter, a digit, a punctuation mark or a symbol that is drawn."""
    return any(unicodedata.category(char)[0] in "LNPS" and char not in _BLANK for char in text)


def folded(name: str) -> str:
    """Return the form in which names are compared: NFKC, case folded, trimmed."""
    plain = unicodedata.normalize("NFKC", name).casefold()
    return unicodedata.normalize("NFKC", plain).strip()
