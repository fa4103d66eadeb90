"""The two values of a skill's, a command's or an agent's front matter that catalogues show."""

from __future__ import annotations

__all__ = ["body_place", "front_value"]

_FENCE = "---"


def front_value(text: str, key: str) -> str:
    """Return a plain or quoted one-line value of the front matter, or an empty text."""
    lines = text.split("\n")
    if lines[0] != _FENCE:
        return ""
    for line in lines[1:]:
        if line == _FENCE:
            break
        name, colon, value = line.partition(":")
        if colon and name == key:
            return _unquoted(value.strip())
    return ""


def _unquoted(value: str) -> str:
    if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
        return value[1:-1].replace("''", "'") if value[0] == "'" else value[1:-1]
    return value


def body_place(text: str) -> int:
    """Return where the body begins: after the front matter and its line, or at 0."""
    if not text.startswith(f"{_FENCE}\n"):
        return 0
    end = text.find(f"\n{_FENCE}\n", len(_FENCE))
    return end + len(_FENCE) + 2 if end >= 0 else 0
