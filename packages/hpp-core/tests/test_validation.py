from __future__ import annotations

from typing import Any

import pytest

from hpp.core.errors import RefusedError
from hpp.core.validation import Checker


def told(schema: dict[str, Any], document: object) -> list[str]:
    return Checker(schema, lambda _: None).faults(document)


@pytest.mark.parametrize(
    ("schema", "document", "fault"),
    [
        ({"type": "integer"}, 1.0, "the document: expected an integer, got a number"),
        ({"type": "integer"}, True, "the document: expected an integer, got true"),
        ({"type": ["string", "null"]}, [], "the document: expected a text or null, got an array"),
        ({"const": "a b"}, "x", 'the document: expected "a b"'),
        ({"enum": ["a", 1, None]}, "x", 'the document: expected one of "a", 1, null'),
        ({"minItems": 2}, [1], "the document: expected at least 2 items"),
        ({"maxItems": 0}, [1], "the document: expected at most 0 items"),
        ({"minLength": 1}, "", "the document: expected at least 1 characters"),
        ({"maximum": 3}, 4, "the document: expected at most 3"),
        ({"exclusiveMinimum": 0}, 0, "the document: expected a number above 0"),
        ({"minProperties": 1}, {}, "the document: expected at least 1 keys"),
        ({"uniqueItems": True}, [1, 1], "the document: an item is repeated"),
        ({"pattern": "^a$", "description": "an a"}, "b", "the document: expected an a"),
        ({"required": ["a"]}, {}, "a: it is missing"),
        ({"additionalProperties": False}, {"a b": 1}, '["a b"]: there is no such key'),
        ({"additionalProperties": False, "patternProperties": {"^x": True}}, {"xa": 1, "a": 1},
         "a: there is no such key"),
        ({"properties": {"a": {"items": {"type": "null"}}}}, {"a": [None, 0]},
         "a[1]: expected null, got an integer"),
        ({"anyOf": [{"type": "null"}, {"type": "string"}]}, 1,
         "the document: expected null, got an integer"),
    ],
)  # fmt: skip
def test_a_fault_is_told_in_our_words(schema: dict[str, Any], document: object, fault: str) -> None:
    assert told(schema, document) == [fault]


@pytest.mark.parametrize("schema", [{"pattern": "^a$"}, {"not": {}}, {"format": "x", "not": True}])
def test_any_other_fault_is_told_in_the_words_of_jsonschema(schema: dict[str, Any]) -> None:
    (fault,) = told(schema, "b")

    assert fault.startswith("the document: 'b' ")


def test_of_several_forms_the_one_that_was_meant_is_told() -> None:
    forms = [
        {"required": ["a"], "properties": {"kind": {"const": "a"}}},
        {"properties": {"kind": {"const": "b"}, "n": {"type": "integer"}}},
    ]

    assert told({"oneOf": forms}, {"kind": "b", "n": "x"}) == ["n: expected an integer, got a text"]


def test_every_fault_is_told_once_in_document_order() -> None:
    schema = {
        "required": ["x", "y"],
        "properties": {"b": {"type": "null"}, "a": {"required": ["q", "p"]}},
        "additionalProperties": False,
    }

    assert told(schema, {"b": 1, "more": 2, "a": {}}) == [
        "b: expected null, got an integer",
        "more: there is no such key",
        "a.q: it is missing",
        "a.p: it is missing",
        "x: it is missing",
        "y: it is missing",
    ]


def test_a_long_value_is_not_repeated_whole() -> None:
    (fault,) = told({"pattern": "^a$"}, "b" * 10_000)

    assert len(fault) < 250


def test_a_schema_that_is_none_is_refused() -> None:
    with pytest.raises(RefusedError, match="schema urn:x: not a JSON Schema: "):
        Checker({"$id": "urn:x", "type": "text"}, lambda _: None)


def test_a_document_too_deep_for_the_schema_is_refused() -> None:
    schema = {"$id": "urn:x", "items": {"$ref": "#"}}
    document: Any = []
    for _ in range(900):
        document = [document]

    with pytest.raises(RefusedError, match="schema urn:x: the document is nested too deep"):
        told(schema, document)


def test_control_a_sound_document_has_no_fault() -> None:
    assert told({"type": "object", "required": ["a"]}, {"a": 1}) == []
