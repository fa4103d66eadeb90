"""Standard output: one result, as bytes, the same on every system.

JSON is written by a small encoder of ours: with an indent, the one of the standard
library runs in pure Python, which a long log would feel, and importing it costs a
short command more than everything else it does.
"""

from __future__ import annotations

import sys

from hpp.core.errors import MachineError

try:  # the C accelerator of the json package, without the package
    from _json import encode_basestring as _escaped
except ImportError:  # other interpreters
    from json.encoder import encode_basestring as _escaped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["pretty_json", "write_bytes", "write_json", "write_text"]


def pretty_json(value: object) -> bytes:
    """Return JSON with two-space indentation, keys sorted by code point and a final newline.

    Values are what strict JSON holds: None, bool, int, finite float, str, list or tuple,
    and dict with str keys.

    Raises:
        TypeError: A value of another type.
        ValueError: A float that is not finite.
        UnicodeEncodeError: A text with a lone surrogate.

    """
    parts: list[str] = []
    _put(value, "\n", parts)
    parts.append("\n")
    return "".join(parts).encode("utf-8")


def write_json(value: object) -> None:
    """Write one JSON document to standard output."""
    write_bytes(pretty_json(value))


def write_text(text: str) -> None:
    """Write text to standard output as UTF-8; a byte that was not UTF-8 leaves as it came."""
    write_bytes(text.encode("utf-8", "surrogateescape"))


def write_bytes(data: bytes) -> None:
    """Write the whole result to standard output and flush it.

    Raises:
        MachineError: Standard output is closed or full.

    """
    stream = sys.stdout
    if stream is None:  # closed before the start: its descriptor may be another file by now
        raise MachineError("standard output is closed")
    try:
        stream.flush()
        stream.buffer.write(data)
        stream.buffer.flush()
    except (OSError, ValueError) as error:
        _give_up_on_stdout()
        reason = getattr(error, "strerror", None) or "it is closed"
        raise MachineError(f"standard output cannot be written: {reason}") from error


def _give_up_on_stdout() -> None:
    """Point descriptor 1 at nothing, so that the interpreter's last flush cannot fail."""
    import os

    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.close(nowhere)
    except OSError:
        sys.stdout = None


_LONG = 100_000  # characters
_MOST_SHAPES = 50  # of records in one list whose keys are kept in order
_CONTROLS = bytes(byte for byte in range(0x20) if byte != ord("\n"))


def _quoted(text: str) -> str:
    """Return the JSON text of a text; a long one that is mostly plain at the speed of memory."""
    if len(text) < _LONG:
        return _escaped(text)
    data = text.encode("utf-8", "surrogatepass")
    if len(data.translate(None, _CONTROLS)) != len(data):
        return _escaped(text)
    plain = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{plain}"'


def _put(value: object, margin: str, parts: list[str]) -> None:
    if isinstance(value, str):
        parts.append(_quoted(value))
    elif value is None:
        parts.append("null")
    elif value is True or value is False:
        parts.append("true" if value else "false")
    elif isinstance(value, int):
        parts.append(int.__repr__(value))
    elif isinstance(value, float):
        if value - value != 0:  # NaN and the infinities
            raise ValueError(f"not a JSON number: {value!r}")
        parts.append(float.__repr__(value))
    elif isinstance(value, dict):
        _put_object(value, margin, parts)
    elif isinstance(value, (list, tuple)):
        _put_array(value, margin, parts)
    else:
        raise TypeError(f"not a JSON value: {type(value).__name__}")


def _put_object(value: Mapping[str, object], margin: str, parts: list[str]) -> None:
    if not value:
        parts.append("{}")
        return
    inner = margin + "  "
    _put_members(value, _layout(value, inner), inner, parts)
    parts.append(margin + "}")


def _layout(value: Mapping[str, object], inner: str) -> list[tuple[str, str]]:
    """Return the keys in order, each with what is written in front of its member."""
    opening = "{" + inner
    layout = []
    for key in sorted(value):
        layout.append((key, f"{opening}{_escaped(key)}: "))
        opening = "," + inner
    return layout


def _put_members(
    value: Mapping[str, object], layout: list[tuple[str, str]], inner: str, parts: list[str]
) -> None:
    for key, opening in layout:
        member = value[key]
        if type(member) is str:  # most members; a call for each would be most of the time
            parts.append(opening + (_escaped if len(member) < _LONG else _quoted)(member))
        elif type(member) is int:
            parts.append(f"{opening}{member!r}")
        else:
            parts.append(opening)
            _put(member, inner, parts)


def _put_array(value: list[object] | tuple[object, ...], margin: str, parts: list[str]) -> None:
    if not value:
        parts.append("[]")
        return
    inner = margin + "  "
    texts = [item for item in value if isinstance(item, str)]
    if len(texts) == len(value):  # a history: long, and few different words
        words = {text: _quoted(text) for text in set(texts)}
        parts.append("[" + inner + ("," + inner).join(map(words.__getitem__, texts)) + margin + "]")
        return
    opening = "[" + inner
    layouts: dict[tuple[str, ...], list[tuple[str, str]]] = {}  # records are of few shapes
    for item in value:
        parts.append(opening)
        if type(item) is dict and item:
            shape = tuple(item)
            layout = layouts.get(shape)
            if layout is None:
                layout = _layout(item, inner + "  ")
                if len(layouts) < _MOST_SHAPES:
                    layouts[shape] = layout
            _put_members(item, layout, inner + "  ", parts)
            parts.append(inner + "}")
        else:
            _put(item, inner, parts)
        opening = "," + inner
    parts.append(margin + "]")
