"""A command that a person declared, and the words that are run for it.

It is a text, split as a POSIX shell would split it and run without one; a list of words, as
it is; or ``{"shell": "..."}``, which says on purpose that a shell reads it. A text that needs
a shell to mean what it says is refused: ``pytest && ruff`` run as words would hand ``&&`` to
pytest, and ``true && false`` would pass.
"""

from __future__ import annotations

import os
import shlex

from hpp.core.errors import RefusedError
from hpp.core.strictjson import kind_of
from hpp.core.text import shorten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Declared", "declared", "split", "which_shell"]

# `[` is a program of its own, so it is none; `*` and `?` are files that only a shell knows.
_OPERATORS = frozenset("|&;<>()\n\r*?")
_EXPANDED = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789{(?#@!-$*")


class Declared:
    """One command.

    Attributes:
        text: As it is shown.
        argv: Program and arguments.

    """

    __slots__ = ("argv", "text")

    def __init__(self, text: str, argv: list[str]) -> None:
        self.text = text
        self.argv = argv


def declared(value: object, where: str) -> Declared:
    """Return a command as a document declares it.

    Raises:
        RefusedError: It is none, or needs a shell and does not say so.

    """
    if isinstance(value, str):
        return Declared(value.strip(), split(value, where))
    if isinstance(value, list):
        for number, word in enumerate(value):
            if not isinstance(word, str) or "\0" in word:
                raise RefusedError(f"{where}[{number}]: expected a text, got {_kind(word)}")
        if not value or not value[0].strip():
            raise RefusedError(f"{where}: expected a program and its arguments")
        return Declared(shlex.join(value), list(value))
    if isinstance(value, dict):
        text = value.get("shell")
        if set(value) != {"shell"} or not isinstance(text, str) or not text.strip():
            raise RefusedError(f'{where}: expected {{"shell": "a command text"}}')
        if "\0" in text:
            raise RefusedError(f"{where}.shell: it holds NUL")
        return Declared(text.strip(), which_shell(text))
    raise RefusedError(
        f'{where}: expected a text, a list of words or {{"shell": ...}}, got {kind_of(value)}'
    )


def split(text: str, where: str) -> list[str]:
    """Return the words of a command text.

    Raises:
        RefusedError: It is blank, has an open quote, or needs a shell.

    """
    sign = _needs_shell(text.strip())
    if sign is not None:
        raise RefusedError(
            f"{where}: {sign!r} means something to a shell alone; quote it, or declare "
            '{"shell": "..."}'
        )
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise RefusedError(f"{where}: {shorten(text)!r}: {error}") from None
    if not words or not words[0] or "\0" in text:
        raise RefusedError(f"{where}: expected a command, got {shorten(text)!r}")
    return words


def which_shell(
    text: str, system: str = os.name, environ: Mapping[str, str] | None = None
) -> list[str]:
    """Return the words that hand a text to the system's shell."""
    if system == "nt":
        shell = (os.environ if environ is None else environ).get("COMSPEC") or "cmd.exe"
        return [shell, "/d", "/s", "/c", text]
    return ["/bin/sh", "-c", text]


def _needs_shell(text: str) -> str | None:
    """Return the first sign that only a shell would understand, or None."""
    quote = ""
    at = 0
    while at < len(text):
        char, after = text[at], text[at + 1 : at + 2]
        at += 1
        if quote == "'":
            quote = "" if char == "'" else quote
        elif char == "\\":
            # A shell joins lines here, and between double quotes it escapes more than we do.
            if after == "\n" or (quote and after in ("$", "`")):
                return char + after
            at += 1
        elif char == "`" or (char == "$" and after and after in _EXPANDED):
            return char if char == "`" else char + after
        elif char == quote:
            quote = ""
        elif not quote and (char in _OPERATORS or (char == "~" and _starts_word(text, at - 1))):
            return char
        elif not quote and char in "\"'":
            quote = char
    return None


def _starts_word(text: str, at: int) -> bool:
    return at == 0 or text[at - 1] in " \t="


def _kind(word: object) -> str:
    return "one with NUL" if isinstance(word, str) else kind_of(word)
