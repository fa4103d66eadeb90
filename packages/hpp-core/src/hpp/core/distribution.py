"""The cross-check of a distribution tree: manifest, catalogues, plugins and wired hooks agree."""

from __future__ import annotations

import os

from hpp.core.document import read_document
from hpp.core.errors import RefusedError
from hpp.core.fault import normal_path
from hpp.core.hookfile import shape_fault, wired_scripts, wirings
from hpp.core.text import shorten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hpp.core.manifest import Manifest, Module

__all__ = ["check_distribution"]

CATALOGUE = "marketplace.json"
CODEX_CATALOGUE = os.path.join(".agents", "plugins", "marketplace.json")
CODEX = "codex"


def check_distribution(manifest: Manifest, manifest_path: str) -> dict[str, Any]:
    """Return what was checked of the tree that the manifest stands in.

    Without a catalogue beside the manifest there is no tree, and that is what is said.

    Raises:
        RefusedError: Two files of the tree disagree; the module and the file are named.

    """
    root = os.path.dirname(os.path.abspath(manifest_path))
    if not os.path.isfile(os.path.join(root, CATALOGUE)):
        return {"checked": False, "status": "source-contract"}
    return _Tree(manifest, root).check()


class _Tree:
    def __init__(self, manifest: Manifest, root: str) -> None:
        self.manifest = manifest
        self.root = root
        self.declared: dict[str, set[tuple[str, str]]] = {m.id: set() for m in manifest.modules}
        for hook in manifest.hooks:
            pairs = {(normal_path(hook.script), event) for event in hook.events}
            self.declared[hook.module] |= pairs

    def check(self) -> dict[str, Any]:
        catalogue = self._read(CATALOGUE)
        entries = self._entries(catalogue, CATALOGUE)
        if catalogue.get("version") != self.manifest.product_version:
            raise _differs(
                CATALOGUE, "version", catalogue.get("version"), self.manifest.product_version
            )
        self._same_modules(entries)
        for module in self.manifest.modules:
            self._module(module, entries[module.id])
        return {
            "checked": True,
            "status": "ok",
            "modules": len(self.manifest.modules),
            "codex_marketplace": self._codex(catalogue),
        }

    def _read(self, relative: str) -> dict[str, Any]:
        try:
            document: dict[str, Any] = read_document(os.path.join(self.root, relative), root=dict)
        except RefusedError as error:
            # Messages name files of the tree from its root.
            message = str(error).replace(os.path.join(self.root, ""), "")
            raise RefusedError(message) from None
        return document

    def _entries(self, catalogue: dict[str, Any], name: str) -> dict[str, dict[str, Any]]:
        plugins = catalogue.get("plugins")
        if not isinstance(plugins, list):
            raise RefusedError(f"{name}: plugins: expected a list")
        entries: dict[str, dict[str, Any]] = {}
        for number, entry in enumerate(plugins):
            place = f"{name}: plugins[{number}]"
            if not isinstance(entry, dict) or not isinstance(entry.get("name"), str):
                raise RefusedError(f"{place}: expected an object with a text name")
            if entry["name"] in entries:
                raise RefusedError(f"{place}: {shorten(entry['name'])} is listed twice")
            entries[entry["name"]] = entry
        return entries

    def _same_modules(self, entries: dict[str, Any]) -> None:
        identities = [module.id for module in self.manifest.modules]
        for identity in identities:
            if identity not in entries:
                raise RefusedError(f"{CATALOGUE}: plugins: module {shorten(identity)} is missing")
        for name in entries:
            if name not in identities:
                raise RefusedError(
                    f"{CATALOGUE}: plugins: {shorten(name)} is no module of the manifest"
                )

    def _module(self, module: Module, entry: dict[str, Any]) -> None:
        source = entry.get("source")
        if not isinstance(source, str) or _plain(source) != normal_path(module.path):
            raise _differs(f"{CATALOGUE}: {module.id}", "source", source, module.path)
        if entry.get("version") != module.version:
            raise _differs(
                f"{CATALOGUE}: {module.id}", "version", entry.get("version"), module.version
            )
        folder = os.path.join(self.root, *normal_path(module.path).split("/"))
        real = os.path.realpath(folder)
        top = os.path.realpath(self.root)
        if not os.path.isdir(folder):
            raise RefusedError(f"{module.id}: {module.path}: there is no such folder")
        if real != top and not real.startswith(top.rstrip(os.sep) + os.sep):
            raise RefusedError(f"{module.id}: {module.path}: it lies outside the distribution")
        self._plugin(module)
        self._hooks(module)

    def _plugin(self, module: Module) -> None:
        relative = self._inside(module, ".claude-plugin", "plugin.json")
        if not os.path.lexists(os.path.join(self.root, relative)):
            return
        plugin = self._read(relative)
        self._agrees(module, plugin, relative)
        if "hooks" in plugin:
            wired = plugin["hooks"]
            # A path, or a list of them, names files; an object is the wiring itself.
            if isinstance(wired, dict):
                document = wired if "hooks" in wired else {"hooks": wired}
                self._wired(module, document, f"{relative}: hooks")
            else:
                self._named_hook_files(module, wired, relative)

    def _named_hook_files(self, module: Module, wired: object, relative: str) -> None:
        names = wired if isinstance(wired, list) else [wired]
        for name in names:
            if not isinstance(name, str) or not name.strip():
                raise RefusedError(f"{module.id}: {relative}: hooks: expected an object or a path")
            file = self._inside(module, *normal_path(name).split("/"))
            self._wired(module, self._read(file), file)

    def _agrees(self, module: Module, plugin: dict[str, Any], relative: str) -> None:
        for key, wanted in (("name", module.id), ("version", module.version)):
            if plugin.get(key) != wanted:
                raise _differs(f"{module.id}: {relative}", key, plugin.get(key), wanted)

    def _hooks(self, module: Module) -> None:
        relative = self._inside(module, "hooks", "hooks.json")
        if os.path.lexists(os.path.join(self.root, relative)):
            self._wired(module, self._read(relative), relative)

    def _wired(self, module: Module, document: dict[str, Any], name: str) -> None:
        fault = shape_fault(document)
        if fault:
            raise RefusedError(f"{module.id}: {name}: {fault}")
        for event, command in wirings(document):
            scripts = wired_scripts(command)
            if not scripts:
                raise RefusedError(
                    f"{module.id}: {name}: {event}: a command without a script cannot be declared"
                )
            for script in scripts:
                if (normal_path(script), event) not in self.declared[module.id]:
                    raise RefusedError(
                        f"{module.id}: {name}: {event}: {shorten(script)} is wired and not declared"
                    )

    def _codex(self, catalogue: dict[str, Any]) -> dict[str, Any]:
        if not os.path.lexists(os.path.join(self.root, CODEX_CATALOGUE)):
            return {"checked": False}
        name = CODEX_CATALOGUE.replace(os.sep, "/")
        codex = self._read(CODEX_CATALOGUE)
        if codex.get("name") != catalogue.get("name"):
            raise _differs(name, "name", codex.get("name"), catalogue.get("name"))
        entries = self._entries(codex, name)
        qualifying = {
            module.id: module
            for module in self.manifest.modules
            if module.hosts.get(CODEX, "unsupported") != "unsupported"
            and "skills" in module.components
        }
        for identity in entries:
            if identity not in qualifying:
                raise RefusedError(
                    f"{name}: plugins: {shorten(identity)} does not qualify for Codex"
                )
        for identity, module in qualifying.items():
            if identity not in entries:
                raise RefusedError(f"{name}: plugins: module {shorten(identity)} is missing")
            self._codex_entry(module, entries[identity], name)
        return {"checked": True, "plugins": len(entries)}

    def _codex_entry(self, module: Module, entry: dict[str, Any], name: str) -> None:
        source = entry.get("source")
        path = source.get("path") if isinstance(source, dict) else None
        is_local = source == {"source": "local", "path": path}
        if not (
            is_local
            and isinstance(path, str)
            and path.startswith("./")
            and normal_path(path) == normal_path(module.path)
        ):
            wanted = f'{{"source": "local", "path": "./{normal_path(module.path)}"}}'
            raise RefusedError(f"{name}: {module.id}: source: expected {wanted}")
        relative = self._inside(module, ".codex-plugin", "plugin.json")
        plugin = self._read(relative)
        self._agrees(module, plugin, relative)
        if plugin.get("hooks") != {"hooks": {}}:
            raise RefusedError(
                f'{module.id}: {relative}: hooks: expected exactly {{"hooks": {{}}}}, which keeps'
                " every hook off on that host"
            )

    def _inside(self, module: Module, *parts: str) -> str:
        return os.path.join(*normal_path(module.path).split("/"), *parts)


def _plain(source: str) -> str:
    """Return a catalogue's source without its leading ``./``."""
    return normal_path(source.removeprefix("./"))


def _differs(place: str, key: str, found: object, wanted: object) -> RefusedError:
    shown = shorten(str(found)) if isinstance(found, str) else "no text"
    return RefusedError(f"{place}: {key}: {shown} differs from {shorten(str(wanted))}")
