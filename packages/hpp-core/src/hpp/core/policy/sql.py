"""Whether a text holds a statement that destroys tables or databases."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["destroyed", "destroyed_by"]

_WORD = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_$")
_VERBS = ("drop", "truncate")
_OBJECTS = ("table", "database")


def destroyed_by(words: Sequence[str]) -> str:
    """Return what the arguments of a command destroy, or nothing.

    A value may be joined to a short option: ``mysql -e"DROP DATABASE x"``.
    """
    found = destroyed(" ".join(words))
    if found:
        return found
    for word in words:
        if word[:1] == "-" and word[:2] != "--":
            head = word.split(None, 1)[0].lower()
            for verb in _VERBS:
                if head.endswith(verb) and len(head) < len(word):
                    found = found or destroyed(word[len(head) - len(verb) :])
    return found


def destroyed(text: str) -> str:
    """Return the piece of a text from DROP or TRUNCATE to TABLE or DATABASE, or nothing.

    Between the two stand blanks or SQL comments; letter case does not count, and all are
    whole words. A name such as ``table-auto``, ``table.log`` or ``--drop`` is another word.
    """
    low = text.lower()
    for verb in _VERBS:
        at = low.find(verb)
        ends: dict[int, int] = {}
        while at >= 0:
            end = at + len(verb)
            if _begins_word(low, at):
                last = _object(low, end, ends)
                if last:
                    return text[at:last] if len(low) == len(text) else low[at:last]
            at = low.find(verb, end)
    return ""


def _begins_word(low: str, at: int) -> bool:
    return not at or not (low[at - 1] in _WORD or low[at - 1] == "-")


def _object(low: str, start: int, ends: dict[int, int]) -> int:
    """Return where TABLE or DATABASE ends when it follows, or 0."""
    at = _past_blanks(low, start, ends)
    if at == start:
        return 0
    for name in _OBJECTS:
        if low.startswith(name, at):
            end = at + len(name)
            following = low[end : end + 1]
            is_comment = low.startswith("--", end)
            if is_comment or not following or not (following in _WORD or following in "-."):
                return end
    return 0


def _past_blanks(low: str, at: int, ends: dict[int, int]) -> int:
    """Return where blanks and comments end.

    Args:
        low: The text.
        at: Where they begin.
        ends: For every place that was passed, where the blanks it stands in end; it keeps
            the whole search linear.

    """
    passed: list[int] = []
    while at not in ends:
        passed.append(at)
        following = _past_blank(low, at, ends)
        if following == at:
            break
        at = following
    at = ends.get(at, at)
    for place in passed:
        ends[place] = at
    return at


def _past_blank(low: str, at: int, ends: dict[int, int]) -> int:
    """Return where one blank or comment ends; what MySQL runs in a comment is no comment."""
    char = low[at : at + 1]
    if char.isspace():
        return at + 1
    if char == "/" and low.startswith("/*", at):
        if low.startswith("!", at + 2):
            at += 3
            while low[at : at + 1].isdigit():
                at += 1
            return at
        return _comment_end(low, at, "*/", ends)
    if low.startswith("*/", at):
        return at + 2
    if char == "#" or low.startswith("--", at):
        return _comment_end(low, at, "\n", ends)
    return at


def _comment_end(low: str, at: int, mark: str, ends: dict[int, int]) -> int:
    key = -len(mark)  # no place: here is kept where the mark stands next
    end = ends.get(key, 0)
    if end < at:
        end = low.find(mark, at)
        end = ends[key] = len(low) + 1 if end < 0 else end
    return at if end > len(low) else end + len(mark)
