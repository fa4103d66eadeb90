"""The published schemas and the loaders of the forge come to the same verdict."""

from __future__ import annotations

import copy
import functools
import json
from typing import TYPE_CHECKING, Any

import pytest

from hpp.core.schema import checker, find_schema
from hpp.installer.forge.buildmanifest import build_manifest_faults
from hpp.installer.forge.product import product_faults
from hpp.installer.forge.publishrule import publish_rule_faults

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Faults = Callable[[dict[str, Any]], list[str]]

Tree = Any
Forge = Any

BUILD = {
    "schema": "hpp.module-build/v1",
    "module": {
        "id": "my-kit",
        "version": "0.1.0",
        "area": "frameworks",
        "license": "MIT",
        "author": "Me",
        "source_root": "modules/my-kit",
    },
    "include": ["**"],
    "exclude": ["tests/**"],
    "vendor": [{"from": "hpp/core/text.py", "to": "_vendor"}],
    "executables": ["scripts/a.py"],
    "replace": [{"files": ["*.md"], "find": "a", "replace": "b", "mode": "word", "expect": 1}],
    "third_party": [{"name": "x", "license": "MIT", "url": "https://x.invalid", "notice": "N.md"}],
}
PRODUCT = {
    "schema": "hpp.product-build/v1",
    "displayName": "P",
    "description": "D",
    "owner": "O",
    "homepage": "https://h.invalid",
    "repository": "https://r.invalid",
    "modules": [{"id": "my-kit", "category": "workflow"}],
}
RULES = {
    "schema": "hpp.publish-rules/v1",
    "allowed_emails": ["@example.com"],
    "rules": [
        {"id": "a", "category": "secret", "severity": "warn", "mode": "word", "find": "x"},
    ],
    "allow": [
        {
            "path": "a.md",
            "rule": "a",
            "sha256": "0" * 64,
            "owner": "me",
            "reason": "because",
            "expires": "2030-01-31",
        }
    ],
}
DOCUMENTS: dict[str, tuple[dict[str, Any], Faults]] = {
    "module-build": (BUILD, build_manifest_faults),
    "product-build": (PRODUCT, product_faults),
    "publish-rules": (RULES, publish_rule_faults),
}


@functools.cache
def _checker(name: str) -> Any:  # noqa: ANN401 -- a checker of the core
    return checker(find_schema(name).document())


def check_document(name: str, document: object) -> list[str]:
    """Return every fault that a published schema finds."""
    found: list[str] = _checker(name).faults(document)
    return found


OTHERS: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    1.5,
    "",
    " ",
    "\x00",
    "a",
    [],
    ["a", "a"],
    {},
    {"a": 1},
)


def mutations(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:  # noqa: ANN401 -- any JSON value
    """Yield the paths of everything in a document that can be changed."""
    if path:
        yield path
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from mutations(inner, (*path, key))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from mutations(inner, (*path, number))


def changed(document: dict[str, Any], path: tuple[Any, ...], value: object) -> dict[str, Any]:
    """Return a copy with one value changed, or gone when the value is `...`."""
    made = copy.deepcopy(document)
    parent: Any = made
    for step in path[:-1]:
        parent = parent[step]
    if value is ...:
        del parent[path[-1]]
    else:
        parent[path[-1]] = value
    return made


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_change_anywhere_is_judged_alike_by_schema_and_loader(name: str) -> None:
    document, faults = DOCUMENTS[name]
    assert faults(document) == []
    assert check_document(name, document) == []
    refused, told = 0, []
    for path in mutations(document):
        for value in (*OTHERS, ...):
            made = changed(document, path, value)
            by_loader = bool(faults(made))
            by_schema = check_document(name, made)
            if bool(by_schema) != by_loader and not is_beyond(name, path):
                told.append((path, value, faults(made), by_schema))
            refused += by_loader
    assert told == []
    assert refused > 50


def is_beyond(name: str, path: tuple[Any, ...]) -> bool:
    """Say whether a fault is of a kind that no schema of one value can tell."""
    # Each is made of the other.
    return name == "module-build" and path in (("module", "id"), ("module", "source_root"))


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_key_that_nobody_knows_is_refused_by_both(name: str) -> None:
    document, faults = DOCUMENTS[name]
    made = {**document, "extra": 1}

    assert faults(made)
    assert check_document(name, made)


def test_what_the_forge_writes_keeps_its_schemas(emitted: Tree, forge: Forge) -> None:
    assert check_document("distribution", emitted.read("distribution.json")) == []
    assert check_document("forge-report", forge("--check").report) == []
    emitted.put("marketplace.json", "{}")
    assert check_document("forge-report", forge("--check").report) == []
    assert check_document("forge-report", forge().report) == []
    assert check_document("forge-report", {"schema": "hpp.forge-report/v1"}) != []


def test_what_the_linter_writes_keeps_its_schema(
    tmp_path: Any,  # noqa: ANN401 -- a path
    capfd: pytest.CaptureFixture[str],
) -> None:
    from hpp.installer.forge.publishcommand import main

    (tmp_path / "a.orig").write_text("ghp_" + "Qz7" * 12)

    assert main([str(tmp_path)]) == 2
    report = json.loads(capfd.readouterr().out)
    assert report["findings"]
    assert check_document("publish-report", report) == []
