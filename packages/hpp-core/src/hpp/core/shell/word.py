"""Escapes and brace lists of single words."""

from __future__ import annotations

__all__ = ["ansi_c", "braces", "is_assignment", "printed_text"]

_LETTERS = {
    "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t",
    "v": "\v", "\\": "\\", "'": "'", '"': '"', "?": "?",
}  # fmt: skip
_OCTAL = frozenset("01234567")
_HEX = frozenset("0123456789abcdefABCDEF")
_HEX_DIGITS = {"x": 2, "u": 4, "U": 8}
_LARGEST_CHAR = 0x10FFFF
_MOST_WORDS = 64
_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789")


def ansi_c(text: str) -> str:
    r"""Return the inside of ``$'…'`` with its escapes decoded; ``\cX`` is dropped."""
    out: list[str] = []
    at = 0
    while True:
        next_at = text.find("\\", at)
        if next_at < 0 or next_at + 1 >= len(text):
            out.append(text[at:])
            return "".join(out)
        out.append(text[at:next_at])
        char, at = _escape(text, next_at + 1)
        out.append(char)


def printed_text(text: str) -> str:
    r"""Return what `printf` and most `echo` make of ``\n`` and its like."""
    return ansi_c(text) if "\\" in text else text


def _escape(text: str, at: int) -> tuple[str, int]:
    """Return the character of the escape whose letter stands at `at`, and where it ends."""
    letter = text[at]
    if letter in _LETTERS:
        return _LETTERS[letter], at + 1
    if letter in _HEX_DIGITS:
        return _number(text, at + 1, _HEX_DIGITS[letter], _HEX, 16) or ("\\" + letter, at + 1)
    if letter in _OCTAL:
        return _number(text, at, 4 if letter == "0" else 3, _OCTAL, 8) or (letter, at + 1)
    if letter == "c" and at + 1 < len(text):
        return "", at + 2
    return "\\" + letter, at + 1


def _number(
    text: str, at: int, most: int, digits: frozenset[str], base: int
) -> tuple[str, int] | None:
    end = at
    while end < len(text) and end - at < most and text[end] in digits:
        end += 1
    if end == at:
        return None
    code = int(text[at:end], base)
    return (chr(code) if 0 < code <= _LARGEST_CHAR else ""), end


def braces(word: str) -> list[str]:
    """Return the words of a simple brace list such as ``{rm,-rf,x}`` or ``a{b,c}``."""
    opening = word.find("{")
    if opening > 0 and word[opening - 1] == "$":
        return [word]
    closing = word.find("}", opening)
    if opening < 0 or closing < 0 or "," not in word[opening:closing]:
        return [word]
    inner = word[opening + 1 : closing]
    if "{" in inner:
        return [word]
    parts = inner.split(",")
    if len(parts) > _MOST_WORDS:
        return [word]
    made = [word[:opening] + part + word[closing + 1 :] for part in parts]
    return [part for part in made if part]


def is_assignment(word: str) -> bool:
    """Say whether a word before the program sets a variable."""
    name = word.partition("=")[0]
    if name == word or not name:
        return False
    name = name.removesuffix("+").partition("[")[0]
    return bool(name) and not name[0].isdigit() and _NAME.issuperset(name)
