"""The rules of the manifest's modules, and of what no two of them may share."""

from __future__ import annotations

from hpp.core.fault import is_relative, normal_path
from hpp.core.text import shorten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hpp.core.fault import Faults, Path

    Modules = list[tuple[int, dict[str, Any]]]

__all__ = ["COVERAGES", "module_faults"]

COVERAGES = ("native", "explicit-command", "unsupported")
_LONGEST_CYCLE = 24  # names that one line shows


def module_faults(
    found: Faults, modules: Modules, identities: dict[str, int], hosts: dict[str, int]
) -> dict[str, int]:
    """Add the faults of every module; return the capabilities, each with its module's place."""
    for number, module in modules:
        _module(found, module, ("modules", number), hosts)
    _relations(found, modules, identities)
    _paths(found, modules)
    _cycles(found, modules)
    return _capabilities(found, modules)


def _module(found: Faults, module: dict[str, Any], path: Path, hosts: dict[str, int]) -> None:
    found.text(module, (*path, "version"))
    found.relative(module, (*path, "path"))
    if "area" in module:
        found.text(module, (*path, "area"))
    if "components" in module:
        found.texts(module, (*path, "components"), empty=True, blank=True)
    coverage = found.mapping(module, (*path, "hosts"))
    if coverage is not None:
        _coverage(found, coverage, (*path, "hosts"), hosts)


def _coverage(found: Faults, coverage: dict[str, Any], path: Path, hosts: dict[str, int]) -> None:
    for host in coverage:
        if hosts and host not in hosts:
            found.add((*path, host), "the manifest declares no such host")
        found.choice(coverage, (*path, host), COVERAGES)
    for host in hosts:
        if host not in coverage:
            found.add((*path, host), "it is missing: every declared host has a coverage")


def _relations(found: Faults, modules: Modules, identities: dict[str, int]) -> None:
    for number, module in modules:
        for relation in ("requires", "integrates_with"):
            path = ("modules", number, relation)
            for other, place in found.texts(module, path, empty=True).items():
                if other not in identities:
                    found.add((*path, place), f'unknown module "{shorten(other)}"')
                elif other == module.get("id") and relation == "integrates_with":
                    found.add((*path, place), "a module does not integrate with itself")


def _paths(found: Faults, modules: Modules) -> None:
    owners: dict[str, int] = {}
    for number, module in modules:
        path = module.get("path")
        if isinstance(path, str) and is_relative(path):
            first = owners.setdefault(normal_path(path), number)
            if first != number:
                found.add(("modules", number, "path"), f"it is also the path of modules[{first}]")


def _capabilities(found: Faults, modules: Modules) -> dict[str, int]:
    owners: dict[str, int] = {}
    for number, module in modules:
        path = ("modules", number, "capabilities")
        for item, place in found.texts(module, path).items():
            first = owners.setdefault(item, number)
            if first != number:
                told = f'"{shorten(item)}" belongs to modules[{first}] already'
                found.add((*path, place), told)
    return owners


def _cycles(found: Faults, modules: Modules) -> None:
    """Name each cycle of ``requires`` by its path, where the entry that closes it stands."""
    needs: dict[str, list[str]] = {}
    places: dict[str, int] = {}
    for number, module in modules:
        identity, requires = module.get("id"), module.get("requires")
        if isinstance(identity, str) and isinstance(requires, list) and identity not in places:
            needs[identity] = [item for item in requires if isinstance(item, str)]
            places[identity] = number
    by_number = dict(modules)
    for cycle in _closed_walks(needs):
        number = places[cycle[-2]]
        place = by_number[number]["requires"].index(cycle[-1])
        shown = [shorten(name) for name in cycle]
        if len(shown) > _LONGEST_CYCLE:
            shown[_LONGEST_CYCLE - 2 : -2] = ["..."]
        found.add(("modules", number, "requires", place), "a cycle: " + " -> ".join(shown))


def _closed_walks(needs: dict[str, list[str]]) -> list[list[str]]:
    """Return one cycle of each part of the graph that has one, its first name repeated.

    Depth first in document order, without recursion.
    """
    cycles: list[list[str]] = []
    done: set[str] = set()
    for start in needs:
        if start in done:
            continue
        trail: dict[str, int] = {}  # the names on the way, in order
        pending = [iter([start])]
        cycle: list[str] = []
        while pending:
            name = next(pending[-1], None)
            if name is None:
                pending.pop()
                if trail:
                    trail.popitem()
            elif name in trail:
                cycle = cycle or [*list(trail)[trail[name] :], name]
            elif name not in done and name in needs:
                done.add(name)
                trail[name] = len(trail)
                pending.append(iter(needs[name]))
        if cycle:
            cycles.append(cycle)
    return cycles
