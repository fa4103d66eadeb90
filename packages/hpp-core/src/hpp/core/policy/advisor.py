"""Whether a text names the file of the decision advisor."""

from __future__ import annotations

__all__ = ["FILE", "names_advisor"]

FILE = "typed-decisions/decide.py"
_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")


def names_advisor(text: str) -> bool:
    """Say whether the path stands in a text: whole components, either separator."""
    if "decide.py" not in text:
        return False
    plain = text.replace("\\", "/")
    while "/./" in plain:
        plain = plain.replace("/./", "/")
    while "//" in plain:
        plain = plain.replace("//", "/")
    at = plain.find(FILE)
    while at >= 0:
        before = plain[at - 1 : at]
        end = at + len(FILE)
        after = plain[end : end + 1]
        if not (before and (before in _NAME or before in "-.")) and not (
            after and (after in _NAME or after == ".")
        ):
            return True
        at = plain.find(FILE, end)
    return False
