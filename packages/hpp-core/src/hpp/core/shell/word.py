"""Words: escapes of ``$'…'``, assignments, quoting, and the text that `echo` prints."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["NAME", "ansi_c", "is_assignment", "printed_texts", "quoted"]

NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789")
_LETTERS = {
    "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t",
    "v": "\v", "\\": "\\", "'": "'", '"': '"', "?": "?",
}  # fmt: skip
_OCTAL = frozenset("01234567")
_HEX = frozenset("0123456789abcdefABCDEF")
_HEX_DIGITS = {"x": 2, "u": 4, "U": 8}
_LARGEST_CHAR = 0x10FFFF
_CONTROL = 0x1F
_END = "\0"  # a NUL ends the text, as in the shells
_FLAGS = frozenset("-+ #0123456789.*'lhjzt")
_MOST_ROUNDS = 64


def is_assignment(word: str) -> bool:
    """Say whether a word before the program sets a variable."""
    name, equals, _ = word.partition("=")
    if not equals:
        return False
    name = name.removesuffix("+")
    if name.endswith("]"):
        name = name.partition("[")[0]
    return bool(name) and not name[0].isdigit() and NAME.issuperset(name)


def quoted(words: Sequence[str]) -> str:
    """Return words as shell text that is read as the same words."""
    return " ".join("'" + word.replace("'", "'\\''") + "'" for word in words)


def ansi_c(text: str) -> str:
    r"""Return the inside of ``$'…'`` with its escapes decoded."""
    out: list[str] = []
    at = 0
    while True:
        found = text.find("\\", at)
        if found < 0 or found + 1 >= len(text):
            out.append(text[at:])
            return "".join(out)
        out.append(text[at:found])
        char, at = _escape(text, found + 1)
        if char == _END:
            return "".join(out)
        out.append(char)


def _escape(text: str, at: int) -> tuple[str, int]:
    """Return the character of the escape whose letter stands at `at`, and where it ends."""
    letter = text[at]
    if letter in _LETTERS:
        return _LETTERS[letter], at + 1
    if letter in _HEX_DIGITS:
        return _number(text, at + 1, _HEX_DIGITS[letter], _HEX, 16) or ("\\" + letter, at + 1)
    if letter in _OCTAL:
        return _number(text, at, 3, _OCTAL, 8) or (letter, at + 1)
    if letter == "c" and at + 1 < len(text):
        return chr(ord(text[at + 1]) & _CONTROL), at + 2
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
    return (chr(code) if code <= _LARGEST_CHAR else "?"), end


def printed_texts(words: Sequence[str]) -> list[str]:
    """Return what `echo` or `printf` prints; two texts where shells differ.

    Args:
        words: The program and its arguments.

    """
    if words[0].endswith("printf"):
        return _printf(words)
    at = 1
    while at < len(words) and words[at][:1] == "-" and set(words[at][1:]) <= {"n", "e", "E"}:
        at += 1
    text = " ".join(words[at:]) + "\n"
    decoded = ansi_c(text) if "\\" in text else text
    return [text] if decoded == text else [text, decoded]


def _printf(words: Sequence[str]) -> list[str]:
    if words[1:2] == ["-v"]:
        return []  # into a variable
    at = 2 if words[1:2] == ["--"] else 1
    if at >= len(words):
        return []
    pieces = _conversions(ansi_c(words[at]))
    values = list(words[at + 1 :])
    if len(pieces) == 1:
        return pieces
    out: list[str] = []
    rounds = len(values) // (len(pieces) - 1) + 1
    if rounds > _MOST_ROUNDS:  # all of it, in some form
        return [" ".join(values), "\n".join(values)]
    values.reverse()
    while True:
        out.append(pieces[0])
        for piece in pieces[1:]:
            out.append(ansi_c(values.pop()) if values else "")
            out.append(piece)
        if not values:
            return ["".join(out)]


def _conversions(text: str) -> list[str]:
    """Return what stands between the conversions of a format."""
    pieces: list[str] = []
    held = ""
    first, *rest = text.split("%")
    held = first
    at = 0
    while at < len(rest):
        part = rest[at]
        at += 1
        if not part:  # "%%"
            held += "%" + (rest[at] if at < len(rest) else "")
            at += 1
            continue
        end = 0
        while end < len(part) and part[end] in _FLAGS:
            end += 1
        pieces.append(held)
        held = part[end + 1 :]
    pieces.append(held)
    return pieces
