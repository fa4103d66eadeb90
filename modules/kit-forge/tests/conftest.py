"""Fixtures of the tests of kit-forge: the emitted module, and a machine without hpp.

They run against `HPP_MODULE_ROOT` when that is set, else against a fresh emission.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from hpp.installer.command import main

if TYPE_CHECKING:
    from collections.abc import Callable

REPOSITORY = Path(__file__).resolve().parents[3]
Run = subprocess.CompletedProcess[str]


@pytest.fixture(scope="session")
def module_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the root of the emitted module."""
    given = os.environ.get("HPP_MODULE_ROOT")
    if given:
        return Path(given).resolve()
    out = tmp_path_factory.mktemp("forge")
    words = ["--module", "kit-forge", "--root", str(REPOSITORY), "--out", str(out), "--apply"]
    assert main(["forge", *words]) == 0
    (found,) = (path for path in (out / "installers").iterdir() if path.is_dir())
    return found


@pytest.fixture
def script(module_root: Path, tmp_path: Path) -> Callable[..., Run]:
    """Return a function that runs a script of the module where hpp is not installed."""
    home = tmp_path / "home"
    home.mkdir()
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}

    def run(name: str, *words: str) -> Run:
        return subprocess.run(
            # Isolated: no installed package and no variable of the caller is seen.
            [sys.executable, "-I", "-S", "-B", str(module_root / name), *words],
            capture_output=True,
            encoding="utf-8",
            timeout=120,
            cwd=tmp_path,
            env={**kept, "HOME": str(home), "USERPROFILE": str(home)},
            check=False,
        )

    return run
