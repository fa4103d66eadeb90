"""Build hook: put the repository's ``hpp.manifest.json`` beside ``hpp/core/manifest.py``.

The file at the repository root is the only source; git ignores the copy. In an
unpacked sdist there is no repository, and the copy shipped in it is used.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NAME = "hpp.manifest.json"


class ManifestHook(BuildHookInterface):
    """Bring the packaged manifest up to date before any kind of build."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        """Copy the manifest when this is a checkout, and include it in the archive."""
        root = Path(self.root)
        packaged = root / "src" / "hpp" / "core" / NAME
        is_sdist = (root / "PKG-INFO").exists()
        if is_sdist and not packaged.exists():
            raise FileNotFoundError(f"{packaged}: this sdist was built without its manifest")
        if not is_sdist:
            source = (root.parent.parent / NAME).read_bytes()
            if not packaged.exists() or packaged.read_bytes() != source:
                packaged.write_bytes(source)
        build_data["artifacts"].append(f"/src/hpp/core/{NAME}")
