"""The rules of the manifest, each fault with its place.

Every function looks at one part and adds what it finds; the faults are sorted into the
order of the document at the end, so that a person reads the first one first. A rule that
compares two parts stays silent where one of them is not there to compare.
"""

from __future__ import annotations

from hpp.core.fault import Faults
from hpp.core.looprule import loop_faults
from hpp.core.modulerule import module_faults
from hpp.core.text import shorten
from hpp.core.tier import TIERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hpp.core.fault import Path

__all__ = ["EXIT_POLICIES", "HOOK_CAPABILITIES", "PROTOCOL", "manifest_faults"]

PROTOCOL = "2.1"
EXIT_POLICIES = ("observe", "warn", "block")
EXIT_CODES = {"ok": 0, "warn": 1, "block": 2, "error": 3}
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
    identities = _identities(found, modules, "modules")
    capabilities = module_faults(found, modules, identities, hosts)
    hooks = found.objects(document, ("hooks",))
    _identities(found, hooks, "hooks")
    for number, hook in hooks:
        _hook(found, hook, ("hooks", number), identities)
    if hooks:
        _hooked(found, modules, hooks)
    _bundles(found, document, {"modules": identities, "capabilities": capabilities})
    monitors = found.objects(document, ("monitors",))
    _identities(found, monitors, "monitors")
    for number, monitor in monitors:
        _monitor(found, monitor, ("monitors", number))
    loop = found.mapping(document, ("loop",))
    if loop is not None:
        loop_faults(found, loop)
    return found.in_order()


def _head(found: Faults, document: dict[str, Any]) -> None:
    found.exactly(document, ("protocol_version",), PROTOCOL, f'the text "{PROTOCOL}"')
    found.text(document, ("product_version",))
    found.text(document, ("name",))
    found.texts(document, ("roles",))
    found.texts(document, ("maps",))
    if "invariants" in document:
        _invariants(found, document["invariants"])
    codes = found.mapping(document, ("exit_codes",))
    if codes is not None:
        _exit_codes(found, codes)
    groups = found.texts(document, ("hook_capabilities",))
    if groups:
        _groups(found, groups)
    routing = found.mapping(document, ("routing",))
    if routing is not None:
        told = f"{', '.join(TIERS)} in this order"
        found.exactly(routing, ("routing", "tiers"), list(TIERS), told)
    installer = found.mapping(document, ("installer",))
    if installer is not None:
        found.relative(installer, ("installer", "path"))


def _invariants(found: Faults, invariants: object) -> None:
    """Check a list of texts that may repeat and may be blank."""
    if not isinstance(invariants, list):
        found.add(("invariants",), "expected a list of texts")
        return
    for number, item in enumerate(invariants):
        if not isinstance(item, str):
            found.add(("invariants", number), "expected a text")


def _exit_codes(found: Faults, codes: dict[str, Any]) -> None:
    for word, code in EXIT_CODES.items():
        found.exactly(codes, ("exit_codes", word), code, str(code))
    for word in codes:
        if word not in EXIT_CODES:
            found.add(("exit_codes", word), "there are ok, warn, block and error only")


def _groups(found: Faults, groups: dict[str, int]) -> None:
    for group, number in groups.items():
        if group not in HOOK_CAPABILITIES:
            found.add(("hook_capabilities", number), f'unknown group "{shorten(group)}"')
    missing = [group for group in HOOK_CAPABILITIES if group not in groups]
    if missing:
        found.add(("hook_capabilities",), f"{missing[0]} is missing: all six groups are listed")


def _identities(
    found: Faults, entries: list[tuple[int, dict[str, Any]]], key: str
) -> dict[str, int]:
    """Return the sound ids of a list of objects, each with its first place."""
    seen: dict[str, int] = {}
    for number, entry in entries:
        identity = found.text(entry, (key, number, "id"))
        if identity is not None and seen.setdefault(identity, number) != number:
            found.add((key, number, "id"), f'"{shorten(identity)}" is repeated')
    return seen


def _hook(found: Faults, hook: dict[str, Any], path: Path, identities: dict[str, int]) -> None:
    owner = found.text(hook, (*path, "module"))
    if owner is not None and identities and owner not in identities:
        found.add((*path, "module"), f'unknown module "{shorten(owner)}"')
    found.relative(hook, (*path, "script"))
    found.texts(hook, (*path, "events"))
    for group, number in found.texts(hook, (*path, "capabilities")).items():
        if group not in HOOK_CAPABILITIES:
            found.add((*path, "capabilities", number), f'unknown group "{shorten(group)}"')
    found.choice(hook, (*path, "exit_policy"), EXIT_POLICIES)


def _hooked(
    found: Faults,
    modules: list[tuple[int, dict[str, Any]]],
    hooks: list[tuple[int, dict[str, Any]]],
) -> None:
    """Check that a module with the component ``hooks`` declares one."""
    owners = {hook["module"] for _, hook in hooks if isinstance(hook.get("module"), str)}
    for number, module in modules:
        components, identity = module.get("components"), module.get("id")
        is_hooked = isinstance(components, list) and "hooks" in components
        if is_hooked and isinstance(identity, str) and identity not in owners:
            place = ("modules", number, "components", module["components"].index("hooks"))
            found.add(place, f'module "{shorten(identity)}" declares no hook')


def _bundles(found: Faults, document: dict[str, Any], known: dict[str, dict[str, int]]) -> None:
    bundles = found.mapping(document, ("bundles",))
    if bundles is not None and not bundles:
        found.add(("bundles",), "expected at least one bundle")
    for name, bundle in (bundles or {}).items():
        if not isinstance(bundle, dict):
            found.add(("bundles", name), "expected an object")
            continue
        for key, word in (("modules", "module"), ("capabilities", "capability")):
            for item, number in found.texts(bundle, ("bundles", name, key)).items():
                if known[key] and item not in known[key]:
                    place = ("bundles", name, key, number)
                    found.add(place, f'unknown {word} "{shorten(item)}"')


def _monitor(found: Faults, monitor: dict[str, Any], path: Path) -> None:
    for key in _MONITOR_TEXTS:
        found.text(monitor, (*path, key))
    for key in ("cadence", "freshness"):
        found.positive(monitor, (*path, key))
