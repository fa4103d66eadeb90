"""Names and versions of modules."""

from __future__ import annotations

import re

__all__ = ["is_module_id", "is_version", "split_folder", "version_key"]

LONGEST_ID = 40
_ID = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_NUMBER = r"(?:0|[1-9][0-9]{0,8})"
_IDENTIFIER = r"(?:0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)"
_VERSION = re.compile(
    rf"({_NUMBER})\.({_NUMBER})\.({_NUMBER})(?:-({_IDENTIFIER}(?:\.{_IDENTIFIER})*))?"
)


def is_module_id(text: str) -> bool:
    """Say whether a text can name a module: lower-case words joined by hyphens, 40 characters."""
    return len(text) <= LONGEST_ID and _ID.fullmatch(text) is not None


def is_version(text: str) -> bool:
    """Say whether a text is a version by Semantic Versioning 2.0.0, without build metadata."""
    return text.isascii() and _VERSION.fullmatch(text) is not None


def version_key(version: str) -> tuple[object, ...]:
    """Return what orders versions as Semantic Versioning 2.0.0, section 11, does.

    Raises:
        ValueError: It is no version.

    """
    matched = _VERSION.fullmatch(version)
    if matched is None:
        raise ValueError(f"not a version: {version}")
    numbers = tuple(int(part) for part in matched.groups()[:3])
    if matched[4] is None:
        return (*numbers, 1)
    pieces = tuple(
        (0, int(piece), "") if piece.isdigit() else (1, 0, piece) for piece in matched[4].split(".")
    )
    return (*numbers, 0, pieces)


def split_folder(name: str) -> tuple[str, str] | None:
    """Return module and version that the name of an emitted folder states, or None."""
    for place, char in enumerate(name):
        if char == "-" and is_version(name[place + 1 :]):
            identity = name[:place]
            return (identity, name[place + 1 :]) if is_module_id(identity) else None
    return None
