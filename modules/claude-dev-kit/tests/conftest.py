"""Fixtures of the tests of claude-dev-kit.

They run against `HPP_MODULE_ROOT`, an emitted module, when that is set; else against the
sources, laid out as the build lays them out, with the library of the installed hpp-core.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import hpp.core

if TYPE_CHECKING:
    from collections.abc import Callable

SOURCE = Path(__file__).resolve().parents[1]
LIBRARY = Path(hpp.core.__file__).parents[2]
Run = subprocess.CompletedProcess[bytes]


@pytest.fixture(scope="session")
def module_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the root of the module that is tested."""
    given = os.environ.get("HPP_MODULE_ROOT")
    if given:
        return Path(given).resolve()
    root = tmp_path_factory.mktemp("module") / SOURCE.name
    shutil.copytree(SOURCE, root, ignore=shutil.ignore_patterns("tests", "__pycache__"))
    build = json.loads((SOURCE / "module.build.json").read_bytes())
    for entry in build["vendor"]:
        if entry["to"] != "_vendor":
            shutil.copy(LIBRARY / entry["from"], root / entry["to"])
    return root


@pytest.fixture(scope="session")
def environment() -> dict[str, str]:
    """Return an environment whose `python3` is the one of these tests, without our variables."""
    hidden = ("CLAUDE_", "HPP_", "GIT_", "LANE_", "OPERATOR_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(hidden)}
    first = os.path.dirname(sys.executable)
    return {**kept, "PATH": first + os.pathsep + kept.get("PATH", ""), "PYTHONUTF8": "1"}


@pytest.fixture
def run(module_root: Path, environment: dict[str, str], tmp_path: Path) -> Callable[..., Run]:
    """Return a runner of the module's scripts in a project of their own."""
    project = tmp_path / "a project"
    project.mkdir()

    def start(
        script: str, *words: object, cwd: Path = project, stdin: bytes = b"", **more: str
    ) -> Run:
        return subprocess.run(
            [sys.executable, module_root / script, *map(str, words)], cwd=cwd, input=stdin,
            env={**environment, **more}, capture_output=True, timeout=120, check=False,
        )  # fmt: skip

    return start


@pytest.fixture
def project(run: Callable[..., Run], tmp_path: Path) -> Path:
    """Return the project in which `run` runs."""
    del run
    return tmp_path / "a project"


@pytest.fixture
def git(environment: dict[str, str]) -> Callable[..., Run]:
    """Return a caller of git; it skips where git is not installed."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")

    def call(folder: Path, *words: object, check: bool = True) -> Run:
        identity = ["-c", "user.name=A", "-c", "user.email=a@example.invalid"]
        return subprocess.run(
            ["git", *identity, *map(str, words)], cwd=folder, env=environment,
            capture_output=True, timeout=60, check=check,
        )  # fmt: skip

    return call


@pytest.fixture(scope="session")
def token() -> str:
    """Return a text of the shape of a secret, made here so that no file holds it."""
    return "ghp_" + "a1B2" * 9


@pytest.fixture
def write_event(project: Path) -> Callable[[str, str], dict[str, Any]]:
    """Return a maker of the event that a host sends before a file is written."""

    def make(path: str, content: str) -> dict[str, Any]:
        return {
            "hook_event_name": "PreToolUse", "session_id": "s", "cwd": str(project),
            "tool_name": "Write", "tool_input": {"file_path": path, "content": content},
        }  # fmt: skip

    return make
