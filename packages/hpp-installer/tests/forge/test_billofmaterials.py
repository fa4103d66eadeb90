"""The bill of materials: what a distribution is made of, and what that needs."""

from __future__ import annotations

import hashlib
import io
import zipfile
from typing import Any

Tree = Any
Forge = Any


def wheel(name: str, *requires: str) -> bytes:
    """Return a wheel with nothing in it but its metadata."""
    lines = ["Metadata-Version: 2.4", f"Name: {name}", "Version: 0.1.0", "License-Expression: MIT"]
    lines += [f"Requires-Dist: {line}" for line in requires]
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        folder = f"{name.replace('-', '_')}-0.1.0.dist-info"
        archive.writestr(f"{folder}/METADATA", "\n".join([*lines, "", "Name: prose"]))
    return out.getvalue()


def test_wheels_modules_and_their_needs_are_listed(
    source_tree: Tree, emitted: Tree, forge: Forge
) -> None:
    family = wheel("hpp-family", "hpp-core<0.2,>=0.1", "pytest>=9; extra == 'test'")
    emitted.put("files/hpp_core-0.1.0-py3-none-any.whl", wheel("hpp-core", "jsonschema>=4.0"))
    emitted.put("files/hpp_family-0.1.0-py3-none-any.whl", family)

    assert forge("--check").status == 2
    assert forge("--apply").status == 0
    bill = emitted.read("hpp.cdx.json")

    parts = {part["bom-ref"]: part for part in bill["components"]}
    needs = {entry["ref"]: entry["dependsOn"] for entry in bill["dependencies"]}
    digest = parts["wheel:hpp-family@0.1.0"]["hashes"][0]
    assert digest == {"alg": "SHA-256", "content": hashlib.sha256(family).hexdigest()}
    assert needs["wheel:hpp-family@0.1.0"] == ["wheel:hpp-core@0.1.0"]
    assert needs["wheel:hpp-core@0.1.0"] == ["pkg:pypi/jsonschema"]
    assert set(needs) == {*parts, "house-party-protocol@0.1.0"}
    archive = emitted.snapshot()["multi-session/lane-kit-0.1.0.zip"]
    module = parts["module:lane-kit@0.1.0"]
    assert module["hashes"][0]["content"] == hashlib.sha256(archive).hexdigest()
    assert forge("--check").status == 0
    assert source_tree.root.is_dir()


def test_the_serial_number_follows_from_the_content(
    source_tree: Tree, emitted: Tree, forge: Forge
) -> None:
    first = emitted.read("hpp.cdx.json")["serialNumber"]
    assert forge("--apply", out="again").status == 0
    again = source_tree.root.parent / "again" / "hpp.cdx.json"
    assert first in again.read_text()

    source_tree.put("modules/lane-kit/README.md", "# other\n")
    assert forge("--apply").status == 0
    assert emitted.read("hpp.cdx.json")["serialNumber"] != first
