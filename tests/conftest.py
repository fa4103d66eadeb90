"""Fixtures of the tests of the whole program."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Program = Callable[..., subprocess.CompletedProcess[bytes]]

DROPPED = ("NO_COLOR", "FORCE_COLOR", "COLORTERM", "CI", "WT_SESSION", "PYTHONIOENCODING")
MERMAID = Path(__file__).parent / "mermaid"


@pytest.fixture(scope="session")
def root() -> Path:
    """Return the repository."""
    return Path(__file__).resolve().parent.parent


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Return an environment that knows no user: a home and a git of its own."""
    home = tmp_path / "home"
    home.mkdir()
    kept = {k: v for k, v in os.environ.items() if k not in DROPPED and not k.startswith("GIT_")}
    kept.update(HOME=str(home), USERPROFILE=str(home), GIT_CONFIG_NOSYSTEM="1")
    kept.update(GIT_CEILING_DIRECTORIES=str(tmp_path), PYTHONDONTWRITEBYTECODE="1")
    return kept


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """Return an empty folder, with a blank and a letter beyond ASCII in its path."""
    folder = tmp_path / "a wörk space"
    folder.mkdir()
    return folder


@pytest.fixture
def hpp(workspace: Path, environment: dict[str, str]) -> Program:
    """Return a caller of the installed program in the workspace."""

    def call(
        *words: str, cwd: Path | None = None, stdin: bytes | None = None, timeout: float = 90
    ) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [sys.executable, "-I", "-m", "hpp", *words],
            cwd=cwd or workspace,
            env=environment,
            input=stdin if stdin is not None else b"",
            capture_output=True,
            timeout=timeout,
            check=False,
        )

    return call


@pytest.fixture(scope="session")
def read_mermaid() -> Callable[[Sequence[str]], list[dict[str, Any]]]:
    """Return a reader of diagrams: what the real Mermaid parser understood of each."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("the real Mermaid parser needs node")
    if not (MERMAID / "node_modules" / "mermaid").is_dir():
        pytest.skip("the real Mermaid parser: npm install --prefix tests/mermaid")

    def read(diagrams: Sequence[str]) -> list[dict[str, Any]]:
        done = subprocess.run(
            [node, str(MERMAID / "read.mjs")],
            input=json.dumps(diagrams),
            encoding="utf-8",
            capture_output=True,
            check=True,
        )
        answers: list[dict[str, Any]] = json.loads(done.stdout)
        return answers

    return read
