"""Scalars and one-line collections of the YAML subset that `minicfg` reads."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["Fault", "plain", "read_inline", "read_quoted"]

_WORDS: dict[str, bool | None] = {"true": True, "false": False, "null": None, "~": None}
_CASES = frozenset({"True", "TRUE", "False", "FALSE", "Null", "NULL"})
_INDICATORS = frozenset(",[]{}#&*!|>'\"%@`")
_REASONS = {
    "&": "anchors are not read",
    "*": "aliases are not read",
    "!": "tags are not read",
    "|": "block texts are not read",
    ">": "block texts are not read",
}
_ESCAPES = {
    "0": "\0", "a": "\a", "b": "\b", "t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r",
    "e": "\x1b", " ": " ", '"': '"', "/": "/", "\\": "\\", "N": "\x85", "_": "\xa0",
    "L": "\u2028", "P": "\u2029",
}  # fmt: skip
_CODES = {"x": 2, "u": 4, "U": 8}
_HEX = frozenset("0123456789abcdefABCDEF")
_DIGITS = frozenset("0123456789")
_LONGEST_NUMBER = 100
_HIGHEST = 0x10FFFF
_FIRST_HALF, _LAST_HALF = 0xD800, 0xDFFF  # of a surrogate pair


class Fault(Exception):  # noqa: N818 -- becomes a ConfigError, which names the file
    """Why and where a text is refused.

    Attributes:
        line, column: Counted from 1.
        why: What is wrong.

    """

    def __init__(self, line: int, column: int, why: str) -> None:
        super().__init__(why)
        self.line = line
        self.column = column
        self.why = why


def read_inline(  # noqa: PLR0913 -- a place and two bounds
    text: str, at: int, number: int, indent: int, *, depth: int, deepest: int
) -> tuple[Any, int]:
    """Return the value that fills a line from a place on, and how many values it holds.

    Args:
        text: The line, without its indentation.
        at: Where the value begins.
        number: The line's number, for messages.
        indent: Its indentation, for messages.
        depth: How deep the value stands.
        deepest: How deep it may.

    """
    reader = _Inline(text, number, indent, deepest)
    char = text[at]
    if char in "[{":
        value, end = reader.collection(at, depth)
    elif char in "\"'":
        value, end = read_quoted(text, at, number, indent)
        reader.count += 1
    else:
        comment = text.find(" #", at)
        end = len(text) if comment < 0 else comment
        value = plain(text[at:end].rstrip(" "), number, indent + at + 1)
        reader.count += 1
    rest = text[end:]
    if rest.strip(" ") and not rest.lstrip(" ").startswith("#"):
        raise reader.fault(end, "expected the end of the line here")
    if rest.startswith("#"):
        raise reader.fault(end, "a comment needs a blank before it")
    return value, reader.count


def read_quoted(text: str, at: int, number: int, indent: int) -> tuple[str, int]:
    """Return a quoted text that begins at a place, and the place behind it."""
    if text[at] == "'":
        return _single(text, at, number, indent)
    made: list[str] = []
    place = at + 1
    while place < len(text):
        char = text[place]
        if char == '"':
            return "".join(made), place + 1
        if char == "\\":
            escaped, place = _escape(text, place, number, indent)
            made.append(escaped)
            continue
        made.append(char)
        place += 1
    raise Fault(number, indent + at + 1, "the quote is not closed on its line")


def plain(word: str, number: int, column: int) -> Any:  # noqa: ANN401 -- text, number, truth value or None
    """Return what a scalar without quotes means."""
    if word in _WORDS:
        return _WORDS[word]
    _check_plain(word, number, column)
    if word in _CASES:
        raise Fault(number, column, f"write {word.lower()}, or put it in quotes")
    return _number(word, number, column)


def _check_plain(word: str, number: int, column: int) -> None:
    first = word[0]
    if first in _INDICATORS:
        raise Fault(
            number, column, _REASONS.get(first, f"a text that begins with {first} needs quotes")
        )
    if first in "-?:" and word[1:2] in ("", " "):
        raise Fault(number, column, f"a text that begins with {first} needs quotes")
    if word == "<<":
        raise Fault(number, column, "merge keys are not read")
    if "\t" in word:
        raise Fault(number, column + word.index("\t"), "a tab outside of quotes")
    if ": " in word or word.endswith(":"):
        raise Fault(number, column, "a second ': ' in the line; put the text in quotes")


def _number(word: str, number: int, column: int) -> str | int | float:
    body = word[1:] if word[0] in "+-" else word
    if not body or (body[0] not in _DIGITS and body[0] != "."):
        return word
    if body.lower() in (".inf", ".nan") or body[:2].lower() in ("0x", "0o", "0b"):
        raise Fault(number, column, "such a number is not read; put it in quotes")
    if _DIGITS.issuperset(body):
        if len(body) > 1 and body[0] == "0":
            raise Fault(number, column, "a number with a leading zero; put it in quotes")
        if len(body) > _LONGEST_NUMBER:
            raise Fault(number, column, "a number of more than 100 digits")
        return int(word)
    if not _is_float(body):
        return word
    value = float(word)
    if len(body) > _LONGEST_NUMBER or value - value != 0:
        raise Fault(number, column, "a number out of range")
    return value


def _is_float(body: str) -> bool:
    mantissa, mark, exponent = body.lower().partition("e")
    whole, _, fraction = mantissa.partition(".")
    if not (whole or fraction) or not _DIGITS.issuperset(whole + fraction):
        return False
    if mark:
        digits = exponent[1:] if exponent[:1] in ("+", "-") else exponent
        return bool(digits) and _DIGITS.issuperset(digits)
    return "." in body


def _single(text: str, at: int, number: int, indent: int) -> tuple[str, int]:
    place = at + 1
    made = ""
    while (end := text.find("'", place)) >= 0:
        made += text[place:end]
        if text[end + 1 : end + 2] != "'":
            return made, end + 1
        made += "'"
        place = end + 2
    raise Fault(number, indent + at + 1, "the quote is not closed on its line")


def _escape(text: str, at: int, number: int, indent: int) -> tuple[str, int]:
    kind = text[at + 1 : at + 2]
    if kind in _ESCAPES:
        return _ESCAPES[kind], at + 2
    size = _CODES.get(kind, 0)
    digits = text[at + 2 : at + 2 + size]
    if not size or len(digits) != size or not _HEX.issuperset(digits):
        raise Fault(number, indent + at + 1, "an escape that is not known")
    code = int(digits, 16)
    if code > _HIGHEST or _FIRST_HALF <= code <= _LAST_HALF:
        raise Fault(number, indent + at + 1, "an escape that is no character")
    return chr(code), at + 2 + size


class _Inline:
    """Reads the one-line collections of one line."""

    __slots__ = ("count", "deepest", "indent", "number", "text")

    def __init__(self, text: str, number: int, indent: int, deepest: int) -> None:
        self.text = text
        self.number = number
        self.indent = indent
        self.deepest = deepest
        self.count = 0

    def fault(self, at: int, why: str) -> Fault:
        """Return the fault for a place of the line."""
        return Fault(self.number, self.indent + at + 1, why)

    def collection(self, at: int, depth: int) -> tuple[Any, int]:
        """Return the collection that begins at a place, and the place behind it."""
        if depth > self.deepest:
            raise self.fault(at, f"nested more than {self.deepest} deep")
        self.count += 1
        closing = "]" if self.text[at] == "[" else "}"
        made: list[Any] = []
        keys: dict[str, Any] = {}
        at = self._blanks(at + 1)
        while self.text[at : at + 1] != closing:
            if closing == "}":
                at = self._pair(at, keys, depth)
            else:
                value, at = self._value(at, depth)
                made.append(value)
            at = self._blanks(at)
            if self.text[at : at + 1] == ",":
                at = self._blanks(at + 1)
            elif self.text[at : at + 1] != closing:
                raise self.fault(at, f"expected ',' or '{closing}' on the same line")
        return (made if closing == "]" else keys), at + 1

    def _pair(self, at: int, keys: dict[str, Any], depth: int) -> int:
        begun = at
        is_quoted = self.text[at : at + 1] in ('"', "'")
        key, at = self._scalar(at)
        if not isinstance(key, str):
            raise self.fault(begun, "a key is a text; put it in quotes")
        if key == "<<" and not is_quoted:
            raise self.fault(begun, "merge keys are not read")
        if key in keys:
            raise self.fault(begun, f"the key {key!r} is given twice")
        at = self._blanks(at)
        if self.text[at : at + 1] != ":":
            raise self.fault(at, "expected ': ' and a value")
        if not is_quoted and self.text[at + 1 : at + 2] != " ":
            raise self.fault(at, "expected a blank after the colon")
        keys[key], at = self._value(self._blanks(at + 1), depth)
        return at

    def _value(self, at: int, depth: int) -> tuple[Any, int]:
        if self.text[at : at + 1] in ("[", "{"):
            return self.collection(at, depth + 1)
        value, at = self._scalar(at)
        self.count += 1
        return value, at

    def _scalar(self, at: int) -> tuple[Any, int]:
        char = self.text[at : at + 1]
        if char in ('"', "'"):
            return read_quoted(self.text, at, self.number, self.indent)
        end = at
        while end < len(self.text) and self.text[end] not in ",[]{}":
            behind = self.text[end + 1 : end + 2]
            if self.text[end] == ":" and behind in ("", " ", ",", "[", "]", "{", "}"):
                break
            if self.text[end] == "#" and self.text[end - 1] == " ":
                raise self.fault(end, "a comment inside of a one-line collection")
            end += 1
        word = self.text[at:end].rstrip(" ")
        if not word:
            raise self.fault(at, "expected a value")
        if word[0] in "?:" or (word[0] == "-" and word[1:2] in ("", " ")) or "?" in word:
            raise self.fault(at, "put the text in quotes")
        return plain(word, self.number, self.indent + at + 1), end

    def _blanks(self, at: int) -> int:
        while self.text[at : at + 1] == " ":
            at += 1
        return at
