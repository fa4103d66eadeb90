"""The compiled form of a spec: which unit may begin when.

Waves come from the edges alone, level by level and without recursion, so that a chain of
50,000 units is compiled like any other spec. A cycle is refused and named, never broken.
"""

from __future__ import annotations

from hpp.core.errors import RefusedError
from hpp.core.text import printable, shorten
from hpp.core.tier import TIERS
from hpp.core.workspec import read_spec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hpp.core.workspec import Unit, WorkSpec

__all__ = ["WorkGraph", "compile_spec", "read_graph"]

_SHOWN = 200


class WorkGraph:
    """A spec in order.

    Attributes:
        spec: What was declared.
        by_id: Units by their ids.
        waves: Units sorted by id, a list for each wave; the first wave depends on nothing.

    """

    __slots__ = ("by_id", "spec", "waves")

    def __init__(self, spec: WorkSpec, by_id: dict[str, Unit], waves: list[list[Unit]]) -> None:
        self.spec = spec
        self.by_id = by_id
        self.waves = waves

    def tier_counts(self) -> dict[str, int]:
        """Return how many units each tier has, all tiers included."""
        counts = dict.fromkeys(TIERS, 0)
        for unit in self.spec.units:
            counts[unit.tier] += 1
        return counts

    def edges(self) -> list[tuple[str, str, str]]:
        """Return (dependency, dependent, relation), sorted."""
        return sorted(
            (dependency, unit.id, "depends-on")
            for unit in self.spec.units
            for dependency in unit.depends_on
        )

    def waves_document(self) -> dict[str, Any]:
        """Return the result ``hpp.workgraph-waves/v1``."""
        return {
            "schema": "hpp.workgraph-waves/v1",
            "waves": self._waves(),
            "tier_counts": self.tier_counts(),
        }

    def plan_document(self) -> dict[str, Any]:
        """Return the result ``hpp.workgraph/v1``."""
        criteria = [
            {"id": criterion.id, "work": unit.id, "text": criterion.text}
            for unit in self.spec.units
            for criterion in unit.criteria
        ]
        return {
            "schema": "hpp.workgraph/v1",
            "work": [_unit(unit) for wave in self.waves for unit in wave],
            "criteria": sorted(criteria, key=lambda criterion: criterion["id"]),
            "done_gate": list(self.spec.done_gate),
            "edges": [
                {"from": start, "to": end, "relation": relation}
                for start, end, relation in self.edges()
            ],
            "waves": self._waves(),
            "tier_counts": self.tier_counts(),
        }

    def diagram(self) -> str:
        """Return the Mermaid flowchart: a group for each wave."""
        from hpp.core.mermaid import flowchart

        return flowchart(
            {unit.id: f"{unit.id} · {unit.tier}" for unit in self.spec.units},
            self.edges(),
            [
                (f"wave {index}", [unit.id for unit in wave])
                for index, wave in enumerate(self.waves, 1)
            ],
        )

    def _waves(self) -> list[dict[str, Any]]:
        return [
            {"index": index, "work": [unit.id for unit in wave]}
            for index, wave in enumerate(self.waves, 1)
        ]


def read_graph(path: str) -> WorkGraph:
    """Return the compiled graph of a file, ``-`` for standard input.

    Raises:
        RefusedError: It cannot be read, breaks a rule, or contradicts itself.

    """
    return compile_spec(read_spec(path))


def compile_spec(spec: WorkSpec) -> WorkGraph:
    """Return the graph of a spec.

    Raises:
        RefusedError: A dependency is no unit, or dependencies form a cycle.

    """
    by_id = {unit.id: unit for unit in spec.units}
    _check_dependencies(spec, by_id)
    waves = _levels(spec.units, by_id)
    if sum(map(len, waves)) < len(by_id):
        cycle = " -> ".join(map(printable, _find_cycle(by_id)))
        raise RefusedError(f"{spec.name}: work: dependency cycle: {cycle}")
    return WorkGraph(spec, by_id, waves)


def _check_dependencies(spec: WorkSpec, by_id: dict[str, Unit]) -> None:
    for number, unit in enumerate(spec.units):
        for place, dependency in enumerate(unit.depends_on):
            if dependency not in by_id:
                raise RefusedError(
                    f"{spec.name}: work[{number}].depends_on[{place}]: unknown dependency "
                    f'"{shorten(dependency, _SHOWN)}" of "{shorten(unit.id, _SHOWN)}"'
                )


def _levels(units: list[Unit], by_id: dict[str, Unit]) -> list[list[Unit]]:
    """Return the units that no cycle holds back, level by level, each sorted by id.

    A unit's level is the longest path that leads to it: it is freed by its last dependency.
    """
    waiting: dict[str, int] = {}
    dependents: dict[str, list[str]] = {}
    level: list[str] = []
    for unit in units:
        depends_on = unit.depends_on
        if depends_on:
            waiting[unit.id] = len(depends_on)
            for dependency in depends_on:
                dependents.setdefault(dependency, []).append(unit.id)
        else:
            level.append(unit.id)
    levels = []
    while level:
        level.sort()
        levels.append([by_id[unit_id] for unit_id in level])
        freed = []
        for unit_id in level:
            for dependent in dependents.get(unit_id, ()):
                waiting[dependent] -= 1
                if not waiting[dependent]:
                    freed.append(dependent)
        level = freed
    return levels


def _find_cycle(by_id: dict[str, Unit]) -> list[str]:
    """Return the cycle that a depth-first visit in sorted order closes first.

    It begins and ends with the same id; each one depends on the next.
    """
    done: set[str] = set()
    for root in sorted(by_id):
        path: dict[str, None] = {}  # what is being visited, in order
        if root in done:
            continue
        stack = [(root, iter(sorted(by_id[root].depends_on)))]
        path[root] = None
        while stack:
            unit_id, left = stack[-1]
            following = next(left, None)
            if following is None:
                stack.pop()
                path.popitem()
                done.add(unit_id)
            elif following in path:
                walked = list(path)
                return [*walked[walked.index(following) :], following]
            elif following not in done:
                path[following] = None
                stack.append((following, iter(sorted(by_id[following].depends_on))))
    return []


def _unit(unit: Unit) -> dict[str, Any]:
    return {
        "id": unit.id,
        "depends_on": sorted(unit.depends_on),
        "acceptance": [criterion.text for criterion in unit.criteria],
        "criteria": [criterion.id for criterion in unit.criteria],
        "tier": unit.tier,
        "gate": list(unit.gate),
    }
