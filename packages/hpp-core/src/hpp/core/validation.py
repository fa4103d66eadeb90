"""A document against a JSON Schema, with every fault told in the words of our other readers.

This is the one module that imports `jsonschema`, which costs fifteen interpreter starts;
it is imported only where a schema is really applied.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from jsonschema import Draft202012Validator, SchemaError
from jsonschema.validators import extend, validator_for
from referencing import Registry
from referencing.exceptions import NoSuchResource, Unresolvable
from referencing.jsonschema import DRAFT202012

from hpp.core.canonical import canonical_bytes
from hpp.core.errors import RefusedError
from hpp.core.fault import document_order
from hpp.core.jsonfault import shown_path
from hpp.core.strictjson import kind_of
from hpp.core.text import shorten

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from jsonschema import TypeChecker, ValidationError
    from referencing import Resource

    from hpp.core.fault import Path

    Fetch = Callable[[str], dict[str, Any] | None]

__all__ = ["Checker"]

_KINDS = {
    "array": "an array",
    "boolean": "true or false",
    "integer": "an integer",
    "null": "null",
    "number": "a number",
    "object": "an object",
    "string": "a text",
}
_LIMITS = {
    "exclusiveMaximum": "a number below {}",
    "exclusiveMinimum": "a number above {}",
    "maxItems": "at most {} items",
    "maxLength": "at most {} characters",
    "maxProperties": "at most {} keys",
    "maximum": "at most {}",
    "minItems": "at least {} items",
    "minLength": "at least {} characters",
    "minProperties": "at least {} keys",
    "minimum": "at least {}",
}


class Checker:
    """A schema made ready once, for any number of documents.

    Args:
        schema: The schema.
        fetch: Returns the schema with an ``$id``, or None; nothing else is fetched.

    Raises:
        RefusedError: The schema is no JSON Schema.

    """

    def __init__(self, schema: dict[str, Any], fetch: Fetch) -> None:
        self._shown = f"schema {shorten(str(schema.get('$id', 'without an $id')))}"
        base = validator_for(schema, default=Draft202012Validator)
        try:
            base.check_schema(schema)
        except SchemaError as error:
            what = shorten(error.message, 200)
            raise RefusedError(f"{self._shown}: not a JSON Schema: {what}") from None
        checker = base.TYPE_CHECKER.redefine("integer", _is_integer)
        kind = extend(base, type_checker=checker)  # type: ignore[no-untyped-call]  # as shipped
        registry = Registry(retrieve=_retriever(fetch))  # type: ignore[call-arg]  # an alias
        self._validator: Any = kind(schema, registry=registry)

    def faults(self, document: object) -> list[str]:
        """Return every fault of a document as ``path: what``, in the order of the document.

        An integer is one without fraction and exponent, as everywhere in HPP; `jsonschema`
        alone takes ``1.0`` for one.

        Raises:
            RefusedError: The schema refers to one that is not published, or the document is
                too deep to be held against it.

        """
        try:
            errors = list(self._validator.iter_errors(document))
        except Unresolvable as error:
            what = shorten(error.ref, 200)
            raise RefusedError(f"{self._shown}: nothing published is {what}") from None
        except RecursionError:
            raise RefusedError(f"{self._shown}: the document is nested too deep for it") from None
        found = [fault for error in errors for fault in _told(error)]
        lines = [
            f"{shown_path(list(path)) or 'the document'}: {what}"
            for path, what in document_order(document, found)
        ]
        return list(dict.fromkeys(lines))


def _retriever(fetch: Fetch) -> Callable[[str], Resource[Any]]:
    def retrieve(identifier: str) -> Resource[Any]:
        known = fetch(identifier)
        if known is None:
            raise NoSuchResource(identifier)
        # A schema that names its dialect would be read by the dialect's own class again.
        contents = {key: value for key, value in known.items() if key != "$schema"}
        return DRAFT202012.create_resource(contents)

    return retrieve


def _is_integer(_checker: TypeChecker, value: object) -> bool:
    return type(value) is int


def _told(error: ValidationError) -> Iterator[tuple[Path, str]]:
    """Yield what one violation says; a missing or unknown key is told at its own place."""
    if error.context:
        for inner in _meant(error.context):
            yield from _told(inner)
        return
    path = tuple(error.absolute_path)
    rule: Any = error.schema
    value: Any = error.instance
    wanted: Any = error.validator_value
    if error.validator == "required":
        for key in wanted:
            if key not in value:
                yield (*path, key), "it is missing"
    elif error.validator == "additionalProperties" and wanted is False:
        for key in value:
            if not _is_known(rule, key):
                yield (*path, key), "there is no such key"
    else:
        yield path, _what(error, rule, value, wanted)


def _meant(context: Sequence[ValidationError]) -> list[ValidationError]:
    """Return the violations of the one of several forms that the value comes nearest to."""
    forms: dict[object, list[ValidationError]] = {}
    for error in context:
        forms.setdefault(error.schema_path[0], []).append(error)
    return min(forms.values(), key=len)


def _is_known(rule: dict[str, Any], key: str) -> bool:
    patterns = rule.get("patternProperties", {})
    return key in rule.get("properties", {}) or any(re.search(p, key) for p in patterns)


def _what(error: ValidationError, rule: Any, value: Any, wanted: Any) -> str:  # noqa: ANN401 -- JSON
    keyword = str(error.validator)
    if keyword == "type":
        kinds = [wanted] if isinstance(wanted, str) else wanted
        expected = " or ".join(_KINDS.get(kind, kind) for kind in kinds)
        return f"expected {expected}, got {kind_of(value)}"
    if keyword in ("const", "enum"):
        choices = ", ".join(map(_json, [wanted] if keyword == "const" else wanted))
        return f"expected {'' if keyword == 'const' else 'one of '}{choices}"
    if keyword in _LIMITS:
        return f"expected {_LIMITS[keyword].format(wanted)}"
    if keyword == "uniqueItems":
        return "an item is repeated"
    if keyword == "pattern" and isinstance(rule.get("description"), str):
        return f"expected {shorten(rule['description'], 200)}"
    return shorten(error.message, 200)


def _json(value: object) -> str:
    return shorten(canonical_bytes(value).decode(), 120)
