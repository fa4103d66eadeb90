"""Canonical JSON, the form that every digest is taken over.

Keys sorted by code point, separators ``,`` and ``:``, text unescaped, integers as
digits, floats as the shortest decimal that reads back (``.0`` kept): what Python's
`json` writes. Close to RFC 8785 and not the same: that sorts by UTF-16 and writes
integral floats as integers.
"""

from __future__ import annotations

import hashlib

try:  # the C encoder of the json package, without the package, which costs a start
    from _json import encode_basestring, make_encoder

    _HAS_ENCODER = True
except ImportError:  # other interpreters
    _HAS_ENCODER = False

__all__ = ["canonical_bytes", "sha256_hex"]


def canonical_bytes(value: object) -> bytes:
    """Return the canonical UTF-8 bytes of a strict JSON value.

    Raises:
        ValueError: A number that is not finite, or a text with a lone surrogate.

    """
    if not _HAS_ENCODER:
        return _by_the_package(value)
    # Markers against cycles, what to do with other types, how to write a text, no indent,
    # the two separators, sorted keys, no key left out, no NaN.
    encode = make_encoder({}, _refuse, encode_basestring, None, ":", ",", True, False, False)  # noqa: FBT003 -- C
    return "".join(encode(value, 0)).encode("utf-8")


def _by_the_package(value: object) -> bytes:
    import json

    text = json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )
    return text.encode("utf-8")


def _refuse(value: object) -> object:
    raise TypeError(f"not a JSON value: {type(value).__name__}")


def sha256_hex(data: bytes) -> str:
    """Return the lower-case hexadecimal SHA-256 of bytes."""
    return hashlib.sha256(data).hexdigest()
