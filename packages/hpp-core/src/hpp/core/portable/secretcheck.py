"""The hook's question as a command: ``check --path FILE``, with the file's own text by default."""

from __future__ import annotations

import os

from hpp.core.portable import hookcheck
from hpp.core.portable.secretwrite import HOOK, judge

__all__ = ["check"]


def check(words: list[str]) -> int:
    """Answer ``check ...``: 0 nothing found, 1 a warning, 2 refused, 3 usage."""
    path, content = _value(words, "--path"), _value(words, "--content-file")
    if path is not None and content is None:
        folder = _value(words, "--project-dir") or ""
        words = [*words, "--content-file", os.path.join(folder, path)]
    return hookcheck.check(HOOK, judge, words, (hookcheck.PATH,))


def _value(words: list[str], option: str) -> str | None:
    place = words.index(option) + 1 if option in words else len(words)
    return words[place] if place < len(words) else None
