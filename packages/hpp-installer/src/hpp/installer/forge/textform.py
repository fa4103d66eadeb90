"""One form of every text: UTF-8, line feeds, no byte-order mark."""

from __future__ import annotations

__all__ = ["is_binary", "normal_text"]

_SNIFFED = 8000
_BINARY_ENDINGS = (
    ".png", ".jpg", ".jpeg", ".gif", ".ico", ".webp", ".pdf", ".zip", ".gz", ".woff", ".woff2",
    ".ttf", ".otf",
)  # fmt: skip


def is_binary(path: str, data: bytes) -> bool:
    """Say whether a file is no text: by the ending of its name, or a NUL near its beginning."""
    return path.lower().endswith(_BINARY_ENDINGS) or b"\0" in data[:_SNIFFED]


def normal_text(data: bytes) -> tuple[bytes, str]:
    """Return a text with every line ended by a line feed, or what is wrong with it."""
    if data.startswith(b"\xef\xbb\xbf"):
        return data, "it begins with a byte-order mark"
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        return data, f"byte {error.start} is not UTF-8"
    plain = data.replace(b"\r\n", b"\n")
    if b"\r" in plain:
        line = plain[: plain.index(b"\r")].count(b"\n") + 1
        return data, f"line {line} holds a carriage return without a line feed"
    return plain, ""
