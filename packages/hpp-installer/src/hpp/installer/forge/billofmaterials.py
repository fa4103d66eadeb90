"""The bill of materials of a distribution, CycloneDX 1.6 in JSON.

Archives of Python are read from the distribution's own folder of files, when it has one;
modules come from their emissions. It holds no time and no random number: the same
distribution has the same bill.
"""

from __future__ import annotations

import io
import os
import re
import uuid
import zipfile

from hpp.core.canonical import canonical_bytes, sha256_hex
from hpp.installer.forge.catalogue import laid_out

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from hpp.installer.forge.moduleforge import Emission
    from hpp.installer.forge.product import Product

__all__ = ["NAME", "bill_of_materials", "distribution_wheels"]

NAME = "hpp.cdx.json"
_SPACE = uuid.UUID("6f9b4c0e-5f2e-5d53-9d0c-0b9c1d2e7a41")
_REQUIREMENT = re.compile(r"([A-Za-z0-9][\w.-]*)\s*(?:\[[^]]*\])?\s*([^;]*)(;.*)?")


def bill_of_materials(
    product: Product, emissions: Sequence[Emission], wheels: dict[str, bytes]
) -> bytes:
    """Return the bill.

    Args:
        product: The product.
        emissions: Every module.
        wheels: Bytes of each wheel of the distribution by file name.

    """
    version = product.manifest.product_version
    root = {
        "type": "application",
        "bom-ref": f"{product.name}@{version}",
        "name": product.name,
        "version": version,
        "licenses": [{"license": {"id": "MIT"}}],
    }
    components: dict[str, dict[str, Any]] = {}
    needs: dict[str, set[str]] = {}
    for name, data in sorted(wheels.items()):
        _add_wheel(components, needs, name, data)
    _resolve(components, needs)
    for emission in sorted(emissions, key=lambda emission: emission.module.id):
        component = _module(emission)
        components[component["bom-ref"]] = component
        needs[component["bom-ref"]] = set()
    needs[str(root["bom-ref"])] = {
        reference for reference, part in components.items() if "hashes" in part
    }
    content = {
        "metadata": {"component": root},
        "components": [components[reference] for reference in sorted(components)],
        "dependencies": [
            {"ref": reference, "dependsOn": sorted(needs[reference])} for reference in sorted(needs)
        ],
    }
    serial = uuid.uuid5(_SPACE, sha256_hex(canonical_bytes(content)))
    head = {"bomFormat": "CycloneDX", "specVersion": "1.6", "serialNumber": f"urn:uuid:{serial}"}
    return laid_out({**head, "version": 1, **content})


def distribution_wheels(out: str) -> dict[str, bytes]:
    """Return the wheels that lie in the folder ``files`` of a distribution."""
    folder = os.path.join(out, "files")
    found: dict[str, bytes] = {}
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        if name.endswith(".whl"):
            with open(os.path.join(folder, name), "rb") as stream:
                found[name] = stream.read()
    return found


def _module(emission: Emission) -> dict[str, Any]:
    module = emission.module
    return {
        "type": "application",
        "bom-ref": f"module:{module.id}@{module.version}",
        "name": module.id,
        "version": module.version,
        "description": emission.plugin["description"],
        "hashes": [{"alg": "SHA-256", "content": sha256_hex(emission.archive)}],
        "licenses": [{"license": {"id": emission.plugin["license"]}}],
        "properties": [{"name": "hpp:zip", "value": f"{emission.folder}.zip"}],
    }


def _add_wheel(
    components: dict[str, dict[str, Any]], needs: dict[str, set[str]], name: str, data: bytes
) -> None:
    """Add a wheel, with the names that it requires still unresolved."""
    fields = _metadata(data)
    identity, version = fields["Name"][0], fields["Version"][0]
    reference = f"wheel:{_normal(identity)}@{version}"
    component: dict[str, Any] = {
        "type": "library",
        "bom-ref": reference,
        "name": identity,
        "version": version,
        "hashes": [{"alg": "SHA-256", "content": sha256_hex(data)}],
        "licenses": [{"license": {"id": fields.get("License-Expression", ["MIT"])[0]}}],
        # No package URL: the public index has strangers' projects under two of our names.
        "properties": [{"name": "hpp:file", "value": f"files/{name}"}],
    }
    components[reference] = component
    needs[reference] = {line for line in fields.get("Requires-Dist", []) if "extra ==" not in line}


def _metadata(data: bytes) -> dict[str, list[str]]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        (place,) = (n for n in archive.namelist() if n.endswith(".dist-info/METADATA"))
        text = archive.read(place).decode("utf-8")
    fields: dict[str, list[str]] = {}
    for line in text.split("\n\n", 1)[0].split("\n"):
        key, colon, value = line.partition(": ")
        if colon and key[:1].strip():
            fields.setdefault(key, []).append(value.strip())
    return fields


def _resolve(components: dict[str, dict[str, Any]], needs: dict[str, set[str]]) -> None:
    """Turn requirements into references; what is not ours becomes a component of a range."""
    ours = {_normal(part["name"]): reference for reference, part in components.items()}
    for reference, lines in list(needs.items()):
        resolved: set[str] = set()
        for line in lines:
            matched = _REQUIREMENT.fullmatch(line)
            if matched is None:
                continue
            name = _normal(matched[1])
            if name not in ours:
                ours[name] = f"pkg:pypi/{name}"
                components[ours[name]] = {
                    "type": "library",
                    "bom-ref": ours[name],
                    "name": matched[1],
                    "purl": f"pkg:pypi/{name}",
                    "scope": "required",
                    "properties": [{"name": "hpp:requirement", "value": matched[2].strip()}],
                }
                needs[ours[name]] = set()
            resolved.add(ours[name])
        needs[reference] = resolved


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
