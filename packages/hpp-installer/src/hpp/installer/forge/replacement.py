"""Replacements in the staged copy of a module, each counted to the hit."""

from __future__ import annotations

import re

from hpp.installer.forge.pattern import matches
from hpp.installer.forge.textform import is_binary
from hpp.installer.formats.problem import block

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hpp.installer.forge.buildmanifest import Replacement
    from hpp.installer.formats.problem import Problem

__all__ = ["replace_all"]


def replace_all(files: dict[str, bytes], replacements: Sequence[Replacement]) -> Iterator[Problem]:
    """Replace in `files` and yield each replacement whose hits are not those that it expects."""
    for number, wanted in enumerate(replacements):
        expression, text = _compiled(wanted)
        count = 0
        for path in sorted(files):
            if is_binary(path, files[path]) or not _concerns(wanted, path):
                continue
            changed, hits = expression.subn(text, files[path].decode("utf-8"))
            files[path] = changed.encode("utf-8")
            count += hits
        if count != wanted.expect:
            yield block(
                "replace-count",
                f"module.build.json: replace[{number}]",
                f"{count} hits",
                expected=f"exactly {wanted.expect}",
                next_step="look at what the files hold now and correct find or expect",
            )


def _concerns(wanted: Replacement, path: str) -> bool:
    return any(matches(glob, path) for glob in wanted.files)


def _compiled(wanted: Replacement) -> tuple[re.Pattern[str], str]:
    """Return the expression, and the text with what `re` would read in it escaped."""
    if wanted.mode == "regex":
        return re.compile(wanted.find), wanted.replace
    literal = wanted.replace.replace("\\", r"\\")
    escaped = re.escape(wanted.find)
    if wanted.mode == "word":
        escaped = rf"(?<!\w){escaped}(?!\w)"
    return re.compile(escaped), literal
