"""The digests of a distribution tree, and the archives that they are of."""

from __future__ import annotations

import os

from hpp.core.document import read_input
from hpp.core.errors import RefusedError
from hpp.core.text import shorten
from hpp.installer.formats.archive import LARGEST_ARCHIVE, form_faults, read_zip
from hpp.installer.formats.identifier import is_module_id
from hpp.installer.formats.inventory import NAME as INVENTORY
from hpp.installer.formats.inventory import parse_inventory, sha256_hex
from hpp.installer.formats.relativepath import path_fault
from hpp.installer.kit.anchor import DISTRIBUTION, SCHEMA

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hpp.installer.kit.emittedtree import EmittedTree

__all__ = ["check_digests"]

_FILES = {
    "manifest_sha256": "hpp.manifest.json",
    "marketplace_sha256": "marketplace.json",
    "codex_marketplace_sha256": ".agents/plugins/marketplace.json",
}


def check_digests(tree: EmittedTree, sources: dict[str, str]) -> None:
    """Hold every digest of the tree to the bytes that it is of.

    Args:
        tree: The tree.
        sources: Folder by module, as the catalogue has them.

    """
    document = tree.document(DISTRIBUTION, "digest-mismatch")
    if document is None:
        return
    if document.get("schema") != SCHEMA:
        told = f"schema: {shorten(str(document.get('schema')))}"
        tree.refuse("digest-mismatch", DISTRIBUTION, told, SCHEMA)
        return
    for key, path in _FILES.items():
        _compare(tree, path, tree.read(path), document.get(key))
    modules = document.get("modules")
    seen = set()
    for entry in modules if isinstance(modules, list) else []:
        identity = entry.get("id") if isinstance(entry, dict) else None
        if not isinstance(identity, str) or not is_module_id(identity):
            tree.refuse("digest-mismatch", DISTRIBUTION, "modules: an entry without id", "an id")
            continue
        seen.add(identity)
        _check_module(tree, entry, sources.get(identity, ""))
    for identity in sorted(set(sources) - seen):
        told = f"{shorten(identity)} has no digests"
        tree.refuse("digest-mismatch", DISTRIBUTION, told, "an entry per module")


def _check_module(tree: EmittedTree, entry: dict[str, Any], source: str) -> None:
    identity = str(entry["id"])
    path, archive = entry.get("path"), entry.get("zip")
    if not isinstance(path, str) or path_fault(path) or path != source:
        told = f"{identity}: path: {shorten(str(path))}"
        tree.refuse("digest-mismatch", DISTRIBUTION, told, source or "a module of the catalogue")
        return
    inventory = tree.read(f"{path}/{INVENTORY}")
    _compare(tree, f"{path}/{INVENTORY}", inventory, entry.get("checksums_sha256"))
    if inventory is None:
        return
    if not isinstance(archive, str) or path_fault(archive):
        told = f"{identity}: zip: {shorten(str(archive))}"
        tree.refuse("digest-mismatch", DISTRIBUTION, told, f"{path}.zip")
        return
    try:
        data = read_input(tree.at(archive), limit=LARGEST_ARCHIVE)
    except RefusedError:
        tree.refuse("zip-invalid", archive, "it is missing or cannot be read", "the module's zip")
        return
    _compare(tree, archive, data, entry.get("zip_sha256"))
    if entry.get("zip_bytes") != len(data):
        tree.refuse("digest-mismatch", archive, f"{len(data)} bytes", str(entry.get("zip_bytes")))
    _check_archive(tree, archive, data, inventory)


def _check_archive(tree: EmittedTree, path: str, data: bytes, inventory: bytes) -> None:
    """Hold an archive to the module's inventory and to the form that the forge writes."""
    found = read_zip(data, os.path.basename(path))
    if found.problems:
        for problem in found.problems:
            told = f"{problem.path}: {problem.measured}"
            tree.refuse("zip-invalid", path, told, problem.expected)
        return
    listed = parse_inventory(inventory).files
    there = {name: sha256_hex(member) for name, member in found.files.items() if name != INVENTORY}
    if there != listed or found.files.get(INVENTORY) != inventory:
        differing = sorted(
            name for name in {*there, *listed} if there.get(name) != listed.get(name)
        )
        told = shorten(", ".join(differing) or INVENTORY)
        tree.refuse("zip-invalid", path, f"it differs in {told}", "the files of the inventory")
        return
    modes = _executables(data)
    for fault in form_faults(data, modes):
        tree.refuse("zip-invalid", path, shorten(fault, 200), "as the forge writes it")


def _executables(data: bytes) -> set[str]:
    """Return the members that carry mode 0755; which may is the build manifest's to say."""
    import io
    import zipfile

    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {
            member.filename
            for member in archive.infolist()
            if member.external_attr >> 16 & 0o777 == 0o755  # noqa: PLR2004 -- permission bits
        }


def _compare(tree: EmittedTree, path: str, data: bytes | None, wanted: object) -> None:
    actual = "it is missing" if data is None else sha256_hex(data)
    if actual != wanted:
        tree.refuse("digest-mismatch", path, actual, shorten(str(wanted)))
