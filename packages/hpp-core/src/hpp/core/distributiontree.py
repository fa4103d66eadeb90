"""A distribution tree and its catalogues: what every check of it reads and tells."""

from __future__ import annotations

import os

from hpp.core.document import read_state
from hpp.core.errors import RefusedError
from hpp.core.fault import is_relative, normal_path
from hpp.core.strictjson import SMALL_LIMIT, parse_bytes
from hpp.core.text import printable, shorten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hpp.core.manifest import Manifest, Module

    Entries = dict[str, dict[str, Any]]

__all__ = ["Tree", "below", "is_path_of"]


class Tree:
    """A tree that a manifest stands in; what disagrees is collected, not raised.

    So that a person repairs it once. Files are named from the root, with ``/``.

    Attributes:
        manifest: What the tree has to agree with.
        root: The manifest's folder.
        faults: One text for each disagreement.

    """

    def __init__(self, manifest: Manifest, root: str) -> None:
        self.manifest = manifest
        self.root = root
        self.faults: list[str] = []

    def add(self, place: str, what: str) -> None:
        """Add a disagreement."""
        self.faults.append(f"{place}: {what}")

    def path(self, relative: str) -> str:
        """Return where a file of the tree lies."""
        return os.path.join(self.root, *relative.split("/"))

    def is_there(self, relative: str) -> bool:
        """Say whether anything has that name; a link to nothing does, and is then refused."""
        return os.path.lexists(self.path(relative))

    def read(self, relative: str, owner: Module | None = None) -> dict[str, Any] | None:
        """Return the object of a file; or add why there is none, and return None."""
        place = relative if owner is None else f"{shorten(owner.id)}: {relative}"
        path = self.path(relative)
        try:
            data = read_state(path, limit=SMALL_LIMIT)
            if data is None:
                self.add(place, "there is no such file")
                return None
            document: dict[str, Any] = parse_bytes(data, printable(path), root=dict)
        except RefusedError as error:
            self.add(place, str(error).removeprefix(f"{printable(path)}: "))
            return None
        return document

    def same(self, place: str, key: str, value: dict[str, Any], wanted: str) -> None:
        """Check that a value of a file is that of the manifest."""
        found = value.get(key)
        if found != wanted:
            told = shorten(found) if isinstance(found, str) else "not a text"
            self.add(place, f"{key}: {told} differs from {shorten(wanted)} of the manifest")

    def entries(self, catalogue: dict[str, Any], name: str) -> Entries | None:
        """Return the plugins of a catalogue by name, or None when it has no list of them."""
        plugins = catalogue.get("plugins")
        if not isinstance(plugins, list):
            self.add(name, "plugins: expected a list")
            return None
        entries: Entries = {}
        for number, entry in enumerate(plugins):
            place = f"plugins[{number}]"
            if not isinstance(entry, dict) or not isinstance(entry.get("name"), str):
                self.add(name, f"{place}: expected an object with a text name")
            elif entries.setdefault(entry["name"], entry) is not entry:
                self.add(name, f"{place}: {shorten(entry['name'])} is listed twice")
        return entries

    def lists(self, name: str, entries: Entries, wanted: set[str], otherwise: str) -> None:
        """Check that a catalogue lists these modules; `otherwise` is said of other ones."""
        known = {module.id for module in self.manifest.modules}
        for identity in sorted(wanted - set(entries)):
            self.add(name, f"plugins: module {shorten(identity)} is missing")
        for identity in sorted(set(entries) - wanted):
            reason = otherwise if identity in known else "is no module"
            self.add(name, f"plugins: {shorten(identity)} {reason}")

    def agrees(self, module: Module, plugin: dict[str, Any], relative: str) -> None:
        """Check name and version of a plugin's own file."""
        place = f"{shorten(module.id)}: {relative}"
        self.same(place, "name", plugin, module.id)
        self.same(place, "version", plugin, module.version)


def below(module: Module, name: str) -> str:
    """Return the place of a module's file, from the root of the tree."""
    folder = normal_path(module.path)
    return f"{folder}/{name}" if folder else name


def is_path_of(module: Module, source: object) -> bool:
    """Say whether a catalogue's source is the module's path, a leading ``./`` dropped."""
    if not isinstance(source, str) or not is_relative(source):
        return False
    return normal_path(source) == normal_path(module.path)
