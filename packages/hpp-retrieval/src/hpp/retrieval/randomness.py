"""Random numbers that are the same on every system and every Python.

The standard library promises that for one method of its generator alone. These are the
output of SHAKE128 (FIPS 202) over the seed, the purpose and the number of the draw, so
that a draw depends on none before it.
"""

from __future__ import annotations

import hashlib
import struct

__all__ = ["draw_bytes", "draw_indices"]

_WORD = 4


def draw_bytes(seed: int, purpose: str, draw: int, count: int) -> bytes:
    """Return the random bytes of a draw."""
    return hashlib.shake_128(f"{seed}:{purpose}:{draw}".encode()).digest(count)


def draw_indices(seed: int, purpose: str, draw: int, size: int) -> list[int]:
    """Return `size` indices below `size`, with repetition.

    Each is the top of a 32-bit word times the size; no index is likelier than another by
    more than one part in ``2**32 / size``.
    """
    words = struct.unpack(f"<{size}I", draw_bytes(seed, purpose, draw, _WORD * size))
    return [word * size >> 32 for word in words]
