"""The cross-check of a distribution tree: manifest, catalogues, plugins and wired hooks agree."""

from __future__ import annotations

import os

from hpp.core.codexchannel import check_codex
from hpp.core.distributiontree import Tree, below, is_path_of
from hpp.core.errors import RefusedError
from hpp.core.fault import is_relative, normal_path
from hpp.core.hookfile import hook_file_faults, wirings
from hpp.core.hookscript import wired_scripts
from hpp.core.text import printable, shorten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hpp.core.manifest import Manifest, Module

__all__ = ["check_distribution"]

CATALOGUE = "marketplace.json"
_MOST_TOLD = 12  # disagreements that one line names
_LONGEST_SCRIPT = 200


def check_distribution(manifest: Manifest, manifest_path: str) -> dict[str, Any]:
    """Return what was checked of the tree that the manifest stands in.

    Without a catalogue beside the manifest there is no tree, and that is what is said.

    Raises:
        RefusedError: Files of the tree disagree; modules, files and both values are named.

    """
    root = os.path.dirname(os.path.abspath(manifest_path))
    if not os.path.isfile(os.path.join(root, CATALOGUE)):
        return {"checked": False, "status": "source-contract"}
    tree = Tree(manifest, root)
    codex = _check_tree(tree)
    if tree.faults:
        left = len(tree.faults) - _MOST_TOLD
        further = f" (and {left} more)" if left > 0 else ""
        raise RefusedError("; ".join(tree.faults[:_MOST_TOLD]) + further)
    return {
        "checked": True,
        "status": "ok",
        "modules": len(manifest.modules),
        "codex_marketplace": codex,
    }


def _check_tree(tree: Tree) -> dict[str, Any]:
    """Check everything; return what is said of the Codex channel."""
    catalogue = tree.read(CATALOGUE)
    if catalogue is None:
        return {}
    tree.same(CATALOGUE, "version", catalogue, tree.manifest.product_version)
    entries = tree.entries(catalogue, CATALOGUE)
    if entries is not None:
        tree.lists(CATALOGUE, entries, {module.id for module in tree.manifest.modules}, "")
    for module in tree.manifest.modules:
        if entries is not None and module.id in entries:
            _check_entry(tree, module, entries[module.id])
        if _has_folder(tree, module):
            _check_module(tree, module)
    return check_codex(tree, catalogue, CATALOGUE)


def _check_entry(tree: Tree, module: Module, entry: dict[str, Any]) -> None:
    place = f"{CATALOGUE}: {shorten(module.id)}"
    if not is_path_of(module, entry.get("source")):
        tree.same(place, "source", entry, f"./{normal_path(module.path)}")
    tree.same(place, "version", entry, module.version)


def _has_folder(tree: Tree, module: Module) -> bool:
    place = f"{shorten(module.id)}: {printable(module.path)}"
    folder = tree.path(normal_path(module.path))
    if not os.path.isdir(folder):
        is_there = os.path.lexists(folder)
        tree.add(place, "it is not a folder" if is_there else "there is no such folder")
        return False
    if not _is_inside(os.path.realpath(folder), os.path.realpath(tree.root)):
        tree.add(place, "it lies outside the distribution")
        return False
    return True


def _is_inside(path: str, folder: str) -> bool:
    """Say whether a real path is a real folder or lies in it, by the system's letter case."""
    path, folder = os.path.normcase(path), os.path.normcase(folder)
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _check_module(tree: Tree, module: Module) -> None:
    hooks = below(module, "hooks/hooks.json")
    if tree.is_there(hooks):
        _check_hook_file(tree, module, hooks)
    relative = below(module, ".claude-plugin/plugin.json")
    plugin = tree.read(relative, module) if tree.is_there(relative) else None
    if plugin is None:
        return
    tree.agrees(module, plugin, relative)
    if "hooks" in plugin:
        named = plugin["hooks"]
        for item in named if isinstance(named, list) else [named]:
            _check_named(tree, module, item, relative)


def _check_named(tree: Tree, module: Module, named: object, relative: str) -> None:
    """Check what the key ``hooks`` of a plugin holds: the path of a file, or the events."""
    if isinstance(named, dict):
        # One host wants the events themselves, the other one more `hooks` around them.
        document = named if "hooks" in named else {"hooks": named}
        _check_wirings(tree, module, document, f"{relative}: hooks")
    elif isinstance(named, str) and is_relative(named):
        _check_hook_file(tree, module, below(module, normal_path(named)))
    else:
        told = "hooks: expected an object, or a path inside the module"
        tree.add(f"{shorten(module.id)}: {relative}", told)


def _check_hook_file(tree: Tree, module: Module, relative: str) -> None:
    document = tree.read(relative, module)
    if document is not None:
        _check_wirings(tree, module, document, relative)


def _check_wirings(tree: Tree, module: Module, document: dict[str, Any], name: str) -> None:
    """Check that a host reads the file whole and that all it wires is declared."""
    place = f"{shorten(module.id)}: {name}"
    faults = hook_file_faults(document)
    for fault in faults:
        tree.add(place, fault)
    if faults:
        return
    declared = {
        (normal_path(hook.script), event)
        for hook in tree.manifest.hooks
        if hook.module == module.id
        for event in hook.events
    }
    for event, command in wirings(document):
        scripts = wired_scripts(command)
        if not scripts:
            told = f'a command without a script cannot be declared: "{shorten(command)}"'
            tree.add(place, f"{shorten(event)}: {told}")
        for script in scripts:
            if not is_relative(script) or (script, event) not in declared:
                told = f"{shorten(script, _LONGEST_SCRIPT)} is wired and not declared"
                tree.add(place, f"{shorten(event)}: {told}")
