"""The files that a command's redirections write to."""

from __future__ import annotations

__all__ = ["written_files"]

_ENDS = frozenset(" \t\n;&|<>()")
_DEVICES = ("/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty")


def written_files(piece: str) -> list[str]:
    """Return the names behind ``>``, ``>>``, ``>|`` and ``&>`` of one command, without quotes.

    Args:
        piece: The command as it was written; here-documents are no part of it.

    """
    found: list[str] = []
    at, quote = 0, ""
    while at < len(piece):
        char = piece[at]
        if quote:
            quote = "" if char == quote else quote
            at += 2 if char == "\\" and quote == '"' else 1
        elif char in "'\"":
            quote = char
            at += 1
        elif char == "\\":
            at += 2
        elif char == ">":
            name, at = _word(piece, _skip(piece, at + 1))
            if name and not name.startswith(_DEVICES):
                found.append(name)
        else:
            at += 1
    return found


def _skip(piece: str, at: int) -> int:
    """Pass the rest of the operator and blanks; ``>&2`` and ``>(`` name no file."""
    if piece[at : at + 1] in (">", "|"):
        at += 1
    elif piece[at : at + 1] == "&":
        at += 1
        if piece[at : at + 1].isdigit() or piece[at : at + 1] == "-":
            return len(piece)
    while piece[at : at + 1] in (" ", "\t") and at < len(piece):
        at += 1
    return at


def _word(piece: str, at: int) -> tuple[str, int]:
    made: list[str] = []
    while at < len(piece) and piece[at] not in _ENDS:
        char = piece[at]
        if char in "'\"":
            end = piece.find(char, at + 1)
            end = end if end >= 0 else len(piece)
            made.append(piece[at + 1 : end])
            at = end + 1
        elif char == "\\":
            made.append(piece[at + 1 : at + 2])
            at += 2
        else:
            made.append(char)
            at += 1
    return "".join(made), at
