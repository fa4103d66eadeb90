from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpp.core.graph import VIEWS, Graph, manifest_graph
from hpp.core.layer import Placed, place
from hpp.core.manifest import load_manifest, packaged_manifest_path

if TYPE_CHECKING:
    from random import Random

NAMES = st.text(st.sampled_from("abc漢é "), max_size=40)
EDGES = st.lists(st.tuples(st.integers(0, 49), st.integers(0, 49)), max_size=120)


def overlapping(placed: Placed) -> list[tuple[str, str]]:
    return [
        (one, other)
        for (one, a), (other, b) in combinations(sorted(placed.boxes.items()), 2)
        if a.x < b.x + b.width
        and b.x < a.x + a.width
        and a.y < b.y + b.height
        and b.y < a.y + a.height
    ]


def graph_of(size: int, kinds: int, edges: list[tuple[int, int]], label: str = "") -> Graph:
    graph = Graph()
    nodes = [graph.node(f"k{n % kinds}", str(n), f"{label}{n}") for n in range(size)]
    for start, end in edges:
        graph.edge(nodes[start], nodes[end], "r")
    return graph


@given(EDGES, st.integers(1, 5), NAMES)
def test_fifty_nodes_never_overlap_and_all_lie_inside(
    edges: list[tuple[int, int]], kinds: int, label: str
) -> None:
    graph = graph_of(50, kinds, edges, label)
    placed = place(graph)

    assert set(placed.boxes) == set(graph.nodes)
    assert overlapping(placed) == []
    for box in placed.boxes.values():
        assert 0 <= box.x <= placed.width - box.width
        assert 0 <= box.y <= placed.height - box.height


@given(EDGES, st.integers(1, 5), st.randoms(use_true_random=False))
def test_places_do_not_depend_on_the_order_of_adding(
    edges: list[tuple[int, int]], kinds: int, chance: Random
) -> None:
    graph = graph_of(50, kinds, edges)
    turned = Graph()
    items = list(graph.nodes.items())
    chance.shuffle(items)
    turned.nodes, turned.edges = dict(items), set(graph.edges)

    first, second = place(graph).boxes, place(turned).boxes
    assert {n: (b.x, b.y, b.width) for n, b in first.items()} == {
        n: (b.x, b.y, b.width) for n, b in second.items()
    }


def test_what_follows_stands_further_right() -> None:
    placed = place(graph_of(4, 1, [(0, 1), (1, 2), (0, 2), (2, 3)]))

    columns = [placed.boxes[f"k0:{n}"].x for n in range(4)]
    assert columns == sorted(set(columns))


def test_an_edge_that_goes_back_does_not_stop_a_drawing() -> None:
    placed = place(graph_of(3, 1, [(0, 1), (1, 2), (2, 0), (1, 1)]))

    assert len({box.x for box in placed.boxes.values()}) == 3


def test_kinds_that_lead_to_one_another_have_a_column_each() -> None:
    placed = place(graph_of(10, 2, [(0, 1), (2, 1), (4, 3), (0, 2)]))

    assert {placed.boxes[f"k0:{n}"].x for n in range(0, 10, 2)} == {0}
    assert len({placed.boxes[f"k1:{n}"].x for n in range(1, 10, 2)}) == 1


def test_a_box_is_as_wide_as_its_label() -> None:
    narrow, wide = (place(graph_of(1, 1, [], 20 * char)).boxes["k0:0"] for char in "x漢")

    assert narrow.width >= 21 * 7
    assert wide.width >= 20 * 12


def test_a_long_chain_meets_no_recursion_limit() -> None:
    size = 3000
    placed = place(graph_of(size, 1, [(n, n + 1) for n in range(size - 1)]))

    assert len({box.x for box in placed.boxes.values()}) == size


def test_an_empty_graph_has_a_size() -> None:
    placed = place(Graph())

    assert placed.boxes == {}
    assert placed.width > 0
    assert placed.height > 0


@pytest.mark.parametrize("view", VIEWS)
def test_the_views_of_the_manifest_do_not_overlap(view: str) -> None:
    graph = manifest_graph(load_manifest(packaged_manifest_path()), view)

    assert overlapping(place(graph)) == []


def test_control_boxes_that_overlap_are_seen() -> None:
    placed = place(graph_of(2, 1, []))
    placed.boxes["k0:1"].y = placed.boxes["k0:0"].y + 1

    assert overlapping(placed) == [("k0:0", "k0:1")]
