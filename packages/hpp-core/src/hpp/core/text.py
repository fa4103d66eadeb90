"""Text that a terminal may show: no raw control character, no lone surrogate."""

from __future__ import annotations

__all__ = ["printable", "shorten", "utf8_path"]

_BYTES = (0xDC80, 0xDCFF)
_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
# C0 and C1 controls, DEL, the Unicode line separators, the marks that reorder text, marks
# and tags that show nothing, and lone surrogates (how Python carries bytes that are not UTF-8).
_RANGES = (
    (0x00, 0x1F),
    (0x7F, 0x9F),
    (0x061C, 0x061C),
    (0x200B, 0x200F),
    (0x2028, 0x202E),
    (0x2060, 0x206F),
    (0xD800, 0xDFFF),
    (0xFEFF, 0xFEFF),
    (0xFFF9, 0xFFFB),
    (0xE0000, 0xE007F),
)
_BASIC = 0xFFFF


def printable(text: str) -> str:
    r"""Return `text` with every control character as an escape such as ``\n`` or ``\u0007``.

    A byte that was not UTF-8 (a surrogate from U+DC80 to U+DCFF) is shown as ``\xHH``.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_shown, text))


def shorten(text: str, limit: int = 80) -> str:
    """Return `text` printable and, past `limit` characters, cut with an ellipsis."""
    return printable(text) if len(text) <= limit else printable(text[:limit]) + "..."


def utf8_path(path: str) -> str:
    r"""Return a path as a JSON document can carry it.

    A file name is bytes, or on Windows any code units; what is no text there is shown as
    `printable` shows it, and everything else stays.
    """
    if path.isascii():
        return path
    return "".join(_shown(char) if "\ud800" <= char <= "\udfff" else char for char in path)


def _shown(char: str) -> str:
    code = ord(char)
    if char in _NAMED:
        return _NAMED[char]
    if _BYTES[0] <= code <= _BYTES[1]:
        return f"\\x{code & 0xFF:02x}"
    if any(low <= code <= high for low, high in _RANGES):
        return f"\\U{code:08x}" if code > _BASIC else f"\\u{code:04x}"
    return char
