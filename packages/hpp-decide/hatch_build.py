"""Build hook: put this distribution's folders of ``examples`` into ``hpp/decide/examples``.

The folders at the repository root are the only source; git ignores the copies. In an
unpacked sdist there is no repository, and the copies shipped in it are used.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NAMES = ("deliberation", "findings", "routing", "typed-decisions")
SUFFIXES = (".diff", ".json", ".py")


class ExamplesHook(BuildHookInterface):
    """Bring the packaged examples up to date before any kind of build."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        """Copy the examples when this is a checkout, and include them in the archive."""
        root = Path(self.root)
        packaged = root / "src" / "hpp" / "decide" / "examples"
        is_sdist = (root / "PKG-INFO").exists()
        for name in NAMES:
            if is_sdist and not (packaged / name).is_dir():
                raise FileNotFoundError(f"{packaged / name}: this sdist was built without it")
            if not is_sdist:
                _mirror(root.parent.parent / "examples" / name, packaged / name)
            build_data["artifacts"] += [
                f"/src/hpp/decide/examples/{name}/*{suffix}" for suffix in SUFFIXES
            ]


def _mirror(source: Path, packaged: Path) -> None:
    """Make one folder hold exactly the example files of another."""
    packaged.mkdir(parents=True, exist_ok=True)
    wanted = {p.name: p.read_bytes() for p in sorted(source.iterdir()) if p.suffix in SUFFIXES}
    if not wanted:
        raise FileNotFoundError(f"{source}: no examples to package")
    for path in packaged.iterdir():
        if path.is_file() and path.name not in wanted:
            path.unlink()
    for name, data in wanted.items():
        path = packaged / name
        if not path.exists() or path.read_bytes() != data:
            path.write_bytes(data)
