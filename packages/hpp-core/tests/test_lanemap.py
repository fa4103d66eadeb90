from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpp.core.errors import RefusedError
from hpp.core.lanemap import LaneMap, parse_lanes
from hpp.core.output import pretty_json
from hpp.core.schema import faults, find_schema

NOW = 10_000
LANE = st.fixed_dictionaries(
    {"territory": st.lists(st.sampled_from([".", "a", "a/b", "a\\c", "ab", "b/"]), min_size=1)},
    optional={
        "exclusive": st.booleans(),
        "status": st.sampled_from(["declared", "closed", "dead", "inactive", "Closed", "open"]),
        "heartbeat_at": st.sampled_from([None, NOW, NOW - 300, NOW - 301, NOW - 900, NOW - 901]),
    },
)
LANES = st.lists(LANE, max_size=6).map(
    lambda lanes: [{"id": f"l{number}", **lane} for number, lane in enumerate(lanes)]
)


def lane(identity: str, *territory: str, **more: object) -> dict[str, Any]:
    return {"id": identity, "territory": list(territory) or [identity], **more}


def drawn(
    lanes: list[Any], now: int | None = None, suspect_after: int = 300, dead_after: int = 900
) -> LaneMap:
    parsed = parse_lanes(lanes, "l.json")
    return LaneMap(
        parsed, now=now, suspect_after=suspect_after, dead_after=dead_after, where="l.json"
    )


def collisions(*lanes: dict[str, Any], now: int | None = None) -> list[tuple[str, str, list[str]]]:
    found = drawn(list(lanes), now).document()["collisions"]
    return [(*each["lanes"], each["territory"]) for each in found]


# ------------------------------------------------------------------ liveness


@pytest.mark.parametrize(
    ("age", "word"),
    [(0, "alive"), (300, "alive"), (301, "suspect"), (900, "suspect"), (901, "dead")],
)
def test_both_bounds_are_inclusive(age: int, word: str) -> None:
    assert drawn([lane("a", heartbeat_at=NOW - age)], NOW).liveness == {"a": word}


def test_the_bounds_may_be_chosen() -> None:
    lanes = [lane(str(age), heartbeat_at=NOW - age) for age in (1, 2, 3)]

    shown = drawn(lanes, NOW, suspect_after=1, dead_after=2)

    assert shown.liveness == {"1": "alive", "2": "suspect", "3": "dead"}


@pytest.mark.parametrize("status", ["closed", "dead", "inactive"])
@pytest.mark.parametrize("now", [None, NOW])
def test_an_ended_lane_is_dead_whatever_its_heartbeat_says(status: str, now: int | None) -> None:
    for beat in (None, 0, NOW, NOW + 1):
        assert drawn([lane("a", status=status, heartbeat_at=beat)], now).liveness == {"a": "dead"}


@pytest.mark.parametrize("status", ["Closed", "DEAD", "closed ", "open"])
def test_any_other_status_is_shown_when_there_is_no_clock(status: str) -> None:
    assert drawn([lane("a", status=status, heartbeat_at=NOW)]).liveness == {"a": status}


def test_a_lane_without_a_heartbeat_is_unknown() -> None:
    lanes = [lane("a"), lane("b", heartbeat_at=None)]

    assert drawn(lanes, NOW).liveness == {"a": "unknown", "b": "unknown"}
    assert drawn(lanes).liveness == {"a": "declared", "b": "declared"}


def test_a_heartbeat_in_the_future_is_refused() -> None:
    lanes = [lane("a", heartbeat_at=NOW), lane("b", heartbeat_at=NOW + 1)]

    with pytest.raises(RefusedError, match=r"l\.json: \[1\]\.heartbeat_at: .* not liveness"):
        drawn(lanes, NOW)
    assert drawn(lanes).liveness == {"a": "declared", "b": "declared"}


def test_the_first_second_is_a_moment_like_any_other() -> None:
    assert drawn([lane("a", heartbeat_at=0)], 0).liveness == {"a": "alive"}
    with pytest.raises(RefusedError, match="heartbeat_at"):
        drawn([lane("a", heartbeat_at=1)], 0)


# ------------------------------------------------------------------ collisions


def by_hand(lanes: list[dict[str, Any]], liveness: dict[str, str]) -> list[Any]:
    """Judge every pair of lanes and every pair of their paths."""

    def parts(text: str) -> list[str]:
        return [part for part in text.replace("\\", "/").split("/") if part not in ("", ".")]

    live = [
        each for each in lanes if each.get("exclusive", True) and liveness[each["id"]] != "dead"
    ]
    found = []
    for one in live:
        for other in live:
            paths = {
                "/".join(path) or "."
                for mine in map(parts, one["territory"])
                for theirs in map(parts, other["territory"])
                if all(a == b for a, b in zip(mine, theirs, strict=False))
                for path in (mine, theirs)
            }
            if one["id"] < other["id"] and paths:
                found.append(
                    {"lanes": sorted((one["id"], other["id"])), "territory": sorted(paths)}
                )
    return sorted(found, key=lambda each: (each["lanes"], each["territory"]))


@given(LANES, st.sampled_from([None, NOW]))
def test_collisions_are_those_of_every_pair(lanes: list[dict[str, Any]], now: int | None) -> None:
    document = drawn(lanes, now).document()

    assert document["collisions"] == by_hand(lanes, document["liveness"])


@given(LANES, st.integers(0, 99))
def test_the_order_of_lanes_and_paths_does_not_change_a_byte(
    lanes: list[dict[str, Any]], seed: int
) -> None:
    chance = random.Random(seed)
    turned = [{**each, "territory": each["territory"][::-1]} for each in lanes]
    chance.shuffle(turned)
    first, second = drawn(lanes, NOW), drawn(turned, NOW)

    assert pretty_json(first.document()) == pretty_json(second.document())
    assert first.drawn().mermaid() == second.drawn().mermaid()


@pytest.mark.parametrize("status", ["declared", "suspect", "unknown", "paused"])
def test_every_lane_that_is_not_dead_collides(status: str) -> None:
    assert collisions(lane("a", "x", status=status), lane("b", "x/y")) == [("a", "b", ["x", "x/y"])]


def test_a_dead_or_a_shared_lane_does_not_collide() -> None:
    silent = lane("b", "x", heartbeat_at=NOW - 901)
    shared = lane("c", "x", exclusive=False)
    closed = lane("d", "x", status="closed")

    assert collisions(lane("a", "x"), silent, shared, closed, now=NOW) == []
    assert collisions(lane("a", "x"), silent, shared, closed) == [("a", "b", ["x"])]


@pytest.mark.parametrize(
    ("one", "other", "does"),
    [
        ("src", "src/", True),
        ("src", "./src", True),
        ("src", "src/x/..", True),
        ("src\\api", "src/api", True),
        ("caf\u00e9", "cafe\u0301", True),
        (".", "anything", True),
        ("a/..", "anything", True),
        ("C:/src", "C:\\src\\api", True),
        ("src", "Src", False),
        ("C:/src", "c:/src", False),
        ("C:/src", "src", False),
        ("src", "srcx", False),
        ("src/api", "src/apix", False),
    ],
)
def test_paths_are_compared_by_components(one: str, other: str, does: bool) -> None:
    assert bool(collisions(lane("a", one), lane("b", other))) is does


def test_collisions_are_sorted_and_tell_every_path_of_either_side() -> None:
    lanes = lane("c", "x"), lane("b", "x/2", "x/1", "x/1/"), lane("a", ".")

    assert collisions(*lanes) == [
        ("a", "b", [".", "x/1", "x/2"]),
        ("a", "c", [".", "x"]),
        ("b", "c", ["x", "x/1", "x/2"]),
    ]


def test_duplicates_within_a_lane_count_once() -> None:
    document = drawn([lane("a", "x", "x/", "./x")]).document()

    assert document["edges"] == [
        {"from": "lane:a", "to": "territory:x", "relation": "owns:declared"}
    ]
    assert document["collisions"] == []


# ------------------------------------------------------------------ shape


def test_the_map_has_its_shape_and_keeps_to_its_schema() -> None:
    lanes = [lane("b", "src", role="maker", branch="x"), lane("a", "src/api", heartbeat_at=1)]
    document = drawn(lanes).document()

    assert document == {
        "schema": "hpp.map/v1",
        "view": "lane",
        "nodes": [
            {"id": "lane:a", "kind": "lane", "label": "a"},
            {"id": "lane:b", "kind": "lane", "label": "b"},
            {"id": "territory:src", "kind": "territory", "label": "src"},
            {"id": "territory:src/api", "kind": "territory", "label": "src/api"},
        ],
        "edges": [
            {"from": "lane:a", "to": "territory:src/api", "relation": "owns:declared"},
            {"from": "lane:b", "to": "territory:src", "relation": "owns:declared"},
        ],
        "collisions": [{"lanes": ["a", "b"], "territory": ["src", "src/api"]}],
        "liveness": {"a": "declared", "b": "declared"},
    }
    schema = find_schema("map").document()
    assert faults(schema, document) == []
    assert faults(schema, {**document, "view": "context"}) != []
    assert faults(schema, {**document, "liveness": {"a": 1}}) != []


def test_a_drawing_has_an_edge_for_each_collision_and_the_map_has_none() -> None:
    shown = drawn([lane("b", "x", "y"), lane("a", "x", "y/z")])

    assert "-->|collides:x, y, y/z| n1\n" in shown.drawn().mermaid()
    assert "collides" not in str(shown.document()["edges"])


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"id": " "}, "id"),
        ({"id": None}, "id"),
        ({"territory": []}, "territory"),
        ({"territory": "src"}, "territory"),
        ({"territory": ["a", ""]}, r"territory\[1\]"),
        ({"territory": ["a", 1]}, r"territory\[1\]"),
        ({"territory": ["//"]}, r"territory\[0\]"),
        ({"territory": ["a/../.."]}, r"territory\[0\]"),
        ({"territory": ["src/*.py"]}, r"territory\[0\]"),
        ({"exclusive": 1}, "exclusive"),
        ({"exclusive": None}, "exclusive"),
        ({"status": None}, "status"),
        ({"status": "  "}, "status"),
        ({"heartbeat_at": -1}, "heartbeat_at"),
        ({"heartbeat_at": True}, "heartbeat_at"),
        ({"heartbeat_at": 1.0}, "heartbeat_at"),
        ({"heartbeat_at": "1"}, "heartbeat_at"),
        ({"heartbeat_at": 2**53}, "heartbeat_at"),
    ],
)
def test_a_value_that_breaks_a_rule_is_refused_with_its_place(
    change: dict[str, Any], place: str
) -> None:
    with pytest.raises(RefusedError, match=rf"^l\.json: \[1\]\.{place}: "):
        parse_lanes([lane("a"), {**lane("b"), **change}], "l.json")


@pytest.mark.parametrize("document", [[1], [None], [[]]])
def test_what_is_no_lane_is_refused(document: list[Any]) -> None:
    with pytest.raises(RefusedError, match=r"^l\.json: \[0\]: expected an object"):
        parse_lanes(document, "l.json")


def test_an_id_that_is_repeated_is_refused() -> None:
    with pytest.raises(RefusedError, match=r"\[1\]\.id: a is repeated"):
        parse_lanes([lane("a"), lane("a")], "l.json")
