"""The ``.gitignore`` of a project's ``.claude`` folder: state is neither added nor shown."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["ignore"]

_LARGEST = 1024 * 1024


def ignore(root: str, patterns: Sequence[str]) -> None:
    """Add lines to ``.claude/.gitignore``; what stands there stays.

    Args:
        root: The project's folder; its ``.claude`` exists.
        patterns: Lines, relative to ``.claude``.

    Raises:
        HppError: It is reached through a link, or cannot be read or written.

    """
    from hpp.core.errors import RefusedError
    from hpp.core.portable.fsread import contain
    from hpp.core.portable.fswrite import atomic_write

    path = contain(".claude/.gitignore", root)
    data = b""
    if os.path.exists(path):
        with open(path, "rb") as file:
            data = file.read(_LARGEST + 1)
        if len(data) > _LARGEST:
            raise RefusedError(".claude/.gitignore: larger than 1 MiB")
    known = {line.strip() for line in data.decode("utf-8", "replace").splitlines()}
    missing = [pattern for pattern in patterns if pattern not in known]
    if missing:
        if data and not data.endswith(b"\n"):
            data += b"\n"
        atomic_write(path, data + "".join(f"{pattern}\n" for pattern in missing).encode())
