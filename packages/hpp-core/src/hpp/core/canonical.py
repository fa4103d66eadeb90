"""Canonical JSON, the form that every digest is taken over.

Keys sorted by code point, separators ``,`` and ``:``, text unescaped, integers as
digits, floats as the shortest decimal that reads back (``.0`` kept): what Python's
`json` writes. Close to RFC 8785 and not the same: that sorts by UTF-16 and writes
integral floats as integers.
"""

from __future__ import annotations

import hashlib
import json

__all__ = ["canonical_bytes", "sha256_hex"]


def canonical_bytes(value: object) -> bytes:
    """Return the canonical UTF-8 bytes of a strict JSON value.

    Raises:
        ValueError: A number that is not finite, or a text with a lone surrogate.

    """
    text = json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )
    return text.encode("utf-8")


def sha256_hex(data: bytes) -> str:
    """Return the lower-case hexadecimal SHA-256 of bytes."""
    return hashlib.sha256(data).hexdigest()
