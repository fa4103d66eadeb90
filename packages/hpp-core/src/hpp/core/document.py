"""Files that a person names: found, readable, of a sane size, and strict JSON."""

from __future__ import annotations

import os
import sys

from hpp.core.errors import RefusedError, UsageError
from hpp.core.strictjson import SMALL_LIMIT, parse_bytes
from hpp.core.text import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

__all__ = ["check_stdin", "read_document", "read_input", "read_state"]

_REGULAR = 0o100000
_KIND = 0o170000


def read_document(path: str, *, root: type | None = None, limit: int = SMALL_LIMIT) -> Any:  # noqa: ANN401
    """Return the JSON value of a file, or of standard input for ``-``.

    Raises:
        RefusedError: The file cannot be read or is not strict JSON of that root type.

    """
    data = read_input(path, limit=limit)
    return parse_bytes(data, shown_name(path), root=root)


def check_stdin(paths: Iterable[str | None]) -> None:
    """Check the inputs of one call, of which one at most may be standard input.

    Raises:
        UsageError: Several are.

    """
    if list(paths).count("-") > 1:
        raise UsageError("standard input (-) can be read only once")


def shown_name(path: str) -> str:
    """Return how messages name an input."""
    return "standard input" if path == "-" else printable(path)


def read_input(path: str, *, limit: int = SMALL_LIMIT) -> bytes:
    """Return the bytes of anything readable that is not a folder; ``-`` is standard input.

    Raises:
        RefusedError: Absent, a folder, unreadable, or larger than `limit` bytes.

    """
    if not path:
        raise RefusedError("an empty file name is not a file")
    if path == "-":
        if sys.stdin is None:
            raise RefusedError("standard input: it is closed")
        return _bounded(sys.stdin.fileno(), "standard input", limit)
    handle = _open(path, 0)
    try:
        return _bounded(handle, shown_name(path), limit)
    finally:
        os.close(handle)


def read_state(path: str, *, limit: int, no_links: bool = False) -> bytes | None:
    """Return the bytes of a regular file of the workspace, or None when there is none.

    Opened without blocking and judged on the open handle, so that a pipe or a device put
    in its place cannot hold the command up.

    Args:
        path: The file.
        limit: Most bytes that are read.
        no_links: Refuse a symbolic link in the last place as well.

    Raises:
        RefusedError: It exists and is no regular file, or it cannot be read.

    """
    extra = getattr(os, "O_NONBLOCK", 0) | (getattr(os, "O_NOFOLLOW", 0) if no_links else 0)
    try:
        handle = _open(path, extra)
    except _AbsentError:
        return None
    try:
        if os.fstat(handle).st_mode & _KIND != _REGULAR:
            raise RefusedError(f"{printable(path)}: it is not a regular file")
        return _bounded(handle, printable(path), limit)
    finally:
        os.close(handle)


class _AbsentError(RefusedError):
    """There is no such file."""


def _open(path: str, extra: int) -> int:
    flags = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0) | extra
    try:
        return os.open(path, flags)
    except FileNotFoundError:
        raise _AbsentError(f"{printable(path)}: there is no such file") from None
    except ValueError:
        raise RefusedError(f"{printable(path)}: not a file name") from None
    except OSError as error:
        if os.path.isdir(path):  # Windows refuses to open a folder, with another reason
            raise RefusedError(f"{printable(path)}: it is a folder") from None
        raise RefusedError(f"{printable(path)}: cannot be read: {error.strerror}") from None


def _bounded(handle: int, name: str, limit: int) -> bytes:
    try:
        size = os.fstat(handle).st_size
        if size > limit:
            raise RefusedError(f"{name}: larger than {limit // (1024 * 1024)} MiB")
        blocks: list[bytes] = []
        left = limit + 1
        while left > 0:
            block = os.read(handle, min(left, max(size + 1, 65536)))
            if not block:
                break
            blocks.append(block)
            left -= len(block)
    except IsADirectoryError:
        raise RefusedError(f"{name}: it is a folder") from None
    except OSError as error:
        raise RefusedError(f"{name}: cannot be read: {error.strerror}") from None
    if left <= 0:
        raise RefusedError(f"{name}: larger than {limit // (1024 * 1024)} MiB")
    return blocks[0] if len(blocks) == 1 else b"".join(blocks)
