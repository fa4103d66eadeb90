"""The plan-only receipt of a bundle on a host."""

from __future__ import annotations

from hpp.core.errors import RefusedError
from hpp.core.text import shorten, utf8_path
from hpp.installer.configuration import chosen_modules
from hpp.installer.host import CLAUDE, NATIVE, UNSUPPORTED, host_row
from hpp.installer.wiring import Wiring

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from hpp.core.manifest import Manifest, Module
    from hpp.installer.place import Place

__all__ = ["install_plan"]

_FIRST = "nothing was installed and nothing was written: this is a plan, a person runs its lines"


def install_plan(
    manifest: Manifest, place: Place, bundle: str, host: str, target: str
) -> dict[str, Any]:
    """Return the receipt; `target` is kept as it was typed and need not exist.

    Raises:
        RefusedError: The manifest has no such bundle or host, or the host does not support
            a module of the bundle.

    """
    if bundle not in manifest.bundles:
        raise _unknown("bundle", bundle, sorted(manifest.bundles))
    if host not in manifest.hosts:
        raise _unknown("host", host, manifest.hosts)
    modules = chosen_modules(manifest, manifest.bundles[bundle].modules)
    refused = [module.id for module in modules if module.hosts[host] == UNSUPPORTED]
    if refused:
        names = ", ".join(map(shorten, refused))
        raise RefusedError(f"bundle {shorten(bundle)}: {names}: unsupported on {shorten(host)}")
    wiring = Wiring(manifest, modules, host_row(host), place, target, place.slug())
    lines = _lines(wiring, modules, host)
    return {
        "protocol_version": manifest.protocol_version,
        "bundle": bundle,
        "host": host,
        "target": utf8_path(target),
        "mode": "plan-only",
        "modules": [{"id": module.id, "integration": module.hosts[host]} for module in modules],
        "instructions": [_FIRST, *lines, *wiring.missing(lines)],
    }


def _lines(wiring: Wiring, modules: Sequence[Module], host: str) -> list[str]:
    """Return one line for each module, in order, after the one that makes plugins known."""
    lines = [
        wiring.plugin_line(module)
        if host == CLAUDE and module.hosts[host] == NATIVE
        else wiring.installer_line(module)
        for module in modules
    ]
    is_plugin = any(line.startswith("/plugin ") for line in lines)
    return [wiring.marketplace_line(), *lines] if is_plugin else lines


def _unknown(label: str, value: str, there_are: Sequence[str]) -> RefusedError:
    listed = ", ".join(map(shorten, there_are))
    return RefusedError(f"unknown {label} {shorten(value)!r}; there are {listed}")
