"""A program that a person declares as one argument: a JSON array of words, read by no shell."""

from __future__ import annotations

from hpp.core.errors import RefusedError
from hpp.core.strictjson import parse_text

__all__ = ["parse_argv"]

_WANTED = 'expected a JSON array of one or more non-empty texts, such as ["python", "ask.py"]'


def parse_argv(name: str, text: str) -> list[str]:
    """Return the program and its arguments.

    Args:
        name: Name of the option, for messages.
        text: The JSON text.

    Raises:
        RefusedError: It is no such array, a word holds NUL, or one looks like a secret,
            which no message shows.

    """
    from hpp.core.secret import find_in_argv

    if not text.strip():
        raise RefusedError(f"{name}: {_WANTED}")
    words = parse_text(text, name)
    if not isinstance(words, list) or not words:
        raise RefusedError(f"{name}: {_WANTED}")
    for number, word in enumerate(words):
        if not isinstance(word, str) or not word:
            raise RefusedError(f"{name}: [{number}]: {_WANTED}")
        if "\0" in word:
            raise RefusedError(f"{name}: [{number}]: it holds NUL")
    hit = find_in_argv(words)
    if hit is not None:
        raise RefusedError(f"{name}: [{hit[0]}]: it holds secret-like text ({hit[1]})")
    return words
