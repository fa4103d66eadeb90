"""The rules of the manifest, each fault with its place.

Every function looks at one part and adds what it finds; the faults are sorted into the
order of the document at the end, so that a person reads the first one first.
"""

from __future__ import annotations

from hpp.core.fault import Faults, is_relative, normal_path
from hpp.core.text import shorten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hpp.core.fault import Path

__all__ = ["COVERAGES", "HOOK_CAPABILITIES", "manifest_faults"]

PROTOCOL = "2.1"
COVERAGES = ("native", "explicit-command", "unsupported")
EXIT_POLICIES = ("observe", "warn", "block")
EXIT_CODES = {"ok": 0, "warn": 1, "block": 2, "error": 3}
TIERS = ["economy", "balanced", "frontier"]
HOOK_CAPABILITIES = (
    "automatic-source-writes",
    "command-rewrite-and-process-control",
    "transcript-derived-llm-egress",
    "mcp-network-and-process-activity",
    "automatic-permission-gates",
    "session-observation-and-cost-records",
)
_MONITOR_TEXTS = ("target", "type", "severity", "cost", "consumer_gate")


def manifest_faults(document: dict[str, Any]) -> list[str]:
    """Return every fault as ``path: what``, in the order of the document."""
    found = Faults(document)
    _head(found, document)
    hosts = found.texts(document, ("hosts",))
    modules = found.objects(document, ("modules",))
    identities = _ids(found, modules, "modules")
    for number, module in modules:
        _module(found, module, ("modules", number), identities, hosts)
    _belongs_to_one(found, modules)
    _cycles(found, modules)
    hooks = found.objects(document, ("hooks",))
    _ids(found, hooks, "hooks")
    for number, hook in hooks:
        _hook(found, hook, ("hooks", number), identities)
    if hooks:
        _hooked(found, modules, hooks)
    _bundles(found, document, identities, modules)
    monitors = found.objects(document, ("monitors",))
    _ids(found, monitors, "monitors")
    for number, monitor in monitors:
        _monitor(found, monitor, ("monitors", number))
    _loop(found, document)
    return found.in_order()


def _head(found: Faults, document: dict[str, Any]) -> None:
    if document.get("protocol_version") != PROTOCOL:
        found.add(("protocol_version",), f'expected the text "{PROTOCOL}"')
    found.text(document, ("product_version",))
    found.text(document, ("name",))
    found.texts(document, ("roles",))
    found.texts(document, ("maps",))
    invariants = document.get("invariants", [])
    if not isinstance(invariants, list):
        found.add(("invariants",), "expected a list of texts")
    else:
        for number, item in enumerate(invariants):
            if not isinstance(item, str):
                found.add(("invariants", number), "expected a text")
    codes = document.get("exit_codes")
    if codes != EXIT_CODES or any(type(code) is not int for code in codes.values()):
        found.add(("exit_codes",), "expected exactly ok 0, warn 1, block 2, error 3")
    groups = document.get("hook_capabilities")
    is_whole = isinstance(groups, list) and all(isinstance(group, str) for group in groups)
    if not is_whole or sorted(groups or []) != sorted(HOOK_CAPABILITIES):
        found.add(("hook_capabilities",), "expected exactly the six groups, each once")
    routing = found.object(document, ("routing",))
    if routing is not None and routing.get("tiers") != TIERS:
        found.add(("routing", "tiers"), "expected economy, balanced, frontier in this order")
    installer = found.object(document, ("installer",))
    if installer is not None:
        found.relative(installer, ("installer", "path"))


def _ids(found: Faults, entries: list[tuple[int, dict[str, Any]]], key: str) -> list[str]:
    """Return the sound ids of a list of objects."""
    seen: list[str] = []
    for number, entry in entries:
        identity = found.text(entry, (key, number, "id"))
        if identity is not None and identity in seen:
            found.add((key, number, "id"), f'"{shorten(identity)}" is repeated')
        elif identity is not None:
            seen.append(identity)
    return seen


def _module(
    found: Faults, module: dict[str, Any], path: Path, identities: list[str], hosts: list[str]
) -> None:
    found.text(module, (*path, "version"))
    found.relative(module, (*path, "path"))
    if "area" in module:
        found.text(module, (*path, "area"))
    for relation in ("requires", "integrates_with"):
        named = found.texts(module, (*path, relation), empty=True)
        for other in named:
            place = (*path, relation, module[relation].index(other))
            if other not in identities:
                found.add(place, f'unknown module "{shorten(other)}"')
            elif other == module.get("id") and relation == "integrates_with":
                found.add(place, "a module does not integrate with itself")
    found.texts(module, (*path, "capabilities"))
    if "components" in module:
        found.texts(module, (*path, "components"), empty=True, blank=True)
    coverage = found.object(module, (*path, "hosts"))
    if coverage is not None:
        _coverage(found, coverage, (*path, "hosts"), hosts)


def _coverage(found: Faults, coverage: dict[str, Any], path: Path, hosts: list[str]) -> None:
    for host in coverage:
        if host not in hosts:
            found.add((*path, host), "the manifest declares no such host")
        else:
            found.choice(coverage, (*path, host), COVERAGES)
    for host in hosts:
        if host not in coverage:
            found.add((*path, host), "it is missing: every declared host has a coverage")


def _belongs_to_one(found: Faults, modules: list[tuple[int, dict[str, Any]]]) -> None:
    """Check that neither a capability nor a path stands in two modules."""
    owners: dict[str, int] = {}
    paths: dict[str, int] = {}
    for number, module in modules:
        path = module.get("path")
        if is_relative(path):
            first = paths.setdefault(normal_path(str(path)), number)
            if first != number:
                found.add(("modules", number, "path"), f"it is also the path of modules[{first}]")
        capabilities = module.get("capabilities")
        for place, item in enumerate(capabilities if isinstance(capabilities, list) else []):
            if isinstance(item, str) and owners.setdefault(item, number) != number:
                found.add(
                    ("modules", number, "capabilities", place),
                    f'"{shorten(item)}" belongs to modules[{owners[item]}] already',
                )


def _cycles(found: Faults, modules: list[tuple[int, dict[str, Any]]]) -> None:
    """Name the cycle of ``requires`` that the smallest module id on a cycle closes."""
    needs: dict[str, list[str]] = {}
    numbers: dict[str, int] = {}
    for number, module in modules:
        identity, requires = module.get("id"), module.get("requires")
        if isinstance(identity, str) and isinstance(requires, list):
            needs[identity] = sorted(item for item in requires if isinstance(item, str))
            numbers[identity] = number
    cycle = _first_cycle(needs)
    if cycle:
        place = ("modules", numbers[cycle[0]], "requires")
        found.add(place, "a cycle: " + " -> ".join(shorten(name) for name in cycle))


def _first_cycle(needs: dict[str, list[str]]) -> list[str]:
    """Walk depth first from the smallest id, without recursion."""
    done: set[str] = set()
    for start in sorted(needs):
        trail: list[str] = []
        pending = [iter([start])]
        while pending:
            name = next(pending[-1], None)
            if name is None:
                pending.pop()
                if trail:
                    done.add(trail.pop())
            elif name in trail:
                return [*trail[trail.index(name) :], name]
            elif name not in done and name in needs:
                trail.append(name)
                pending.append(iter(needs[name]))
    return []


def _hook(found: Faults, hook: dict[str, Any], path: Path, identities: list[str]) -> None:
    owner = found.text(hook, (*path, "module"))
    if owner is not None and owner not in identities:
        found.add((*path, "module"), f'unknown module "{shorten(owner)}"')
    found.relative(hook, (*path, "script"))
    found.texts(hook, (*path, "events"))
    for group in found.texts(hook, (*path, "capabilities")):
        if group not in HOOK_CAPABILITIES:
            place = (*path, "capabilities", hook["capabilities"].index(group))
            found.add(place, f'unknown group "{shorten(group)}"')
    found.choice(hook, (*path, "exit_policy"), EXIT_POLICIES)


def _hooked(
    found: Faults,
    modules: list[tuple[int, dict[str, Any]]],
    hooks: list[tuple[int, dict[str, Any]]],
) -> None:
    owners = [hook.get("module") for _, hook in hooks]
    for number, module in modules:
        components = module.get("components")
        if isinstance(components, list) and "hooks" in components:
            identity = module.get("id")
            if isinstance(identity, str) and identity not in owners:
                found.add(
                    ("modules", number, "components"),
                    f'module "{shorten(identity)}" has the component hooks and declares no hook',
                )


def _bundles(
    found: Faults,
    document: dict[str, Any],
    identities: list[str],
    modules: list[tuple[int, dict[str, Any]]],
) -> None:
    bundles = found.object(document, ("bundles",))
    if bundles is None:
        return
    if not bundles:
        found.add(("bundles",), "expected at least one bundle")
    known: set[str] = set()
    for _, module in modules:
        listed = module.get("capabilities")
        known.update(i for i in (listed if isinstance(listed, list) else []) if isinstance(i, str))
    for name, bundle in bundles.items():
        path: Path = ("bundles", name)
        if not isinstance(bundle, dict):
            found.add(path, "expected an object")
            continue
        for key, allowed in (("modules", identities), ("capabilities", known)):
            for item in found.texts(bundle, (*path, key)):
                if item not in allowed:
                    place = (*path, key, bundle[key].index(item))
                    found.add(
                        place,
                        f'unknown {key.rstrip("s")} "{shorten(item)}"'.replace(
                            "capabilitie", "capability"
                        ),
                    )


def _monitor(found: Faults, monitor: dict[str, Any], path: Path) -> None:
    for key in _MONITOR_TEXTS:
        found.text(monitor, (*path, key))
    for key in ("cadence", "freshness"):
        value = monitor.get(key)
        if type(value) is not int or not 0 < value <= _LARGEST:
            found.add((*path, key), "expected an integer above 0")


def _loop(found: Faults, document: dict[str, Any]) -> None:
    loop = found.object(document, ("loop",))
    if loop is None:
        return
    initial = found.text(loop, ("loop", "initial"))
    moves: list[tuple[int, str, str, str]] = []
    listed = found.objects(loop, ("loop", "transitions"))
    for number, move in listed:
        place: Path = ("loop", "transitions", number)
        values = [found.text(move, (*place, key)) for key in ("from", "event", "to", "gate")]
        if None not in values:
            moves.append((number, str(values[0]), str(values[1]), str(values[2])))
    seen: dict[tuple[str, str], int] = {}
    for number, state, event, _ in moves:
        if seen.setdefault((state, event), number) != number:
            found.add(
                ("loop", "transitions", number),
                f"the same from and event as transitions[{seen[state, event]}]",
            )
    if initial is not None and len(moves) == len(listed) > 0:
        _reachable(found, initial, moves)


def _reachable(found: Faults, initial: str, moves: list[tuple[int, str, str, str]]) -> None:
    if all(state != initial for _, state, _, _ in moves):
        found.add(("loop", "initial"), f"no transition leaves {shorten(initial)}")
        return
    targets: dict[str, list[str]] = {}
    for _, state, _, target in moves:
        targets.setdefault(state, []).append(target)
    reached, pending = {initial}, [initial]
    while pending:
        for target in targets.get(pending.pop(), []):
            if target not in reached:
                reached.add(target)
                pending.append(target)
    for number, state, _, _ in moves:
        if state not in reached:
            found.add(
                ("loop", "transitions", number, "from"),
                f"{shorten(state)} cannot be reached from {shorten(initial)}",
            )


_LARGEST = 2**53 - 1
