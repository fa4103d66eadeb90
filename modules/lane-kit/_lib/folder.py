"""Make the lanes' folder, apart from finding it, so that a guard cannot write."""

from __future__ import annotations

import os

from hpp.core.errors import RefusedError
from hpp.core.portable.fswrite import atomic_write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _lib.paths import Place

__all__ = ["IGNORED", "make_folder"]

IGNORED = (
    "board.jsonl*",
    "registry.json*",
    "effects.jsonl*",
    "mailbox/",
    "rescue/",
    "sessions/",
    "waves/",
    "briefs/",
    "*.lock",
    ".*.tmp",
)


def make_folder(place: Place) -> None:
    """Make the folder, and tell git to leave alone what is not the operator's."""
    try:
        os.makedirs(place.folder, mode=0o700, exist_ok=True)
    except OSError as error:
        raise RefusedError(f".claude/lanes: cannot be made: {error.strerror}") from None
    ignore = place.path(".gitignore")
    try:
        with open(ignore, encoding="utf-8", errors="surrogateescape") as file:
            before = file.read()
    except FileNotFoundError:
        before = ""
    except OSError as error:
        raise RefusedError(f".gitignore: cannot be read: {error.strerror}") from None
    there = before.splitlines()
    missing = [name for name in IGNORED if name not in there]
    if missing:
        joint = "" if not before or before.endswith("\n") else "\n"
        text = before + joint + "".join(f"{name}\n" for name in missing)
        atomic_write(ignore, text.encode("utf-8", "surrogateescape"))
