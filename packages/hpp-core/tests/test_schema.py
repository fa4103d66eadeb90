from __future__ import annotations

import importlib.metadata
from typing import TYPE_CHECKING, Any

import pytest
from jsonschema import Draft202012Validator

from hpp.core.errors import RefusedError
from hpp.core.schema import GROUP, check_document, checker, faults, find_schema, installed_schemas

if TYPE_CHECKING:
    from pathlib import Path

Offer = tuple[str, str]


class Point:
    """An entry point of a distribution that a test makes up."""

    def __init__(self, distribution: str | None, value: str) -> None:
        self.value = value
        self.dist = None if distribution is None else Distribution(distribution)


class Distribution:
    def __init__(self, name: str) -> None:
        self.name = name


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder whose packages can be imported and registered."""
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


@pytest.fixture
def register(monkeypatch: pytest.MonkeyPatch) -> Any:  # noqa: ANN401 -- a function of any number
    def registered(*offers: tuple[str | None, str]) -> None:
        points = [Point(*offer) for offer in offers]
        monkeypatch.setattr(
            importlib.metadata, "entry_points", lambda group: points if group == GROUP else []
        )

    return registered


def publish(packages: Path, package: str, **files: str) -> None:
    folder = packages / package / "schemas"
    folder.mkdir(parents=True)
    (packages / package / "__init__.py").write_text("", encoding="utf-8")
    for name, text in files.items():
        (folder / f"{name}.json").write_text(text, encoding="utf-8")


def test_every_schema_of_ours_is_sound_and_described() -> None:
    schemas = installed_schemas()

    assert {"manifest", "event"} <= {schema.name for schema in schemas}
    assert [schema.name for schema in schemas] == sorted(schema.name for schema in schemas)
    for schema in schemas:
        document = schema.document()
        Draft202012Validator.check_schema(document)
        assert document["$schema"] == "https://json-schema.org/draft/2020-12/schema"
        assert document["$id"] == schema.text("$id") == f"urn:hpp:{schema.name}:v1"
        assert document["title"]
        assert document["description"].endswith(".")
        assert schema.published().endswith(b"}\n")


def test_an_unknown_name_is_refused_with_a_near_one() -> None:
    with pytest.raises(RefusedError, match=r"unknown schema manifst \(did you mean manifest\?\)"):
        find_schema("manifst")
    with pytest.raises(RefusedError, match="unknown schema zzzzzz; `hpp schema list` names all"):
        find_schema("zzzzzz")
    with pytest.raises(RefusedError, match=r"unknown schema \.\./a\\n"):
        find_schema("../a\n")


def test_a_third_party_publishes_beside_us(packages: Path, register: Any) -> None:  # noqa: ANN401
    publish(packages, "other_family", order='{"$id": "urn:other:order", "title": "Order"}')
    register(("hpp-core", "hpp.core"), ("other-family", "other_family"))

    schema = find_schema("order")

    assert (schema.distribution, schema.text("$id")) == ("other-family", "urn:other:order")
    assert schema.published() == b'{"$id": "urn:other:order", "title": "Order"}'
    assert schema.text("description") == ""
    assert find_schema("manifest").distribution == "hpp-core"


def test_only_files_of_that_ending_are_schemas(packages: Path, register: Any) -> None:  # noqa: ANN401
    publish(packages, "mixed_family", one="{}")
    (packages / "mixed_family" / "schemas" / "notes.txt").write_text("x", encoding="utf-8")
    (packages / "mixed_family" / "schemas" / "folder.json").mkdir()
    (packages / "bare_family").mkdir()
    (packages / "bare_family" / "__init__.py").write_text("", encoding="utf-8")
    register(("mixed", "mixed_family"), ("bare", "bare_family"), (None, "bare_family"))

    assert [schema.name for schema in installed_schemas()] == ["one"]


def test_a_name_that_two_distributions_publish_is_refused(packages: Path, register: Any) -> None:  # noqa: ANN401
    publish(packages, "twin_family", manifest="{}")
    register(("hpp-core", "hpp.core"), ("twin", "twin_family"))

    assert [s.name for s in installed_schemas()].count("manifest") == 2
    with pytest.raises(RefusedError, match="several distributions publish it: hpp-core, twin"):
        find_schema("manifest")


def test_a_package_that_is_gone_is_named(register: Any) -> None:  # noqa: ANN401
    register(("lost-family", "no_such_family"))

    with pytest.raises(RefusedError, match="lost-family: its schemas cannot be read: "):
        installed_schemas()


def test_a_package_that_is_gone_hides_only_its_own(register: Any) -> None:  # noqa: ANN401
    register(("lost-family", "no_such_family"), ("hpp-core", "hpp.core"))

    assert find_schema("manifest").distribution == "hpp-core"
    with pytest.raises(RefusedError, match="lost-family: its schemas cannot be read: "):
        find_schema("lost")


def test_a_published_file_that_is_no_object_is_named(packages: Path, register: Any) -> None:  # noqa: ANN401
    publish(packages, "broken_family", list="[]", torn="{")
    register(("broken", "broken_family"))

    for name in ("list", "torn"):
        with pytest.raises(RefusedError, match=f"schema {name} of broken: "):
            find_schema(name).document()


def test_a_document_is_held_to_a_schema_by_name() -> None:
    event = {"seq": 1, "id": "event:1", "type": "t", "data": {}}

    check_document(event, "event", "e.json")
    with pytest.raises(RefusedError) as caught:
        check_document({**event, "seq": 0, "data": []}, "event", "e.json")
    assert str(caught.value) == "e.json: seq: expected at least 1 (and 1 more)"
    with pytest.raises(RefusedError, match=r"e\.json: data: expected an object, got null$"):
        check_document({**event, "data": None}, "event", "e.json")


def test_a_schema_may_refer_to_another_published_one(packages: Path, register: Any) -> None:  # noqa: ANN401
    text = '{"items": {"$ref": "urn:hpp:event:v1"}}'
    publish(packages, "referring_family", holder=text, broken="{")
    register(("hpp-core", "hpp.core"), ("referring", "referring_family"))
    event = {"seq": 1, "id": "event:1", "type": "t", "data": {}}

    ready = checker(find_schema("holder").document())

    assert ready.faults([event]) == []
    # Strict integers there as well, though that schema names a dialect of its own.
    assert ready.faults([{**event, "seq": 1.0}]) == ["[0].seq: expected an integer, got a number"]


def test_a_reference_to_nothing_published_is_refused_and_not_fetched() -> None:
    schema = {"$id": "urn:x", "$ref": "https://example.invalid/x.json"}

    with pytest.raises(RefusedError, match=r"schema urn:x: nothing published is https://example"):
        faults(schema, {})


def test_control_a_sound_event_has_no_fault() -> None:
    schema = find_schema("event").document()

    assert faults(schema, {"seq": 1, "id": "event:1", "type": "t", "data": {}}) == []
    assert faults(schema, {}) != []
