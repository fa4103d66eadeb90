"""Modules, distributions and targets that tests install, with facts of a quiet machine."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from hpp.installer.kit import fixture
from hpp.installer.kit.facts import Facts
from hpp.installer.kit.install import install
from hpp.installer.kit.request import Request

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


class Workshop:
    """Folders of one test."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.target = place / "target"
        self.target.mkdir()
        self.facts = replace(Facts(), homes=(str(place / "home"),), cwd=str(place))

    def files(self, version: str = "0.1.0", **rules: Any) -> dict[str, bytes]:  # noqa: ANN401 -- of module_files
        """Return the files of a sound module, its inventory included."""
        return fixture.sealed_files(fixture.module_files(version, **rules))

    def distribution(
        self, version: str = "0.1.0", files: Mapping[str, bytes] | None = None
    ) -> Path:
        """Write a distribution and return its module's folder."""
        root = self.place / f"distribution-{version}-{len(os.listdir(self.place))}"
        made = files if files is not None else self.files(version)
        return type(self.place)(fixture.write_distribution(str(root), made, version))

    def bare(self, files: Mapping[str, bytes], version: str = "0.1.0") -> Path:
        """Write a module folder that lies in no distribution."""
        count = len(os.listdir(self.place))
        root = self.place / f"bare-{count}" / f"{fixture.ID}-{version}"
        fixture.write_files(str(root), files)
        return root

    def install(self, module: Path, *, facts: Facts | None = None, **rules: Any) -> dict[str, Any]:  # noqa: ANN401 -- of Request
        """Install for Codex without proofs, unless told otherwise; return the report."""
        rules = {"host": "codex", "apply": True, "no_smoke": True, **rules}
        rules.setdefault("target", str(self.target))
        request = Request(kit=str(module), **rules)
        return install(request, facts or self.facts, "hpp kit")

    def tree(self, root: Path | None = None) -> dict[str, bytes | None]:
        """Return every file below a folder with its bytes, and every folder with None."""
        start = root or self.target
        found: dict[str, bytes | None] = {}
        for path in sorted(start.rglob("*")):
            name = path.relative_to(start).as_posix()
            found[name] = None if path.is_dir() and not path.is_symlink() else path.read_bytes()
        return found


@pytest.fixture
def shop(tmp_path: Path) -> Workshop:
    return Workshop(tmp_path)
