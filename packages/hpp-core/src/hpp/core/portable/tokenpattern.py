"""Patterns of words that a configuration holds against the words of a command.

Words apart by blanks; ``*`` stands for one word, ``...`` or its one-character form at the end
for any rest. It is no regular expression, so nobody can write one that takes for ever. What
follows the last word of a pattern does not matter: ``terraform destroy`` is about every
``terraform destroy``, whatever options are behind it.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["first_match", "matches"]

_ANY = "*"
_REST = ("...", "\N{HORIZONTAL ELLIPSIS}")


def matches(pattern: str, words: Sequence[str]) -> bool:
    """Say whether a command begins with the words of a pattern; a blank one matches nothing.

    Args:
        pattern: The pattern.
        words: Program and arguments, the program by its base name.

    """
    wanted = pattern.split()
    if wanted and wanted[-1] in _REST:
        wanted.pop()
        if not wanted:
            return False
    if not wanted or len(wanted) > len(words):
        return False
    return all(want in (_ANY, word) for want, word in zip(wanted, words))  # noqa: B905 -- a prefix


def first_match(patterns: Iterable[str], words: Sequence[str]) -> str | None:
    """Return the first pattern that matches, or None."""
    return next((pattern for pattern in patterns if matches(pattern, words)), None)
