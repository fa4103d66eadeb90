"""Relative paths that mean the same file on every system, and paths that would collide.

What is refused is what some system reads as something else: another folder, a device, a
stream of a file, a name without the dot or blank at its end.
"""

from __future__ import annotations

from hpp.core.text import shorten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["LONGEST", "collisions", "path_fault"]

LONGEST = 180
_NUMBERED = tuple(f"{name}{number}" for name in ("com", "lpt") for number in range(1, 10))
_DEVICES = frozenset(("con", "prn", "aux", "nul", "conin$", "conout$", *_NUMBERED))
_RESERVED = frozenset('\\:<>"|?*')  # on Windows, in every name


def path_fault(path: str) -> str:
    """Return why a path cannot be that of a module's file, or an empty text."""
    if not path.isascii() or not path.isprintable():
        return "it holds a character that is no printable ASCII"
    if len(path) > LONGEST:
        return f"it has {len(path)} characters; at most {LONGEST} are portable"
    if path.startswith("/"):
        return "it is absolute"
    if path[1:2] == ":":
        return "it begins with a drive"
    reserved = next((char for char in path if char in _RESERVED), "")
    if reserved:
        return f"it holds {reserved}"
    return next(filter(None, map(_component_fault, path.split("/"))), "")


def _component_fault(name: str) -> str:
    if name in ("", ".", ".."):
        return f'it has the component "{name}"' if name else "it has an empty component"
    if name[-1] in ". ":
        return f'"{shorten(name)}" ends in a dot or a blank'
    if name.split(".", 1)[0].rstrip(" ").lower() in _DEVICES:
        return f'"{shorten(name)}" is a device on Windows'
    return ""


def collisions(paths: Iterable[str]) -> list[tuple[str, str]]:
    """Return pairs of paths that are one on a system that ignores case, sorted.

    Folders count too: two spellings of one, and a file with the name of a folder.
    """
    spelled: dict[str, tuple[str, bool]] = {}  # folded: its spelling, and whether it is a file
    found: set[tuple[str, str]] = set()
    for path in sorted(set(paths)):
        parts = path.split("/")
        for count in range(1, len(parts) + 1):
            here = "/".join(parts[:count])
            is_file = count == len(parts)
            before, was_file = spelled.setdefault(here.casefold(), (here, is_file))
            if before != here or was_file != is_file:
                found.add((before, here))
    return sorted(found)
