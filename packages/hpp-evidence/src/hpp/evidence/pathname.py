r"""File names in records: as text when they are UTF-8, escaped when they are not.

A path with a byte that is not UTF-8 is stored with each such byte as ``\xHH`` and each
backslash doubled, and what holds it carries ``"path_encoding": "escaped"``.
"""

from __future__ import annotations

import os
import re

__all__ = ["ESCAPED", "climbs", "has_drive", "has_drive_here", "stored", "unstored"]

ESCAPED = "escaped"
_ESCAPE = re.compile(r"\\(?:\\|x([0-9a-f]{2}))")


def stored(path: str) -> tuple[str, bool]:
    """Return a path as a record holds it, and whether it had to be escaped.

    Args:
        path: With ``/``, as `os.fsdecode` gives it.

    """
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return "".join(map(_escaped, path)), True
    return path, False


def unstored(path: str, *, escaped: bool) -> str:
    """Return the path for the file system.

    Raises:
        ValueError: An escape that `stored` never writes.

    """
    if not escaped:
        return path
    at, parts = 0, []
    for found in _ESCAPE.finditer(path):
        parts.append(path[at : found.start()])
        parts.append("\\" if found[1] is None else chr(0xDC00 + int(found[1], 16)))
        at = found.end()
    parts.append(path[at:])
    if "\\" in "".join(parts[::2]) or any(ord(part) == 0xDC00 for part in parts[1::2]):  # noqa: PLR2004 -- NUL
        raise ValueError(f"not an escaped path: {path!r}")
    return "".join(parts)


def climbs(path: str) -> bool:
    """Say whether a path, with either slash, is absolute or has a ``..`` component."""
    parts = path.replace("\\", "/").split("/")
    return parts[0] == "" or ".." in parts


def has_drive(path: str) -> bool:
    """Say whether a path begins with a drive letter, as some system reads it."""
    return re.match(r"[A-Za-z]:", path) is not None


def has_drive_here(path: str, system: str = os.name) -> bool:
    """Say whether a recorded path names a drive: on POSIX, ``c:x`` is an ordinary file."""
    return re.match(r"[A-Za-z]:" if system == "nt" else r"[A-Za-z]:(?:[\\/]|$)", path) is not None


def _escaped(char: str) -> str:
    if "\udc80" <= char <= "\udcff":
        return f"\\x{ord(char) & 0xFF:02x}"
    return "\\\\" if char == "\\" else char
