"""The one reader of JSON: what it accepts means one thing to every program.

RFC 8259 leaves open what repeated keys, lone surrogates and huge numbers mean, and
Python adds ``NaN``. All of these are refused, with the place.

The document is read at the speed of the C scanner with hooks that only say yes or no;
when they say no, a slow reader (`jsonfault`) walks the text to find the place.
"""

from __future__ import annotations

from hpp.core.errors import RefusedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = [
    "LARGE_LIMIT",
    "LONGEST_NUMBER",
    "SMALL_LIMIT",
    "JsonRefusedError",
    "make_scanner",
    "parse_bytes",
    "parse_text",
]

SMALL_LIMIT = 64 * 1024 * 1024
LARGE_LIMIT = 256 * 1024 * 1024  # work specs, lanes, suites and event logs
LONGEST_NUMBER = 100
DEEPEST = 200

_WHITE = " \t\n\r"
_UTF16_32 = (b"\xff\xfe\x00\x00", b"\x00\x00\xfe\xff", b"\xff\xfe", b"\xfe\xff")


class JsonRefusedError(RefusedError):
    """A JSON text that is malformed or means more than one thing.

    Attributes:
        reason: What is wrong, without the document's name.

    """

    def __init__(self, where: str, reason: str) -> None:
        super().__init__(f"{where}: {reason}")
        self.reason = reason


class _RefusedByHookError(ValueError):
    """Raised inside the scanner; the place is found afterwards."""


def parse_bytes(data: bytes, where: str, *, root: type | None = None) -> Any:  # noqa: ANN401
    """Return the value of a JSON document.

    Args:
        data: The whole document, UTF-8, with or without a byte-order mark.
        where: Name of the document for messages.
        root: `dict` or `list` when the contract asks for one; None accepts any value.

    Raises:
        JsonRefusedError: The document is refused; the message names place and fault.

    """
    if data.startswith(b"\xef\xbb\xbf"):
        data = data[3:]
    elif data.startswith(_UTF16_32):
        width = "UTF-32" if data[:4] in _UTF16_32 else "UTF-16"
        raise JsonRefusedError(where, f"it is {width} text; save it as UTF-8")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        if b"\x00" in data[:4]:
            raise JsonRefusedError(where, "it looks like UTF-16 text; save it as UTF-8") from None
        raise JsonRefusedError(
            where, f"line {line}: not UTF-8 (byte 0x{data[error.start]:02x} at {error.start})"
        ) from None
    return _parse(text, where, root)


def parse_text(text: str, where: str, *, root: type | None = None) -> Any:  # noqa: ANN401
    """Return the value of a JSON text given as an argument; see `parse_bytes`."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise JsonRefusedError(where, "it is not valid UTF-8") from None
    return _parse(text, where, root)


def _parse(text: str, where: str, root: type | None) -> Any:  # noqa: ANN401
    # A surrogate's number begins with D; other escapes need no closer look.
    if ("\\ud" in text or "\\uD" in text) and _has_lone_surrogate(text):
        _explain(text, where)
    start = len(text) - len(text.lstrip(_WHITE))
    try:
        value, end = _SCAN(text, start)
    # SystemError: without `json.decoder` loaded, CPython 3.10 cannot make its own error.
    except (StopIteration, ValueError, RecursionError, SystemError):
        _explain(text, where)
        raise
    if text[end:].strip(_WHITE) or _is_too_deep(text, value):
        _explain(text, where)
    if root is not None and type(value) is not root:
        wanted = "an object" if root is dict else "an array"
        raise JsonRefusedError(where, f"expected {wanted}, got {kind_of(value)}")
    return value


def kind_of(value: object) -> str:
    """Return the JSON name of a value's type, with its article."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    names = {
        dict: "an object",
        list: "an array",
        str: "a text",
        int: "an integer",
        float: "a number",
    }
    return names.get(type(value), "a value")


def _explain(text: str, where: str) -> None:
    from hpp.core.jsonfault import find_fault

    fault = find_fault(text)
    raise JsonRefusedError(where, fault or "malformed JSON")


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise _RefusedByHookError
    return made


def _int(literal: str) -> int:
    if len(literal) > LONGEST_NUMBER:
        raise _RefusedByHookError
    return int(literal)


def _float(literal: str) -> float:
    value = float(literal)
    if len(literal) > LONGEST_NUMBER or value - value != 0:
        raise _RefusedByHookError
    return value


def _constant(literal: str) -> object:
    raise _RefusedByHookError(literal)


class _Context:
    """What the scanner asks its decoder for."""

    strict = True
    object_hook = None
    parse_float = staticmethod(_float)
    parse_int = staticmethod(_int)
    parse_constant = staticmethod(_constant)

    def __init__(self, *, pairs: bool) -> None:
        self.object_pairs_hook = _object if pairs else None
        self.memo: dict[str, str] = {}


def make_scanner(*, pairs: bool = True) -> Any:  # noqa: ANN401 -- (text, index) -> (value, end)
    """Return the C scanner with our rules for numbers and constants.

    Args:
        pairs: Refuse repeated keys. Without it they are the caller's to rule out.

    """
    context = _Context(pairs=pairs)
    try:
        from _json import make_scanner as c_scanner
    except ImportError:  # other interpreters
        from json.decoder import JSONDecoder

        return JSONDecoder(
            parse_float=_float,
            parse_int=_int,
            parse_constant=_constant,
            object_pairs_hook=context.object_pairs_hook,
        ).scan_once  # type: ignore[attr-defined]  # set by its constructor
    return c_scanner(context)  # type: ignore[arg-type]  # it only reads attributes


_SCAN = make_scanner()


def _is_too_deep(text: str, value: object) -> bool:
    """Say whether a value nests deeper than 200.

    A text with few brackets cannot; of others, what each level holds is looked at once. The
    scanner itself stops long before the stack does.
    """
    if text.count("[") + text.count("{") <= DEEPEST:
        return False
    level = [value]
    for _ in range(DEEPEST):
        level = [
            member
            for holder in level
            for member in (holder.values() if type(holder) is dict else holder)  # type: ignore[attr-defined]  # containers alone
            if type(member) is dict or type(member) is list
        ]
        if not level:
            return False
    return True


def _has_lone_surrogate(text: str) -> bool:
    r"""Say whether a ``\u`` escape stands for half a character."""
    import re

    escapes = re.sub(r"\\[^u]", "", text, flags=re.DOTALL)
    pair = r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    return re.search(r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}", re.sub(pair, "", escapes)) is not None
