from __future__ import annotations

import graphlib
import itertools
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpp.core.errors import RefusedError
from hpp.core.workgraph import WorkGraph, compile_spec
from hpp.core.workspec import parse_spec

if TYPE_CHECKING:
    import random

Edges = dict[str, list[str]]


def compiled(edges: Edges, **rest: Any) -> WorkGraph:  # noqa: ANN401 -- any JSON
    work = [
        {"id": unit, "depends_on": wanted, "acceptance": [f"{unit} done"], "tier": "economy"}
        for unit, wanted in edges.items()
    ]
    return compile_spec(parse_spec({"work": work, **rest}, "s.json"))


def waves(edges: Edges) -> list[list[str]]:
    return [[unit.id for unit in wave] for wave in compiled(edges).waves]


@st.composite
def acyclic(draw: st.DrawFn) -> Edges:
    ids = draw(st.lists(st.sampled_from("abcdefghij"), unique=True, min_size=1))
    edges = {
        unit: draw(st.lists(st.sampled_from(ids[:place]), unique=True)) if place else []
        for place, unit in enumerate(ids)
    }
    order = draw(st.permutations(ids))
    return {unit: edges[unit] for unit in order}


def test_a_diamond_is_no_cycle() -> None:
    assert waves({"d": ["b", "c"], "b": ["a"], "c": ["a"], "a": []}) == [["a"], ["b", "c"], ["d"]]


def test_a_unit_waits_for_its_latest_dependency() -> None:
    assert waves({"a": [], "b": ["a"], "c": ["a", "b"], "x": []}) == [["a", "x"], ["b"], ["c"]]


@given(acyclic())
def test_a_wave_is_one_more_than_the_largest_of_its_dependencies(edges: Edges) -> None:
    level = {unit: number for number, wave in enumerate(waves(edges), 1) for unit in wave}

    for unit, wanted in edges.items():
        assert level[unit] == 1 + max((level[dependency] for dependency in wanted), default=0)


@given(acyclic())
def test_waves_are_those_of_graphlib(edges: Edges) -> None:
    sorter = graphlib.TopologicalSorter(edges)
    sorter.prepare()
    expected = []
    while sorter.is_active():
        ready = sorted(sorter.get_ready())
        expected.append(ready)
        sorter.done(*ready)

    assert waves(edges) == expected


@given(acyclic(), st.randoms())
def test_the_order_of_the_input_changes_nothing(edges: Edges, chance: random.Random) -> None:
    units = list(edges)
    chance.shuffle(units)
    shuffled = {unit: chance.sample(edges[unit], len(edges[unit])) for unit in units}

    assert compiled(shuffled).plan_document() == compiled(edges).plan_document()
    assert compiled(shuffled).diagram() == compiled(edges).diagram()


@pytest.mark.parametrize(
    ("edges", "path"),
    [
        ({"a": ["a"]}, "a -> a"),
        ({"b": ["a"], "a": ["b"]}, "a -> b -> a"),
        ({"a": ["c"], "c": ["b"], "b": ["a"]}, "a -> c -> b -> a"),
        ({"x": ["y"], "y": ["x"], "a": ["b"], "b": ["a"]}, "a -> b -> a"),
        ({"a": ["z"], "z": ["m", "n"], "m": [], "n": ["z"]}, "z -> n -> z"),
        ({"a": ["b", "c"], "b": [], "c": ["d"], "d": ["a"], "e": ["e"]}, "a -> c -> d -> a"),
    ],
)
def test_a_cycle_is_named_by_its_path(edges: Edges, path: str) -> None:
    with pytest.raises(RefusedError, match=rf"^s\.json: work: dependency cycle: {path}$"):
        compiled(edges)


@given(acyclic(), st.data())
def test_a_cycle_that_is_named_is_one(edges: Edges, data: st.DataObject) -> None:
    first, last = waves(edges)[0][0], data.draw(st.sampled_from(sorted(edges)))
    closed = {**edges, first: [last]}
    reached, left = {last}, [last]
    while left:
        for dependency in closed[left.pop()]:
            if dependency not in reached:
                reached.add(dependency)
                left.append(dependency)
    if first not in reached:
        assert len(compiled(closed).spec.units) == len(edges)
        return

    with pytest.raises(RefusedError) as refused:
        compiled(closed)

    path = str(refused.value).partition("dependency cycle: ")[2].split(" -> ")
    assert path[0] == path[-1]
    assert len(set(path)) == len(path) - 1
    assert all(following in closed[unit] for unit, following in itertools.pairwise(path))


def test_an_unknown_dependency_is_told_apart_from_a_cycle() -> None:
    with pytest.raises(RefusedError, match=r'work\[1\].*unknown dependency "zz" of "b"') as refused:
        compiled({"a": ["b"], "b": ["a", "zz"]})

    assert "cycle" not in str(refused.value)


def test_a_long_chain_needs_no_recursion() -> None:
    chain = {f"u{i}": [f"u{i + 1}"] if i < 20_000 else [] for i in range(20_001)}

    assert len(compiled(chain).waves) == 20_001
    chain["u20000"] = ["u0"]
    with pytest.raises(RefusedError, match="dependency cycle: u0 -> u1 -> "):
        compiled(chain)


def test_a_plan_tells_everything_of_a_unit() -> None:
    plan = compiled({"b": ["a"], "a": []}, done_gate=["review_ready"]).plan_document()

    assert plan["work"][1] == {
        "id": "b",
        "depends_on": ["a"],
        "acceptance": ["b done"],
        "criteria": ["b/b-done"],
        "tier": "economy",
        "gate": ["review_ready"],
    }
    assert plan["criteria"][0] == {"id": "a/a-done", "work": "a", "text": "a done"}
    assert plan["edges"] == [{"from": "a", "to": "b", "relation": "depends-on"}]
    assert plan["tier_counts"] == {"economy": 2, "balanced": 0, "frontier": 0}


def test_the_diagram_has_a_group_for_each_wave() -> None:
    assert compiled({"C": ["A", "B|"], "A": [], "B|": []}).diagram() == (
        "flowchart LR\n"
        '  subgraph c0["wave 1"]\n    n0["A · economy"]\n    n1["B#124; · economy"]\n  end\n'
        '  subgraph c1["wave 2"]\n    n2["C · economy"]\n  end\n'
        "  n0 -->|depends-on| n2\n  n1 -->|depends-on| n2\n"
    )


def test_control_a_wrong_order_is_seen() -> None:
    assert waves({"a": ["b"], "b": []}) != [["a"], ["b"]]
