"""Read the texts of `cmd` and of PowerShell, as far as they decide what would run.

Both are read into the same events as a shell's text: simple commands and what separates
them. Blocks and parentheses count as separators, so that what stands in them is judged.
"""

from __future__ import annotations

from hpp.core.shell.model import END, PIPE, SIMPLE, Reading, Simple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["read_cmd", "read_powershell"]

_CMD_ENDS = frozenset("&|()\n")
_CMD_BLANKS = frozenset(" \t\r,;")
_POWERSHELL_ENDS = frozenset(";&|(){}\n")
_POWERSHELL_BLANKS = frozenset(" \t\r,")
_TESTS = frozenset({"exist", "defined", "errorlevel", "cmdextversion"})


class _Words:
    """Gathers the words of one text into events."""

    def __init__(self, text: str, finish: Callable[[list[str]], list[str]]) -> None:
        self.text = text
        self.finish = finish
        self.reading = Reading()
        self.words: list[str] = []
        self.pieces: list[str] | None = None
        self.start = 0

    def add(self, piece: str, at: int) -> None:
        if self.pieces is None:
            self.pieces = []
            if not self.words:
                self.start = at
        self.pieces.append(piece)

    def end_word(self) -> None:
        if self.pieces is not None:
            self.words.append("".join(self.pieces))
            self.pieces = None

    def end_command(self, at: int, event: int = END) -> None:
        self.end_word()
        words, self.words = self.finish(self.words), []
        if words:
            simple = Simple(self.text, self.start)
            simple.end = at
            simple.words = words
            self.reading.events.append((SIMPLE, simple))
        self.reading.events.append((event, None))


def read_cmd(text: str) -> Reading:
    """Return the events of a text that `cmd` runs."""
    words = _Words(text, _cmd_command)
    at, length = 0, len(text)
    in_quotes = False
    while at < length:
        char = text[at]
        if char == '"':
            in_quotes = not in_quotes
            words.add("", at)
        elif in_quotes:
            words.add(char, at)
        elif char == "^":
            at += 1
            if at < length and text[at] not in "\r\n":
                words.add(text[at], at)
        elif char in _CMD_ENDS:
            at = _end(words, text, at)
        elif char in _CMD_BLANKS or char in "<>":
            words.end_word()
        else:
            words.add(char, at)
        at += 1
    words.reading.malformed = in_quotes
    words.end_command(length)
    return words.reading


def _end(words: _Words, text: str, at: int) -> int:
    """End a command at an operator and return the place of its last character."""
    is_pipe = text[at] == "|" and not text.startswith("||", at)
    words.end_command(at, PIPE if is_pipe else END)
    return at + 1 if text.startswith(("||", "&&"), at) else at


def _cmd_command(words: list[str]) -> list[str]:
    """Return what a command of `cmd` runs: `@`, `if`, `else` and `for … do` are no programs."""
    while words:
        first = words[0].lstrip("@").lower()
        if first in ("", "do", "else"):
            words = words[1:]
        elif first == "if":
            words = _after_test(words[1:])
        elif words[0][0] == "@":
            words = [words[0].lstrip("@"), *words[1:]]
        else:
            break
    if not words:
        return words
    name, slash, switches = words[0].partition("/")
    if slash and name.lower() in ("rd", "rmdir", "del", "erase"):
        words = [name, "/" + switches, *words[1:]]
    made = words[:1]
    for word in words[1:]:  # "/s/q" are two switches
        made += ["/" + part for part in word.split("/")[1:]] if word[:1] == "/" else [word]
    return made


def _after_test(words: list[str]) -> list[str]:
    """Return what stands behind the condition of an `if`."""
    while words and words[0].lower() in ("/i", "not"):
        words = words[1:]
    if not words:
        return words
    if words[0].lower() in _TESTS:
        return words[2:]
    return words[1:] if "==" in words[0] else words[3:]


def read_powershell(text: str) -> Reading:
    """Return the events of a text that PowerShell runs."""
    words = _Words(text, _powershell_command)
    at, length = 0, len(text)
    while at < length:
        char = text[at]
        if char in "'\"":
            at = _quoted(words, text, at)
        elif char == "@" and text[at + 1 : at + 2] in ("'", '"'):
            at = _here_string(words, text, at)
        elif char == "`":
            at += 1
            if at < length and text[at] not in "\r\n":
                words.add(text[at], at)
        elif char == "#" and words.pieces is None:
            end = text.find("\n", at)
            at = length if end < 0 else end - 1
        elif char in _POWERSHELL_ENDS:
            at = _end(words, text, at)
        elif char in _POWERSHELL_BLANKS or char in "<>":
            words.end_word()
        else:
            words.add(char, at)
        at += 1
    words.end_command(length)
    return words.reading


def _quoted(words: _Words, text: str, at: int) -> int:
    """Read a quoted string and return the place of its closing quote."""
    mark = text[at]
    words.add("", at)
    at += 1
    while at < len(text):
        char = text[at]
        if char == mark:
            if not text.startswith(mark, at + 1):
                return at
            at += 1  # doubled: it stands for itself
        elif char == "`" and mark == '"':
            at += 1
        words.add(text[at : at + 1], at)
        at += 1
    words.reading.malformed = True
    return at


def _here_string(words: _Words, text: str, at: int) -> int:
    """Read ``@'…'@`` and return the place of its last character."""
    closing = f"\n{text[at + 1]}@"
    end = text.find(closing, at)
    if end < 0:
        words.reading.malformed = True
        end = len(text)
    words.add(text[at + 2 : end], at)
    return end + len(closing) - 1


def _powershell_command(words: list[str]) -> list[str]:
    """Return what a command of PowerShell runs, without an assignment before it."""
    if len(words) > 1 and words[0][:1] == "$" and words[1] in ("=", "+="):
        words = words[2:]
    return words
