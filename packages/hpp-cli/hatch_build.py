"""Build hook: put the repository's ``examples/reliable-coding`` into ``hpp/cli/examples``.

The folder at the repository root is the only source; git ignores the copy. In an unpacked
sdist there is no repository, and the copy shipped in it is used.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NAME = "reliable-coding"


class ExamplesHook(BuildHookInterface):
    """Bring the packaged examples up to date before any kind of build."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        """Copy the examples when this is a checkout, and include them in the archive."""
        root = Path(self.root)
        packaged = root / "src" / "hpp" / "cli" / "examples" / NAME
        is_sdist = (root / "PKG-INFO").exists()
        if is_sdist and not packaged.is_dir():
            raise FileNotFoundError(f"{packaged}: this sdist was built without its examples")
        if not is_sdist:
            _mirror(root.parent.parent / "examples" / NAME, packaged)
        build_data["artifacts"].append(f"/src/hpp/cli/examples/{NAME}/*.json")


def _mirror(source: Path, packaged: Path) -> None:
    """Make one folder hold exactly the JSON files of another."""
    packaged.mkdir(parents=True, exist_ok=True)
    wanted = {path.name: path.read_bytes() for path in sorted(source.glob("*.json"))}
    if not wanted:
        raise FileNotFoundError(f"{source}: no examples to package")
    for path in packaged.iterdir():
        if path.name not in wanted:
            path.unlink()
    for name, data in wanted.items():
        path = packaged / name
        if not path.exists() or path.read_bytes() != data:
            path.write_bytes(data)
