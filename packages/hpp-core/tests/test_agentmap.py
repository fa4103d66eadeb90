from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from hpp.core.agentmap import agent_graph, event_types
from hpp.core.errors import RefusedError
from hpp.core.manifest import load_manifest, packaged_manifest_path

if TYPE_CHECKING:
    from collections.abc import Callable


def test_roles_modules_and_capabilities_are_those_of_the_manifest() -> None:
    manifest = load_manifest(packaged_manifest_path())
    document = agent_graph(manifest, []).document()

    wanted = {f"role:{role}" for role in manifest.roles}
    wanted |= {f"module:{module.id}" for module in manifest.modules}
    pairs = {(m.id, capability) for m in manifest.modules for capability in m.capabilities}
    assert {node["id"] for node in document["nodes"]} == wanted | {
        f"capability:{capability}" for _, capability in pairs
    }
    assert {(edge["from"], edge["to"], edge["relation"]) for edge in document["edges"]} == {
        (f"module:{module}", f"capability:{capability}", "provides") for module, capability in pairs
    }


def test_events_follow_one_another_in_their_order() -> None:
    types = ["work_started", *["x"] * 9, "verified"]
    graph = agent_graph(load_manifest(packaged_manifest_path()), types)

    then = {(start, end) for start, end, relation in graph.edges if relation == "then"}
    ids = [f"event:{number}:{kind}" for number, kind in enumerate(types, 1)]
    assert then == set(pairwise(ids))
    assert graph.nodes["event:11:verified"] == ("execution", "verified")


def test_an_array_of_events_is_read() -> None:
    events = [{"type": "a", "more": 1}, {"type": "b c"}]

    for data in (json.dumps(events).encode(), b"\xef\xbb\xbf \r\n" + json.dumps(events).encode()):
        assert event_types(data, "e") == ["a", "b c"]
    assert event_types(b"[]", "e") == []


def test_an_event_log_is_read(make_log: Callable[..., list[bytes]]) -> None:
    lines = make_log([("a", {}), ("b", {"x": 1})])

    assert event_types(b"\n".join(lines) + b"\n", "e") == ["a", "b"]
    assert event_types(b"\r\n" + b"\r\n".join(lines), "e") == ["a", "b"]


@pytest.mark.parametrize(
    "event", [1, None, [], {}, {"type": 1}, {"type": " "}, {"type": None}, {"kind": "a"}]
)
def test_an_event_without_a_type_is_refused(event: Any) -> None:  # noqa: ANN401 -- any JSON value
    with pytest.raises(RefusedError, match=r"^e\.json: \[1\]\.type: expected a non-blank text"):
        event_types(json.dumps([{"type": "a"}, event]).encode(), "e.json")


def test_a_corrupt_log_is_refused_under_its_own_name(make_log: Callable[..., list[bytes]]) -> None:
    first, second = make_log([("a", {}), ("b", {})])
    stranger = make_log([("z", {}), ("b", {})])[1]

    with pytest.raises(RefusedError, match=r"^mine\.jsonl: line 2, event:2: "):
        event_types(first + b"\n" + stranger, "mine.jsonl")
    with pytest.raises(RefusedError, match=r"^mine\.jsonl: line 2: "):
        event_types(first + b"\n[]\n" + second, "mine.jsonl")


def test_a_torn_last_line_is_looked_at_twice(make_log: Callable[..., list[bytes]]) -> None:
    first, second = make_log([("a", {}), ("b", {})])
    whole = first + b"\n" + second + b"\n"
    torn = whole[:-20]

    assert event_types(torn, "e", lambda: whole) == ["a", "b"]
    for again in (None, lambda: torn):
        with pytest.raises(RefusedError, match=rf"^e: line 2: .*at byte {len(first) + 1}"):
            event_types(torn, "e", again)


@pytest.mark.parametrize("data", [b"", b" \n", b"\xff\xfe[", b'"a"', b"1", b"[NaN]", b"[1e999]"])
def test_what_is_neither_is_refused(data: bytes) -> None:
    with pytest.raises(RefusedError, match=r"^e: "):
        event_types(data, "e")
