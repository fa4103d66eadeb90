"""Where in a target a file may go: never through a link, never where a host looks by itself."""

from __future__ import annotations

import os
import stat

from hpp.core.folder import is_link
from hpp.installer.formats.relativepath import path_fault

__all__ = ["destination_fault", "links_above", "name_fault", "place_fault"]

_HOSTS_OWN = frozenset((".hpp", ".codex"))
_GITS_OWN = frozenset((".git", "git~1"))  # and its short name on Windows
_INSTRUCTIONS = frozenset(("hooks.json", "agents.md", "claude.md"))


def name_fault(path: str, runtime: str = "") -> str:
    """Return why nothing may be put under a name of a target, or an empty text.

    Args:
        path: Relative to the target.
        runtime: The module's own folder there, which holds its files as they are.

    """
    if fault := path_fault(path):
        return fault
    parts = path.lower().split("/")
    if _GITS_OWN.intersection(parts) or parts[0] in _HOSTS_OWN:
        return "it is git's or a host's own"
    if runtime and path.startswith(f"{runtime}/"):
        return ""
    name = parts[-1]
    if name in _INSTRUCTIONS or (name.startswith("settings") and name.endswith(".json")):
        return "a host reads it, so a person writes it"
    return ""


def destination_fault(target: str, path: str, runtime: str = "") -> str:
    """Return why a file may not be put there as the target is now, or an empty text."""
    return name_fault(path, runtime) or place_fault(target, path)


def place_fault(target: str, path: str, *, folder: bool = False) -> str:
    """Return what lies in the way of a file, or with `folder` of a folder, or an empty text.

    Every folder on the way that is there has to be one, and no link; so has the last part
    to be of its kind if it is there.
    """
    place = target
    parts = path.split("/")
    for number, part in enumerate(parts, 1):
        place = os.path.join(place, part)
        try:
            mode = os.lstat(place).st_mode
        except FileNotFoundError:
            break
        except OSError as error:
            return f"it cannot be looked at: {error.strerror}"
        shown = "/".join(parts[:number])
        if is_link(place):
            return f"{shown} is a link"
        is_last = number == len(parts)
        if (not is_last or folder) and not stat.S_ISDIR(mode):
            return f"{shown} is no folder"
        if is_last and not folder and not stat.S_ISREG(mode):
            return "something else than a regular file has its name"
    return ""


def links_above(target: str, cwd: str) -> str:
    """Return the first part of a target's path, as it was typed, that is a link, or an empty text.

    The links of macOS itself (``/tmp``, ``/var``, ``/etc`` into ``/private``) are no fault.

    Args:
        target: The path as typed.
        cwd: What a relative one begins in.

    """
    place = os.path.abspath(os.path.join(cwd, target))
    while True:
        if is_link(place) and not _is_systems_own(place):
            return place
        parent = os.path.dirname(place)
        if parent in (place, cwd):
            return ""
        place = parent


def _is_systems_own(place: str) -> bool:
    folder, name = os.path.split(place)
    if os.path.dirname(folder) != folder:
        return False
    try:
        return os.readlink(place).lstrip("/") == f"private/{name}"
    except OSError:
        return False
