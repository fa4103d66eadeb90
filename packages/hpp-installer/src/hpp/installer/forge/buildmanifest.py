"""``module.build.json``: what of a module's source is emitted, and what is added to it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from hpp.core.fault import Faults
from hpp.installer.formats.identifier import LONGEST_ID, is_module_id, is_version
from hpp.installer.formats.relativepath import path_fault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hpp.core.fault import Path

__all__ = [
    "AREAS",
    "NAME",
    "SCHEMA",
    "BuildManifest",
    "Replacement",
    "Vendor",
    "build_manifest",
    "build_manifest_faults",
]

NAME = "module.build.json"
SCHEMA = "hpp.module-build/v1"
AREAS = ("frameworks", "installers", "continuity", "multi-session", "wizards")
MODES = ("word", "literal", "regex")
VENDOR = "_vendor"

_KEYS = ("schema", "module", "include", "exclude", "vendor", "executables", "replace")
_LAST = "third_party"
_MODULE = ("id", "version", "area", "license", "author", "source_root")
_REPLACE = ("files", "find", "replace", "expect")
_NOTICE = ("name", "license", "url", "notice")


@dataclass(frozen=True, slots=True)
class Vendor:
    """A shared source and where a copy of it goes; `_vendor` keeps its package's path."""

    source: str
    to: str


@dataclass(frozen=True, slots=True)
class Replacement:
    """A text that is replaced in some files, exactly `expect` times in all of them."""

    files: tuple[str, ...]
    find: str
    replace: str
    mode: str
    expect: int


@dataclass(frozen=True, slots=True)
class BuildManifest:
    """A sound build manifest.

    Attributes:
        identity: Module id.
        version: Its version.
        area: Folder of the distribution that it goes to.
        license: SPDX identifier.
        author: Who is named in rendered files.
        source_root: Its source, relative to the repository.
        include: Globs of what is emitted.
        exclude: Globs of what is not; they win.
        vendor: Shared sources.
        executables: Paths with mode 0755 besides ``*.sh``.
        replace: Replacements, in order.
        third_party: Notices, each with name, license, url and the notice's file.

    """

    identity: str
    version: str
    area: str
    license: str
    author: str
    source_root: str
    include: tuple[str, ...]
    exclude: tuple[str, ...]
    vendor: tuple[Vendor, ...]
    executables: tuple[str, ...]
    replace: tuple[Replacement, ...]
    third_party: tuple[dict[str, str], ...]

    @property
    def folder(self) -> str:
        """Return its place in a distribution."""
        return f"{self.area}/{self.identity}-{self.version}"


def build_manifest(document: dict[str, Any]) -> BuildManifest:
    """Return the manifest of a document without faults."""
    module = document["module"]
    return BuildManifest(
        identity=module["id"],
        version=module["version"],
        area=module["area"],
        license=module["license"],
        author=module["author"],
        source_root=module["source_root"],
        include=tuple(document["include"]),
        exclude=tuple(document["exclude"]),
        vendor=tuple(Vendor(entry["from"], entry["to"]) for entry in document["vendor"]),
        executables=tuple(document["executables"]),
        replace=tuple(
            Replacement(
                tuple(entry["files"]),
                entry["find"],
                entry["replace"],
                entry.get("mode", "word"),
                entry["expect"],
            )
            for entry in document["replace"]
        ),
        third_party=tuple(document["third_party"]),
    )


def build_manifest_faults(document: dict[str, Any]) -> list[str]:
    """Return every fault as ``path: what``, in the order of the document."""
    found = Faults(document)
    found.keys(document, (), (*_KEYS, _LAST))
    if "schema" in document:
        found.exactly(document, ("schema",), SCHEMA, f'the text "{SCHEMA}"')
    module = found.mapping(document, ("module",)) if "module" in document else None
    if module is not None:
        _module(found, module)
    for key in ("include", "exclude"):
        if key in document:
            _paths(found, document, key, is_glob=True, empty=key == "exclude")
    if "executables" in document:
        _paths(found, document, "executables", is_glob=False, empty=True)
    for number, entry in found.given_objects(document, ("vendor",)):
        _vendor(found, entry, ("vendor", number))
    for number, entry in found.given_objects(document, ("replace",)):
        _replacement(found, entry, ("replace", number))
    for number, entry in found.given_objects(document, (_LAST,)):
        _notice(found, entry, (_LAST, number))
    return found.in_order()


def _module(found: Faults, module: dict[str, Any]) -> None:
    path: Path = ("module",)
    found.keys(module, path, _MODULE)
    identity = found.given_text(module, (*path, "id"))
    if identity is not None and not is_module_id(identity):
        found.add((*path, "id"), f"expected lower-case words with hyphens, at most {LONGEST_ID}")
    version = found.given_text(module, (*path, "version"))
    if version is not None and not is_version(version):
        found.add((*path, "version"), "expected MAJOR.MINOR.PATCH, with a pre-release at most")
    if "area" in module:
        found.choice(module, (*path, "area"), AREAS)
    for key in ("license", "author"):
        found.given_text(module, (*path, key))
    root = found.given_text(module, (*path, "source_root"))
    if root is None:
        return
    if path_fault(root):
        found.add((*path, "source_root"), path_fault(root))
    elif identity is not None and root != f"modules/{identity}":
        found.add((*path, "source_root"), f"expected modules/{identity}")


def _vendor(found: Faults, entry: dict[str, Any], path: Path) -> None:
    found.keys(entry, path, ("from", "to"))
    for key in ("from", "to"):
        value = found.given_text(entry, (*path, key))
        if value is not None and path_fault(value):
            found.add((*path, key), path_fault(value))
    to = entry.get("to")
    if isinstance(to, str) and to.startswith(f"{VENDOR}/"):
        told = f"expected {VENDOR}, where a source keeps its package's path, or another place"
        found.add((*path, "to"), told)


def _replacement(found: Faults, entry: dict[str, Any], path: Path) -> None:
    found.keys(entry, path, _REPLACE, ("mode",))
    if "files" in entry:
        for glob, place in found.texts(entry, (*path, "files")).items():
            if fault := _glob_fault(glob):
                found.add((*path, "files", place), fault)
    for key in ("find", "replace"):
        if key in entry and not isinstance(entry[key], str):
            found.add((*path, key), "expected a text")
    if entry.get("find") == "":
        found.add((*path, "find"), "expected a non-empty text")
    mode = entry.get("mode", "word")
    if mode not in MODES:
        found.add((*path, "mode"), f"expected one of {', '.join(MODES)}")
    elif mode == "regex":
        _expression(found, entry, path)
    if "expect" in entry:
        found.positive(entry, (*path, "expect"))


def _expression(found: Faults, entry: dict[str, Any], path: Path) -> None:
    if not isinstance(entry.get("find"), str):
        return
    try:
        compiled = re.compile(entry["find"])
    except (re.error, OverflowError, RecursionError) as error:
        found.add((*path, "find"), f"it is no regular expression: {error}")
        return
    if compiled.match(""):
        found.add((*path, "find"), "it matches an empty text")


def _notice(found: Faults, entry: dict[str, Any], path: Path) -> None:
    found.keys(entry, path, _NOTICE)
    for key in _NOTICE:
        value = found.given_text(entry, (*path, key))
        if key == "notice" and value is not None and path_fault(value):
            found.add((*path, key), path_fault(value))


def _paths(
    found: Faults, document: dict[str, Any], key: str, *, is_glob: bool, empty: bool
) -> None:
    for text, place in found.texts(document, (key,), empty=empty).items():
        if fault := _glob_fault(text) if is_glob else path_fault(text):
            found.add((key, place), fault)


def _glob_fault(glob: str) -> str:
    """Return why a glob cannot match a module's files, or an empty text."""
    return path_fault(glob.replace("*", "x").replace("?", "x"))
