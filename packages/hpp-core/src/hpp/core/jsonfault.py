"""Find what is wrong with a JSON text, and where; runs only when a text was refused.

An iterative reader that keeps the path of the value it stands on, so that a message can
say ``work[3].acceptance``. It answers with the first fault in document order.
"""

from __future__ import annotations

import re
from typing import NoReturn

from hpp.core.strictjson import DEEPEST, LONGEST_NUMBER
from hpp.core.text import shorten

__all__ = ["find_fault", "shown_path"]

_WHITE = re.compile(r"[ \t\n\r]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_STRING = re.compile(r'"((?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*)"')
_CONSTANT = re.compile(r"NaN|-?Infinity")
_WORD = re.compile(r"true|false|null")
_HALF = re.compile(
    r"\\u([dD][89abAB][0-9a-fA-F]{2})(?!\\u[dD][c-fC-F])|\\u([dD][c-fC-F][0-9a-fA-F]{2})"
)


class _FoundError(Exception):
    """Carries the fault out of the walk."""


def find_fault(text: str) -> str | None:
    """Return the first fault as ``path: what (line L, column C)``, or None for sound JSON."""
    try:
        _Walk(text).run()
    except _FoundError as found:
        return str(found)
    return None


def shown_path(steps: list[str | int]) -> str:
    """Return a path such as ``work[3].acceptance``; the root is an empty text."""
    shown = ""
    for step in steps:
        if isinstance(step, int):
            shown += f"[{step}]"
        elif re.fullmatch(r"[\w-]+", step):
            shown += f".{step}" if shown else step
        else:
            shown += f'["{shorten(step, 40)}"]'
    return shown


class _Walk:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.path: list[str | int] = []
        # One entry for each open container: None for an array, the keys seen for an object.
        self.open: list[set[str] | None] = []

    def run(self) -> None:
        self._skip()
        if self.at >= len(self.text):
            self._fail("it is empty" if not self.text.strip() else "a value is expected")
        self._value()
        while self.open:
            self._next()
        self._skip()
        if self.at < len(self.text):
            self._fail("text after the value")

    def _value(self) -> None:
        """Read a scalar, or open a container and stand before its first member."""
        char = self.text[self.at : self.at + 1]
        if char in ("{", "["):
            if len(self.open) >= DEEPEST:
                self._fail(f"nested deeper than {DEEPEST}", place=False)
            self.at += 1
            self.open.append(set() if char == "{" else None)
            self._first()
        elif char == '"':
            self._string()
        elif _WORD.match(self.text, self.at):
            self.at += len(_WORD.match(self.text, self.at)[0])  # type: ignore[index]  # it matched
        else:
            self._number()

    def _first(self) -> None:
        keys = self.open[-1]
        self._skip()
        closing = "]" if keys is None else "}"
        if self.text[self.at : self.at + 1] == closing:
            self.at += 1
            self.open.pop()
            return
        if keys is None:
            self.path.append(0)
        else:
            self.path.append("")
            self._key(keys)
        self._skip()
        self._value()

    def _next(self) -> None:
        """After a member: another one, or the end of its container."""
        keys = self.open[-1]
        self._skip()
        char = self.text[self.at : self.at + 1]
        closing = "]" if keys is None else "}"
        if char == closing:
            self.at += 1
            self.open.pop()
            self.path.pop()
            return
        if char != ",":
            self._fail(f"expected , or {closing}" if char else "it ends too early")
        self.at += 1
        self._skip()
        if keys is None:
            last = self.path[-1]
            self.path[-1] = last + 1 if isinstance(last, int) else 0
        else:
            self._key(keys)
        self._skip()
        self._value()

    def _key(self, keys: set[str]) -> None:
        start = self.at
        self.path[-1] = ""
        if self.text[self.at : self.at + 1] != '"':
            self._fail("a key in double quotes is expected", inside=True)
        key = self._string(inside=True)
        if key in keys:
            self.at = start
            self._fail(f'the key "{shorten(key)}" is repeated', inside=True)
        keys.add(key)
        self.path[-1] = key
        self._skip()
        if self.text[self.at : self.at + 1] != ":":
            self._fail("expected : after the key")
        self.at += 1

    def _string(self, *, inside: bool = False) -> str:
        found = _STRING.match(self.text, self.at)
        if found is None:
            self._fail(
                "a text that is not closed or holds a raw control character or a bad escape",
                inside=inside,
            )
        raw = found[1]
        if "\\u" in raw and _HALF.search(
            re.sub(r"\\[^u]|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}", "", raw)
        ):
            self._fail("a lone surrogate", inside=inside)
        self.at = found.end()
        if "\\" not in raw:
            return raw
        import json

        return str(json.loads(found[0]))

    def _number(self) -> None:
        constant = _CONSTANT.match(self.text, self.at)
        if constant:
            self._fail(f"{constant[0]} is not JSON")
        found = _NUMBER.match(self.text, self.at)
        if found is None:
            ended = self.at >= len(self.text)
            self._fail("it ends too early" if ended else "not a JSON value")
        if len(found[0]) > LONGEST_NUMBER:
            self._fail(f"a number of more than {LONGEST_NUMBER} characters")
        if abs(float(found[0])) == float("inf"):
            self._fail(f"the number {shorten(found[0])} is out of range")
        self.at = found.end()

    def _skip(self) -> None:
        found = _WHITE.match(self.text, self.at)
        self.at = found.end() if found else self.at

    def _fail(self, what: str, *, place: bool = True, inside: bool = False) -> NoReturn:
        line = self.text.count("\n", 0, self.at) + 1
        column = self.at - self.text.rfind("\n", 0, self.at)
        path = shown_path(self.path[:-1] if inside else self.path) if place else ""
        prefix = f"{path}: " if path else ""
        raise _FoundError(f"{prefix}{what} (line {line}, column {column})")
