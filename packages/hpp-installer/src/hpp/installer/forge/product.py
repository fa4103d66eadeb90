"""The product: its build document and its manifest, and whether they agree."""

from __future__ import annotations

import os

from hpp.core.document import read_document, shown_name
from hpp.core.errors import RefusedError
from hpp.core.fault import Faults
from hpp.core.manifest import parse_manifest
from hpp.core.strictjson import parse_bytes
from hpp.installer.formats.identifier import is_module_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hpp.core.fault import Path
    from hpp.core.manifest import Manifest, Module

__all__ = ["BUILD", "Product", "find_root", "product_faults", "read_product"]

BUILD = "modules/product.build.json"
MANIFEST = "hpp.manifest.json"
SCHEMA = "hpp.product-build/v1"
_TEXTS = ("displayName", "description", "owner", "homepage", "repository")
_KEYS = ("schema", *_TEXTS, "modules")
_MODULE = ("id", "category")


class Product:
    """A source tree's product.

    Attributes:
        root: The source tree.
        build: The build document: texts for the catalogues, modules in their order.
        manifest: The manifest.
        manifest_bytes: Its bytes.

    """

    def __init__(self, root: str, build: dict[str, Any], manifest_bytes: bytes) -> None:
        self.root = root
        self.build = build
        self.manifest_bytes = manifest_bytes
        path = shown_name(os.path.join(root, MANIFEST))
        document = parse_bytes(manifest_bytes, path, root=dict)
        self.name: str = document.get("name", "")
        self.manifest: Manifest = parse_manifest(document, path)

    @property
    def order(self) -> list[str]:
        """Return the ids of the modules in the order of the catalogues."""
        return [entry["id"] for entry in self.build["modules"]]

    def category(self, identity: str) -> str:
        """Return the category that a catalogue shows of a module."""
        return next(
            str(entry["category"]) for entry in self.build["modules"] if entry["id"] == identity
        )

    def module(self, identity: str) -> Module:
        """Return a module's declaration.

        Raises:
            RefusedError: The manifest declares none of that id.

        """
        for module in self.manifest.modules:
            if module.id == identity:
                return module
        raise RefusedError(f"{MANIFEST}: modules: there is no {identity}")


def find_root(given: str | None, cwd: str) -> str:
    """Return the source tree: the one given, or the nearest folder that holds one.

    Raises:
        RefusedError: There is none.

    """
    if given is not None:
        folder = os.path.abspath(os.path.join(cwd, given))
        if os.path.isfile(os.path.join(folder, *BUILD.split("/"))):
            return folder
        raise RefusedError(f"{shown_name(given)}: no source tree, it has no {BUILD}")
    folder = os.path.abspath(cwd)
    while not os.path.isfile(os.path.join(folder, *BUILD.split("/"))):
        parent = os.path.dirname(folder)
        if parent == folder:
            raise RefusedError(f"no source tree here or above: none holds {BUILD}; give --root")
        folder = parent
    return folder


def read_product(root: str) -> Product:
    """Return the product of a source tree.

    Raises:
        RefusedError: A document cannot be read, breaks its rules, or they disagree.

    """
    place = os.path.join(root, *BUILD.split("/"))
    build = read_document(place, root=dict)
    faults = product_faults(build)
    if faults:
        raise RefusedError(f"{BUILD}: {faults[0]}{_further(faults)}")
    try:
        with open(os.path.join(root, MANIFEST), "rb") as stream:
            data = stream.read()
    except OSError as error:
        raise RefusedError(f"{MANIFEST}: cannot be read: {error.strerror}") from None
    product = Product(root, build, data)
    disagreements = _disagreements(product)
    if disagreements:
        raise RefusedError(f"{BUILD}: {disagreements[0]}{_further(disagreements)}")
    return product


def _further(faults: list[str]) -> str:
    return f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""


def _disagreements(product: Product) -> list[str]:
    listed, declared = set(product.order), {module.id for module in product.manifest.modules}
    told = [f"modules: {identity} is not in {MANIFEST}" for identity in sorted(listed - declared)]
    told += [f"modules: {identity} is missing" for identity in sorted(declared - listed)]
    for module in product.manifest.modules:
        if module.path != f"modules/{module.id}":
            told.append(f"{MANIFEST}: {module.id}: path: expected modules/{module.id}")
    return told


def product_faults(document: dict[str, Any]) -> list[str]:
    """Return every fault of a build document as ``path: what``."""
    found = Faults(document)
    found.keys(document, (), _KEYS)
    if "schema" in document:
        found.exactly(document, ("schema",), SCHEMA, f'the text "{SCHEMA}"')
    for key in _TEXTS:
        if key in document:
            found.text(document, (key,))
    seen: set[str] = set()
    for number, entry in found.objects(document, ("modules",)) if "modules" in document else []:
        path: Path = ("modules", number)
        found.keys(entry, path, _MODULE)
        for key in _MODULE:
            value = found.text(entry, (*path, key)) if key in entry else None
            if key == "id" and value is not None:
                if not is_module_id(value):
                    found.add((*path, key), "expected the id of a module")
                if value in seen:
                    found.add((*path, key), "it is repeated")
                seen.add(value)
    return found.in_order()
