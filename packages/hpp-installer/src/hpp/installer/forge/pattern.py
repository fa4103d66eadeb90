"""Globs over the paths of a module: ``*`` stays in a folder, ``**`` crosses folders."""

from __future__ import annotations

import re
from functools import lru_cache

__all__ = ["matches"]


def matches(glob: str, path: str) -> bool:
    """Say whether a glob matches a whole path, letter case included.

    ``**`` stands for any number of folders, none included; ``a/**`` for everything below
    `a`; ``*`` for any text and ``?`` for one character of one component.
    """
    return _expression(glob).fullmatch(path) is not None


@lru_cache(maxsize=512)
def _expression(glob: str) -> re.Pattern[str]:
    pieces: list[str] = []
    parts = glob.split("/")
    for number, part in enumerate(parts):
        is_last = number == len(parts) - 1
        if part == "**":
            pieces.append(".+" if is_last else "(?:[^/]+/)*")
        else:
            pieces += [_component(part), "" if is_last else "/"]
    return re.compile("".join(pieces), re.DOTALL)


def _component(part: str) -> str:
    wild = {"*": "[^/]*", "?": "[^/]"}
    return "".join(wild.get(char) or re.escape(char) for char in part)
