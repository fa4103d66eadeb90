"""``marketplace``: catalogues, plugins and digests of a distribution tree agree."""

from __future__ import annotations

import os

from hpp.core.text import shorten
from hpp.installer.formats.identifier import split_folder
from hpp.installer.formats.problem import exit_code
from hpp.installer.formats.relativepath import path_fault
from hpp.installer.kit.digest import check_digests
from hpp.installer.kit.emittedtree import EmittedTree
from hpp.installer.kit.productmanifest import NAME as MANIFEST

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["SCHEMA", "marketplace"]

SCHEMA = "hpp.marketplace-report/v1"
AREAS = ("frameworks", "installers", "continuity", "multi-session", "wizards")
ROOT_COPY = "marketplace.json"
CATALOGUE = ".claude-plugin/marketplace.json"
CODEX = ".agents/plugins/marketplace.json"
_EMPTY: dict[str, object] = {"hooks": {}}


def marketplace(root: str, shown: str) -> dict[str, Any]:
    """Return the report of a distribution tree."""
    tree = EmittedTree(root)
    modules = 0
    if os.path.isdir(root):
        catalogue = tree.document(CATALOGUE, "manifest-out-of-place")
        if catalogue is not None:
            modules = _check(tree, catalogue)
    else:
        tree.refuse(
            "manifest-out-of-place", shown, "there is no such folder", "a distribution tree"
        )
    code = exit_code(tree.problems)
    return {
        "schema": SCHEMA,
        "status": ("ok", "warn", "breach")[code],
        "exit_code": code,
        "root": shown,
        "modules": modules,
        "problems": [problem.document() for problem in tree.problems],
    }


def _check(tree: EmittedTree, catalogue: dict[str, Any]) -> int:
    if tree.read(ROOT_COPY) != tree.read(CATALOGUE):
        tree.refuse(
            "marketplace-drift", ROOT_COPY, f"it differs from {CATALOGUE}", "the same bytes"
        )
    entries = _entries(tree, catalogue, CATALOGUE)
    for name, entry in entries.items():
        _check_entry(tree, name, entry)
    _check_folders(tree, entries)
    _check_codex(tree, catalogue, entries)
    check_digests(tree, {name: _source(entry) for name, entry in entries.items()})
    return len(entries)


def _entries(tree: EmittedTree, catalogue: dict[str, Any], path: str) -> dict[str, dict[str, Any]]:
    plugins = catalogue.get("plugins")
    if not isinstance(plugins, list):
        tree.refuse("marketplace-drift", path, "plugins: expected a list", "a list of plugins")
        return {}
    found: dict[str, dict[str, Any]] = {}
    for number, entry in enumerate(plugins):
        name = entry.get("name") if isinstance(entry, dict) else None
        if not isinstance(name, str):
            told = f"plugins[{number}]: expected an object with a name"
            tree.refuse("marketplace-drift", path, told, "an object with a name")
        elif name in found:
            told = f"plugins[{number}]: {shorten(name)} is listed twice"
            tree.refuse("marketplace-drift", path, told, "each module once")
        else:
            found[name] = entry
    return found


def _source(entry: dict[str, Any]) -> str:
    """Return the folder that an entry names, an empty text when it names none that is ours."""
    source = entry.get("source")
    if isinstance(source, dict):
        source = source.get("path") if source.get("source") == "local" else None
    if not isinstance(source, str) or not source.startswith("./"):
        return ""
    return "" if path_fault(source[2:]) else source[2:]


def _plugin(tree: EmittedTree, file: str) -> dict[str, Any] | None:
    """Return a plugin's own manifest; None when there is none that can be read, which is told."""
    if tree.read(file) is None:
        tree.doubt("plugin-manifest-missing", file, "it is missing", "the plugin's own file")
        return None
    return tree.document(file, "version-mismatch")


def _check_entry(tree: EmittedTree, name: str, entry: dict[str, Any]) -> None:
    path = _source(entry)
    if not path or tree.link_in(path) or not os.path.isdir(tree.at(path)):
        told = shorten(str(entry.get("source")))
        tree.refuse("source-unresolved", name, told, "./AREA/ID-VERSION, a folder of this tree")
        return
    version = entry.get("version")
    if split_folder(path.rpartition("/")[2]) != (name, version):
        tree.refuse("version-mismatch", path, f"{shorten(name)} {version}", "as the folder says")
    file = f"{path}/.claude-plugin/plugin.json"
    plugin = _plugin(tree, file)
    if plugin is None:
        return
    _same(tree, file, plugin, name, version)
    if "hooks" in plugin:
        told = "the host reads hooks/hooks.json anyway, so each hook would run twice"
        tree.refuse("hooks-listed-twice", file, told, "no key hooks")


def _same(tree: EmittedTree, file: str, plugin: dict[str, Any], name: str, version: object) -> None:
    if (plugin.get("name"), plugin.get("version")) != (name, version):
        told = f"{shorten(str(plugin.get('name')))} {shorten(str(plugin.get('version')))}"
        tree.refuse("version-mismatch", file, told, f"{name} {version}")


def _check_folders(tree: EmittedTree, entries: dict[str, dict[str, Any]]) -> None:
    """Look for modules that the catalogue does not list, and for second versions of one."""
    listed = {_source(entry) for entry in entries.values()}
    for area in AREAS:
        if not os.path.isdir(tree.at(area)):
            continue
        for name in sorted(os.listdir(tree.at(area))):
            path = f"{area}/{name}"
            stated = split_folder(name.removesuffix(".zip"))
            if stated is None or path.removesuffix(".zip") in listed:
                continue
            told = "it is there and in no catalogue"
            if stated[0] in entries:
                tree.refuse("stray-version", path, told, "one version of a module")
            elif not name.endswith(".zip"):
                tree.refuse("uncatalogued-module", path, told, f"an entry in {CATALOGUE}")


def _check_codex(
    tree: EmittedTree, catalogue: dict[str, Any], entries: dict[str, dict[str, Any]]
) -> None:
    codex = tree.document(CODEX, "manifest-out-of-place")
    if codex is None:
        return
    if codex.get("name") != catalogue.get("name"):
        told = shorten(str(codex.get("name")))
        tree.refuse("marketplace-drift", CODEX, f"name: {told}", f"as in {CATALOGUE}")
    listed = _entries(tree, codex, CODEX)
    qualified = _qualified(tree)
    if qualified is not None:
        for name in sorted(qualified - set(listed)):
            tree.refuse(
                "codex-omits", CODEX, f"{shorten(name)} is missing", "every module that qualifies"
            )
        for name in sorted(set(listed) - qualified):
            tree.refuse(
                "codex-unqualified", CODEX, f"{shorten(name)} is listed", "those that qualify alone"
            )
    for name, entry in listed.items():
        _check_codex_entry(tree, name, entry, entries.get(name))


def _qualified(tree: EmittedTree) -> set[str] | None:
    """Return the modules that belong into the Codex channel, by the distribution's manifest."""
    manifest = tree.document(MANIFEST, "marketplace-drift")
    modules = manifest.get("modules") if manifest else None
    if not isinstance(modules, list):
        return None
    return {
        str(module.get("id"))
        for module in modules
        if isinstance(module, dict)
        and isinstance(module.get("hosts"), dict)
        and module["hosts"].get("codex", "unsupported") != "unsupported"
        and "skills" in module.get("components", [])
    }


def _check_codex_entry(
    tree: EmittedTree, name: str, entry: dict[str, Any], other: dict[str, Any] | None
) -> None:
    path = _source(entry)
    if not path or (other is not None and path != _source(other)):
        told = shorten(str(entry.get("source")))
        tree.refuse("source-unresolved", name, told, "the folder that the other catalogue names")
        return
    file = f"{path}/.codex-plugin/plugin.json"
    plugin = _plugin(tree, file)
    if plugin is None:
        return
    _same(tree, file, plugin, name, other.get("version") if other else plugin.get("version"))
    if plugin.get("hooks") != _EMPTY:
        told = "without it the host would read hooks/hooks.json"
        tree.refuse("codex-hooks-not-empty", file, told, 'hooks: {"hooks": {}}')
