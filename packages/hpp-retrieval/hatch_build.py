"""Build hook: put two folders of the repository's ``examples`` into ``hpp/retrieval/examples``.

The folders at the repository root are the only source; git ignores the copies. In an
unpacked sdist there is no repository, and the copies shipped in it are used.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

EXAMPLES = {
    "citations": ("answer.md", "context.json"),
    "retrieval": ("keyword_retriever.py", "suite.json"),
}


class ExamplesHook(BuildHookInterface):
    """Bring the packaged examples up to date before any kind of build."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        """Copy the examples when this is a checkout, and include them in the archive."""
        root = Path(self.root)
        packaged = root / "src" / "hpp" / "retrieval" / "examples"
        is_sdist = (root / "PKG-INFO").exists()
        for folder, names in EXAMPLES.items():
            for name in names:
                target = packaged / folder / name
                if not is_sdist:
                    _mirror(root.parent.parent / "examples" / folder / name, target)
                elif not target.is_file():
                    raise FileNotFoundError(f"{target}: this sdist was built without its examples")
        build_data["artifacts"].append("/src/hpp/retrieval/examples/*/*")


def _mirror(source: Path, target: Path) -> None:
    """Make one file hold the bytes of another."""
    target.parent.mkdir(parents=True, exist_ok=True)
    data = source.read_bytes()
    if not target.exists() or target.read_bytes() != data:
        target.write_bytes(data)
