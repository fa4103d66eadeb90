"""The part of JSON Schema draft-07 that the handoff's schema uses, by the standard library.

A keyword that is not known is a fault of the schema, never passed over: schema and code
cannot drift apart in silence.
"""

from __future__ import annotations

import os
import re

from _lib.instant import parse

from hpp.core.errors import MachineError
from hpp.core.strictjson import kind_of, parse_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    Schema = dict[str, Any]
    Fault = tuple[str, str]

__all__ = ["faults", "handoff_schema", "pointer"]

_PATH = os.path.join(
    os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
    "schemas",
    "handoff-v2.0.schema.json",
)
_NOTES = frozenset({"$schema", "$id", "title", "description", "default"})
_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,), "array": (list,), "string": (str,), "boolean": (bool,),
    "integer": (int,), "number": (int, float), "null": (type(None),),
}  # fmt: skip


def handoff_schema() -> Schema:
    """Return the schema that is shipped with the module."""
    try:
        with open(_PATH, "rb") as file:
            found: Schema = parse_bytes(file.read(), os.path.basename(_PATH), root=dict)
    except OSError as error:
        raise MachineError(f"{os.path.basename(_PATH)}: {error.strerror}") from None
    return found


def faults(value: object, schema: Schema, at: str = "") -> list[Fault]:
    """Return every breach as (JSON pointer, reason), in the order of the schema."""
    kind = schema.get("type")
    if kind is not None and not _is_of(value, kind):
        named = " or ".join(kind) if type(kind) is list else kind
        return [(at or "/", f"expected {_article(named)}, got {kind_of(value)}")]
    found: list[Fault] = []
    for word, rule in schema.items():
        if word in _NOTES or word == "type":
            continue
        found.extend(_RULES[word](value, rule, at, schema))
    return found


def pointer(at: str, key: str | int) -> str:
    """Return the JSON pointer (RFC 6901) of a member."""
    return f"{at}/{str(key).replace('~', '~0').replace('/', '~1')}"


def _is_of(value: object, kind: str | list[str]) -> bool:
    if isinstance(kind, list):
        return any(_is_of(value, one) for one in kind)
    if isinstance(value, bool) and kind != "boolean":
        return False
    return isinstance(value, _TYPES[kind])


def _article(name: str) -> str:
    return f"an {name}" if name[0] in "aio" else f"a {name}"


def _required(value: object, names: list[str], at: str, _: Schema) -> Iterator[Fault]:
    if isinstance(value, dict):
        for name in names:
            if name not in value:
                yield pointer(at, name), "missing"


def _properties(value: object, known: Schema, at: str, _: Schema) -> Iterator[Fault]:
    if isinstance(value, dict):
        for name, schema in known.items():
            if name in value:
                yield from faults(value[name], schema, pointer(at, name))


def _additional(value: object, rule: object, at: str, schema: Schema) -> Iterator[Fault]:
    if rule is False and isinstance(value, dict):
        for name in sorted(value.keys() - schema.get("properties", {}).keys()):
            yield pointer(at, name), "not a field of a handoff"


def _items(value: object, schema: Schema, at: str, _: Schema) -> Iterator[Fault]:
    if isinstance(value, list):
        for number, item in enumerate(value):
            yield from faults(item, schema, pointer(at, number))


def _enum(value: object, allowed: list[object], at: str, _: Schema) -> Iterator[Fault]:
    if not any(type(value) is type(one) and value == one for one in allowed):
        yield at, f"expected one of {', '.join(map(str, allowed))}"


def _const(value: object, wanted: object, at: str, _: Schema) -> Iterator[Fault]:
    if type(value) is not type(wanted) or value != wanted:
        yield at, f"expected {wanted!r}"


def _pattern(value: object, text: str, at: str, _: Schema) -> Iterator[Fault]:
    # The end of the text and not the line feed before it, and digits of ASCII alone.
    form = text[:-1] + r"\Z" if text.endswith("$") else text
    if isinstance(value, str) and not re.search(form, value, re.ASCII):
        yield at, f"expected the form {text}"


def _min_length(value: object, least: int, at: str, _: Schema) -> Iterator[Fault]:
    if isinstance(value, str) and len(value) < least:
        yield at, "expected a text that is not empty" if least == 1 else f"shorter than {least}"


def _minimum(value: object, least: float, at: str, _: Schema) -> Iterator[Fault]:
    if isinstance(value, (int, float)) and not isinstance(value, bool) and value < least:
        yield at, f"expected at least {least}"


def _format(value: object, name: str, at: str, _: Schema) -> Iterator[Fault]:
    if name == "date-time" and isinstance(value, str) and parse(value) is None:
        yield at, "expected a date and time such as 2026-05-01T12:00:00Z"


_RULES: dict[str, Callable[[Any, Any, str, Schema], Iterator[Fault]]] = {
    "required": _required, "properties": _properties, "additionalProperties": _additional,
    "items": _items, "enum": _enum, "const": _const, "pattern": _pattern,
    "minLength": _min_length, "minimum": _minimum, "format": _format,
}  # fmt: skip
