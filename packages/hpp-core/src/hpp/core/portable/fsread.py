"""Read what a project holds, and keep paths that it names inside it; nothing is written."""

from __future__ import annotations

import os
import stat

from hpp.core.errors import RefusedError
from hpp.core.strictjson import JsonRefusedError, parse_bytes
from hpp.core.text import shorten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = ["contain", "inside", "is_reparse", "read_bounded", "read_jsonl", "relative_fault"]

_REPARSE_POINT = 0x400  # FILE_ATTRIBUTE_REPARSE_POINT: links, junctions, mounted folders


def contain(path: str, root: str, *, lstat: Callable[[str], os.stat_result] = os.lstat) -> str:
    """Return the absolute place of a relative path below a folder.

    The end of the path need not exist.

    Args:
        path: From a configuration or an input.
        root: The folder it must stay in; it may itself be reached through links.
        lstat: How an entry is looked at.

    Raises:
        RefusedError: It is absolute, climbs, or passes through a link.

    """
    fault = relative_fault(path)
    if fault:
        raise RefusedError(f"{shorten(path)}: {fault}")
    base = os.path.realpath(root)
    place = base
    for name in _names(path):
        place = os.path.join(place, name)
        try:
            found = lstat(place)
        except FileNotFoundError:
            break
        except (OSError, ValueError) as error:
            raise RefusedError(f"{shorten(path)}: cannot be looked at: {error}") from None
        if stat.S_ISLNK(found.st_mode) or is_reparse(found):
            raise RefusedError(f"{shorten(path)}: passes through a link")
    return os.path.join(base, *_names(path))


def inside(path: str, root: str) -> str | None:
    """Return where a path lies below a folder, with ``/``; None when it is elsewhere.

    Links are followed on both sides; a relative path begins in the folder. The folder itself
    is ``.``.
    """
    base = os.path.realpath(root)
    try:
        place = os.path.realpath(os.path.join(base, path))
        way = os.path.relpath(place, base)
    except ValueError:  # another drive, or a NUL
        return None
    shown = way.replace(os.sep, "/")
    return None if shown == ".." or shown.startswith("../") else shown


def relative_fault(path: str) -> str | None:
    """Return why a text is no relative path that stays below where it begins, or None.

    What is absolute on any system is refused on every one, so that a configuration means
    the same thing everywhere.
    """
    if not path or "\0" in path:
        return "expected a path"
    if path[0] in "/\\" or path[1:2] == ":":
        return "expected a path relative to the project"
    if path[0] == "~":
        return "expected a path without '~'"
    if ".." in path.replace("\\", "/").split("/"):
        return "a path may not climb with '..'"
    if os.name == "nt" and ":" in path:
        return "a path may hold no ':'"
    return None


def is_reparse(found: os.stat_result) -> bool:
    """Say whether Windows goes elsewhere for an entry."""
    return bool(getattr(found, "st_file_attributes", 0) & _REPARSE_POINT)


def read_bounded(path: str, most: int, name: str, larger: str) -> bytes:
    """Return the bytes of a file that a person named.

    Args:
        path: The file.
        most: Bytes that it may have.
        name: How messages call it.
        larger: What is said of a file that has more.

    Raises:
        RefusedError: It is absent, cannot be read, or has more.

    """
    try:
        with open(path, "rb") as file:
            data = file.read(most + 1)
    except (OSError, ValueError) as error:
        said = error.strerror if isinstance(error, OSError) else error
        raise RefusedError(f"{name}: cannot be read: {said}") from None
    if len(data) > most:
        raise RefusedError(f"{name}: {larger}")
    return data


def read_jsonl(path: str, max_bytes: int | None = None) -> tuple[list[dict[str, Any]], int]:
    """Return the objects of a file of JSON lines, and how many lines were none.

    Args:
        path: The file; one that does not exist has no records.
        max_bytes: Read only that much of the end, and drop the line that it cuts.

    Raises:
        OSError: It exists and cannot be read: that is not the same as empty.

    """
    try:
        with open(path, "rb") as file:
            size = file.seek(0, os.SEEK_END)
            start = 0 if max_bytes is None else max(0, size - max_bytes)
            # One byte more tells whether the first line is whole.
            file.seek(max(0, start - 1))
            data = file.read()
    except FileNotFoundError:
        return [], 0
    if start:
        data = data.partition(b"\n")[2]
    records: list[dict[str, Any]] = []
    bad = 0
    for line in data.split(b"\n"):
        if not line.strip():
            continue
        try:
            records.append(parse_bytes(line, "line", root=dict))
        except JsonRefusedError:
            bad += 1
    return records, bad


def _names(path: str) -> list[str]:
    parts = path.replace("\\", "/").split("/") if os.name == "nt" else path.split("/")
    return [name for name in parts if name not in ("", ".")]
