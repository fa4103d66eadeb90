"""The Codex channel of a distribution tree: its catalogue, and plugins that are silent there."""

from __future__ import annotations

from hpp.core.distributiontree import below, is_path_of
from hpp.core.fault import normal_path
from hpp.core.text import shorten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hpp.core.distributiontree import Tree
    from hpp.core.manifest import Module

__all__ = ["check_codex"]

CATALOGUE = ".agents/plugins/marketplace.json"
HOST = "codex"
_UNSUPPORTED = "unsupported"


def check_codex(tree: Tree, catalogue: dict[str, Any], name: str) -> dict[str, Any]:
    """Return what was checked of the channel; a tree without its catalogue has none.

    Args:
        tree: The tree.
        catalogue: The catalogue of the other host.
        name: The file that holds it.

    """
    if not tree.is_there(CATALOGUE):
        return {"checked": False}
    codex = tree.read(CATALOGUE)
    if codex is None:
        return {}
    product = catalogue.get("name")
    if not isinstance(product, str):
        tree.add(name, "name: expected a text, which the Codex catalogue repeats")
    elif codex.get("name") != product:
        tree.add(CATALOGUE, f"name: it differs from {shorten(product)} of {name}")
    entries = tree.entries(codex, CATALOGUE)
    if entries is None:
        return {}
    qualifying = {m.id: m for m in tree.manifest.modules if _qualifies(m)}
    tree.lists(CATALOGUE, entries, set(qualifying), "does not qualify for Codex")
    for identity, module in qualifying.items():
        if identity in entries:
            _check_entry(tree, module, entries[identity])
    return {"checked": True, "plugins": len(entries)}


def _qualifies(module: Module) -> bool:
    return module.hosts.get(HOST, _UNSUPPORTED) != _UNSUPPORTED and "skills" in module.components


def _check_entry(tree: Tree, module: Module, entry: dict[str, Any]) -> None:
    if not _is_source(module, entry.get("source")):
        wanted = f'{{"source": "local", "path": "./{normal_path(module.path)}"}}'
        tree.add(f"{CATALOGUE}: {shorten(module.id)}", f"source: expected {wanted}")
    relative = below(module, ".codex-plugin/plugin.json")
    plugin = tree.read(relative, module)
    if plugin is None:
        return
    tree.agrees(module, plugin, relative)
    # With the key absent, Codex would read the hooks file that is meant for the other host.
    if plugin.get("hooks") != {"hooks": {}}:
        told = 'hooks: expected exactly {"hooks": {}}, which keeps every hook off on that host'
        tree.add(f"{shorten(module.id)}: {relative}", told)


def _is_source(module: Module, source: object) -> bool:
    if not isinstance(source, dict) or set(source) != {"source", "path"}:
        return False
    path = source["path"]
    is_dotted = isinstance(path, str) and path.startswith("./")
    return source["source"] == "local" and is_dotted and is_path_of(module, path)
