r"""File names in records: as text when they are UTF-8, escaped when they are not.

A path with a byte that is not UTF-8 is stored with each such byte as ``\xHH`` and each
backslash doubled, and what holds it carries ``"path_encoding": "escaped"``.
"""

from __future__ import annotations

import os

__all__ = ["ESCAPED", "climbs", "has_drive", "has_drive_here", "stored", "unstored"]

ESCAPED = "escaped"
_ESCAPE = r"\\(?:\\|x([0-9a-f]{2}))"


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
    import re  # seldom needed, and every run passes through this module

    at, parts = 0, []
    for found in re.finditer(_ESCAPE, path):
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
    return path[1:2] == ":" and path[0].isascii() and path[0].isalpha()


def has_drive_here(path: str, system: str = os.name) -> bool:
    """Say whether a recorded path names a drive: on POSIX, ``c:x`` is an ordinary file."""
    return has_drive(path) and (system == "nt" or path[2:3] in ("", "/", "\\"))


def _escaped(char: str) -> str:
    if "\udc80" <= char <= "\udcff":
        return f"\\x{ord(char) & 0xFF:02x}"
    return "\\\\" if char == "\\" else char
