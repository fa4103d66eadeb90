from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

import pytest

from hpp.core.contextmap import context_document, context_graph
from hpp.core.errors import RefusedError
from hpp.core.schema import faults, find_schema

if TYPE_CHECKING:
    from pathlib import Path

BLOCKS = [
    {"source": "b", "priority": 1, "content": "second é"},
    {"source": "c", "priority": 0, "content": "x" * 50},
    {"source": "a", "priority": 9, "content": "first"},
]


def mapped(folder: Path, blocks: list[dict[str, Any]], budget: int) -> dict[str, Any]:
    path = folder / "blocks.json"
    path.write_text(json.dumps(blocks), encoding="utf-8")
    return context_document(str(path), budget)


def test_the_map_tells_where_each_block_went(tmp_path: Path) -> None:
    document = mapped(tmp_path, BLOCKS, 20)

    assert {key: document[key] for key in ("schema", "view", "budget", "used", "remaining")} == {
        "schema": "hpp.map/v1",
        "view": "context",
        "budget": 20,
        "used": 15,
        "remaining": 5,
    }
    assert [(r["source"], r["status"]) for r in document["provenance"]] == [
        ("a", "included"),
        ("b", "included"),
        ("c", "omitted"),
    ]
    assert document["provenance"][1] == {
        "source": "b",
        "priority": 1,
        "chars": 8,
        "sha256": hashlib.sha256("second é".encode()).hexdigest(),
        "status": "included",
    }
    assert [node["id"] for node in document["nodes"]] == [
        "context:compiled",
        "source:a",
        "source:b",
        "source:c",
    ]
    assert document["nodes"][0] == {
        "id": "context:compiled",
        "kind": "context",
        "label": "compiled context",
    }
    assert [(e["from"], e["relation"], e["to"]) for e in document["edges"]] == [
        ("source:a", "included", "context:compiled"),
        ("source:b", "included", "context:compiled"),
        ("source:c", "omitted", "context:compiled"),
    ]


def test_no_content_is_in_the_map(tmp_path: Path) -> None:
    shown = json.dumps(mapped(tmp_path, BLOCKS, 20))

    assert "first" not in shown
    assert "second" not in shown


def test_the_map_keeps_to_its_schema(tmp_path: Path) -> None:
    schema = find_schema("map").document()

    for budget in (0, 20, 1000):
        assert faults(schema, mapped(tmp_path, BLOCKS, budget)) == []
    document = mapped(tmp_path, [], 0)
    assert faults(schema, document) == []
    assert faults(schema, {**document, "text": ""}) != []
    assert faults(schema, {**document, "liveness": {}}) != []
    del document["used"]
    assert faults(schema, document) != []


def test_without_blocks_the_context_stands_alone(tmp_path: Path) -> None:
    document = mapped(tmp_path, [], 5)

    assert document["remaining"] == 5
    assert context_graph(document).mermaid() == 'flowchart LR\n  n0["compiled context"]\n'


def test_a_block_that_looks_secret_is_refused_and_not_shown(tmp_path: Path) -> None:
    secret = [{"source": "a", "priority": 1, "content": "api_key=secret-value"}]

    with pytest.raises(RefusedError, match="secret-like text") as caught:
        mapped(tmp_path, secret, 100)
    assert "secret-value" not in str(caught.value)
