"""``distribution.json``, which digests everything, and the emitted manifest."""

from __future__ import annotations

import json
import re

from hpp.core.canonical import sha256_hex
from hpp.core.errors import RefusedError
from hpp.installer.forge.catalogue import CLAUDE, CODEX, laid_out
from hpp.installer.formats.inventory import NAME as INVENTORY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hpp.installer.forge.moduleforge import Emission
    from hpp.installer.forge.product import Product

__all__ = ["MANIFEST", "NAME", "SCHEMA", "distribution_file", "emitted_manifest"]

NAME = "distribution.json"
SCHEMA = "hpp.distribution/v1"
MANIFEST = "hpp.manifest.json"
_INSTALLER = "kit-forge"


def distribution_file(
    product: Product, emissions: Sequence[Emission], files: Mapping[str, bytes]
) -> bytes:
    """Return the document that anchors an installation.

    Args:
        product: The product.
        emissions: Every module.
        files: The product's own files by path, catalogues and manifest among them.

    """
    modules = [
        {
            "id": emission.module.id,
            "version": emission.module.version,
            "path": emission.folder,
            "files": len(emission.files) - 1,
            "checksums_sha256": sha256_hex(emission.files[INVENTORY]),
            "zip": f"{emission.folder}.zip",
            "zip_sha256": sha256_hex(emission.archive),
            "zip_bytes": len(emission.archive),
        }
        for emission in sorted(emissions, key=lambda emission: emission.module.id)
    ]
    return laid_out(
        {
            "schema": SCHEMA,
            "product_version": product.manifest.product_version,
            "manifest_sha256": sha256_hex(files[MANIFEST]),
            "marketplace_sha256": sha256_hex(files[CLAUDE]),
            "codex_marketplace_sha256": sha256_hex(files[CODEX]),
            "modules": modules,
        }
    )


def emitted_manifest(product: Product, emissions: Sequence[Emission]) -> bytes:
    """Return the manifest with the paths of the emission; every other byte stays.

    Raises:
        RefusedError: A path cannot be told apart from another value of the same form.

    """
    text = product.manifest_bytes.decode("utf-8")
    document = json.loads(text)
    places = {emission.module.path: emission.folder for emission in emissions}
    installer = document["installer"]["path"]
    for emission in emissions:
        if emission.module.id == _INSTALLER:
            places[installer] = f"{emission.folder}/kit_doctor.py"
    for source, place in places.items():
        text, count = re.subn(rf'("path"\s*:\s*)"{re.escape(source)}"', rf'\1"{place}"', text)
        if count != 1:
            raise RefusedError(f'{MANIFEST}: "path": "{source}" is there {count} times, not once')
    for module in document["modules"]:
        module["path"] = places.get(module["path"], module["path"])
    document["installer"]["path"] = places.get(installer, installer)
    if json.loads(text) != document:
        raise RefusedError(f"{MANIFEST}: replacing the paths changed something else")
    return text.encode("utf-8")
