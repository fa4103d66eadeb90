"""The bytes of a file as evidence tells them: how many, and their SHA-256.

A file is opened without blocking, so that a pipe put in its place cannot hold anybody up,
and read in blocks, so that its size does not matter.
"""

from __future__ import annotations

import hashlib
import os

__all__ = ["OPEN_FLAGS", "hash_handle"]

OPEN_FLAGS = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
_BLOCK = 1024 * 1024


def hash_handle(handle: int) -> tuple[int, str]:
    """Return size and SHA-256 of what an open file holds from where it stands.

    Raises:
        OSError: It cannot be read.

    """
    hasher, size = hashlib.sha256(), 0
    while block := os.read(handle, _BLOCK):
        hasher.update(block)
        size += len(block)
    return size, hasher.hexdigest()
