from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hpp.core.graph import VIEWS, Graph, manifest_graph
from hpp.core.manifest import load_manifest, packaged_manifest_path, parse_manifest
from hpp.core.schema import faults, find_schema

DATA = Path(__file__).parent / "data"


@pytest.fixture
def sample() -> dict[str, Any]:
    document: dict[str, Any] = json.loads((DATA / "manifest.json").read_text(encoding="utf-8"))
    return document


def view(document: dict[str, Any], name: str) -> dict[str, Any]:
    return manifest_graph(parse_manifest(document, "m.json"), name).document()


def edges(shown: dict[str, Any]) -> set[tuple[str, str, str]]:
    found = [(edge["from"], edge["relation"], edge["to"]) for edge in shown["edges"]]
    assert len(found) == len(set(found))
    return set(found)


def nodes(shown: dict[str, Any]) -> dict[str, tuple[str, str]]:
    found = {node["id"]: (node["kind"], node["label"]) for node in shown["nodes"]}
    assert len(found) == len(shown["nodes"])
    return found


def test_adding_a_node_or_an_edge_twice_adds_nothing() -> None:
    graph = Graph()
    for _ in range(2):
        graph.edge(graph.node("a", "x"), graph.node("b", "y", "why"), "r")

    assert graph.document() == {
        "nodes": [
            {"id": "a:x", "kind": "a", "label": "x"},
            {"id": "b:y", "kind": "b", "label": "why"},
        ],
        "edges": [{"from": "a:x", "to": "b:y", "relation": "r"}],
    }


def test_order_is_by_code_point_and_not_by_language() -> None:
    graph = Graph()
    for name in ("é", "z", "Z", "a", "\U0001f600", "\uffee"):
        graph.edge(graph.node("k", name), "k:a", "r")

    ids = [node["id"] for node in graph.document()["nodes"]]
    assert ids == ["k:Z", "k:a", "k:z", "k:é", "k:\uffee", "k:\U0001f600"]
    assert [edge["from"] for edge in graph.document()["edges"]] == ids


def test_two_things_with_one_id_have_the_same_label_in_any_order() -> None:
    names = [("a:b", "c"), ("a", "b:c")]
    documents = []
    for order in (names, names[::-1]):
        graph = Graph()
        for module, component in order:
            graph.node("component", f"{module}:{component}", component)
        documents.append(graph.document())

    assert documents[0] == documents[1]
    assert len(documents[0]["nodes"]) == 1


def test_the_capability_view(sample: dict[str, Any]) -> None:
    shown = view(sample, "capability")

    wanted = {f"host:{host}": ("host", host) for host in sample["hosts"]}
    arrows: set[tuple[str, str, str]] = set()
    for module in sample["modules"]:
        me = f"module:{module['id']}"
        wanted[me] = ("module", module["id"])
        for capability in module["capabilities"]:
            wanted[f"capability:{capability}"] = ("capability", capability)
            arrows.add((me, "provides", f"capability:{capability}"))
        arrows |= {(me, f"supports:{how}", f"host:{h}") for h, how in module["hosts"].items()}
        arrows |= {(me, "requires", f"module:{other}") for other in module["requires"]}
        arrows |= {(me, "integrates-with", f"module:{o}") for o in module["integrates_with"]}
    for bundle, content in sample["bundles"].items():
        wanted[f"bundle:{bundle}"] = ("bundle", bundle)
        arrows |= {(f"bundle:{bundle}", "includes", f"module:{m}") for m in content["modules"]}
    assert nodes(shown) == wanted
    assert edges(shown) == arrows


def test_the_operational_view(sample: dict[str, Any]) -> None:
    shown = view(sample, "operational")

    moves = sample["loop"]["transitions"]
    assert edges(shown) == {
        (f"state:{move['from']}", move["event"], f"gate:{move['gate']}") for move in moves
    } | {(f"gate:{move['gate']}", "permits", f"state:{move['to']}") for move in moves}
    assert {kind for kind, _ in nodes(shown).values()} == {"state", "gate"}


def test_the_agent_view_has_three_fixed_roles(sample: dict[str, Any]) -> None:
    shown = view(sample, "agent")

    assert nodes(shown) == {
        "role:maker": ("role", "maker"),
        "role:checker": ("role", "checker (read-only)"),
        "role:human-gate": ("role", "human gate"),
    }
    assert edges(shown) == {
        ("role:maker", "submits", "role:checker"),
        ("role:checker", "reports", "role:human-gate"),
        ("role:human-gate", "approves-or-returns", "role:maker"),
    }


def test_the_evidence_view_has_a_node_of_each(sample: dict[str, Any]) -> None:
    shown = view(sample, "evidence")

    assert nodes(shown) == {
        "criterion:fresh-evidence": ("criterion", "fresh evidence"),
        "evidence:record": ("evidence", "recorded evidence"),
        "verdict:verified": ("verdict", "verified"),
    }
    assert edges(shown) == {
        ("criterion:fresh-evidence", "requires", "evidence:record"),
        ("evidence:record", "supports", "verdict:verified"),
    }


def test_the_code_view(sample: dict[str, Any]) -> None:
    sample["modules"][0]["components"] = ["one", "two"]
    shown = view(sample, "code")

    me = sample["modules"][0]["id"]
    assert nodes(shown)[f"component:{me}:one"] == ("component", "one")
    assert {edge for edge in edges(shown) if edge[0] == f"module:{me}"} == {
        (f"module:{me}", "declares", f"component:{me}:one"),
        (f"module:{me}", "declares", f"component:{me}:two"),
    }


@pytest.mark.parametrize("name", VIEWS)
def test_every_view_is_sorted_closed_and_the_same_in_any_order(
    packaged: dict[str, Any], name: str
) -> None:
    shown = view(packaged, name)
    for key in ("hosts", "modules", "roles"):
        packaged[key].reverse()
    packaged["bundles"] = dict(reversed(packaged["bundles"].items()))
    packaged["loop"]["transitions"].reverse()

    assert view(packaged, name) == shown
    ids = [node["id"] for node in shown["nodes"]]
    assert ids == sorted(set(ids))
    arrows = [(edge["from"], edge["to"], edge["relation"]) for edge in shown["edges"]]
    assert arrows == sorted(set(arrows))
    assert {end for start, stop, _ in arrows for end in (start, stop)} <= set(ids)


@pytest.mark.parametrize("name", VIEWS)
def test_every_view_keeps_to_the_schema(name: str) -> None:
    manifest = load_manifest(packaged_manifest_path())
    graph = manifest_graph(manifest, name).document()
    document = {"protocol_version": manifest.protocol_version, "view": name, **graph}

    schema = find_schema("graph").document()
    assert faults(schema, document) == []
    assert faults(schema, {**document, "view": "other"}) != []
    document["edges"][0]["kind"] = "x"
    assert faults(schema, document) != []
