"""Whether a text holds a statement that destroys tables or databases."""

from __future__ import annotations

__all__ = ["destroys"]

_WORD = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_$")
_VERBS = ("drop", "truncate")
_OBJECTS = ("table", "database")


def destroys(text: str) -> bool:
    """Say whether DROP or TRUNCATE is followed by TABLE or DATABASE, in any letter case.

    Between the two stand blanks or SQL comments; all are whole words. A name such as
    ``table-auto`` or ``table.log`` is one word and no object.
    """
    low = text.lower()
    for verb in _VERBS:
        at = low.find(verb)
        while at >= 0:
            end = at + len(verb)
            if not (at and low[at - 1] in _WORD) and _object_follows(low, end):
                return True
            at = low.find(verb, end)
    return False


def _object_follows(low: str, at: int) -> bool:
    start = at
    at = _past_blanks(low, at)
    if at == start:
        return False
    for name in _OBJECTS:
        if low.startswith(name, at):
            end = at + len(name)
            following = low[end : end + 1]
            is_comment = low.startswith("--", end)
            return (
                is_comment or not (following in _WORD or following in ("-", ".")) or not following
            )
    return False


def _past_blanks(low: str, at: int) -> int:
    """Return where blanks and comments end."""
    while at < len(low):
        if low[at].isspace():
            at += 1
        elif low.startswith("/*", at):
            end = low.find("*/", at + 2)
            if end < 0:
                return at
            at = end + 2
        elif low.startswith("--", at):
            end = low.find("\n", at)
            if end < 0:
                return at
            at = end + 1
        else:
            return at
    return at
