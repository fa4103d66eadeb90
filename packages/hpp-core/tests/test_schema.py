from __future__ import annotations

import pytest
from jsonschema import Draft202012Validator

from hpp.core.errors import RefusedError
from hpp.core.schema import faults, find_schema, installed_schemas


def test_every_schema_is_sound_and_described() -> None:
    schemas = installed_schemas()

    assert {"manifest", "event"} <= {schema.name for schema in schemas}
    for schema in schemas:
        document = schema.document()
        Draft202012Validator.check_schema(document)
        assert document["$id"] == f"urn:hpp:{schema.name}:v1"
        assert document["title"]
        assert document["description"].endswith(".")
        assert schema.published().endswith(b"}\n")


def test_an_unknown_name_suggests_a_near_one() -> None:
    with pytest.raises(RefusedError, match="did you mean manifest"):
        find_schema("manifst")


def test_faults_are_told_by_place() -> None:
    schema = find_schema("event").document()

    found = faults(schema, {"seq": 0, "id": "x", "type": "", "data": []})

    assert [fault.partition(":")[0] for fault in found] == ["data", "id", "seq", "type"]


def test_control_a_sound_event_has_none() -> None:
    event = {"seq": 1, "id": "event:1", "type": "t", "data": {}}

    assert faults(find_schema("event").document(), event) == []
