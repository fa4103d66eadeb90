"""Fixtures of the tests of lane-kit.

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
from typing import TYPE_CHECKING

import pytest

import hpp.core

if TYPE_CHECKING:
    from collections.abc import Callable

SOURCE = Path(__file__).resolve().parents[1]
LIBRARY = Path(hpp.core.__file__).parents[2]
Run = subprocess.CompletedProcess[str]


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
    hidden = ("CLAUDE", "HPP_", "GIT_", "LANE_", "OPERATOR_", "CODEX_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(hidden)}
    first = os.path.dirname(sys.executable)
    return {**kept, "PATH": first + os.pathsep + kept.get("PATH", ""), "PYTHONUTF8": "1"}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return an empty project in a folder with a space in its name."""
    folder = tmp_path / "a project"
    folder.mkdir()
    return folder


@pytest.fixture
def state_folder(tmp_path: Path) -> Path:
    """Return where hooks remember what they said."""
    return tmp_path / "state"


@pytest.fixture
def run(
    module_root: Path, environment: dict[str, str], project: Path, state_folder: Path
) -> Callable[..., Run]:
    """Return a runner of the module's scripts in the project."""

    def start(
        script: str, *words: object, cwd: Path = project, stdin: str = "", **more: str
    ) -> Run:
        return subprocess.run(
            [sys.executable, module_root / script, *map(str, words)], cwd=cwd, input=stdin,
            env={**environment, "HPP_STATE_DIR": str(state_folder), **more}, capture_output=True,
            timeout=120, check=False, encoding="utf-8",
        )  # fmt: skip

    return start


@pytest.fixture
def board(run: Callable[..., Run]) -> Callable[..., Run]:
    """Return a runner of the board."""

    def start(*words: object, **more: str) -> Run:
        return run("scripts/lane_board.py", *words, **more)

    return start


@pytest.fixture
def lanes(run: Callable[..., Run]) -> Callable[..., Run]:
    """Return a runner of the registry."""

    def start(*words: object, **more: str) -> Run:
        return run("scripts/lanes.py", *words, **more)

    return start


@pytest.fixture
def git(environment: dict[str, str], project: Path) -> Callable[..., Run]:
    """Return a caller of git in the project; it skips where git is not installed."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")

    def call(*words: object, cwd: Path = project) -> Run:
        identity = ["-c", "user.name=A", "-c", "user.email=a@example.invalid"]
        return subprocess.run(
            ["git", *identity, *map(str, words)], cwd=cwd, env=environment, capture_output=True,
            timeout=60, check=True, encoding="utf-8",
        )  # fmt: skip

    return call


@pytest.fixture
def repository(git: Callable[..., Run], project: Path) -> Path:
    """Return the project as a repository with one commit."""
    git("init", "-q", "-b", "main")
    (project / "src").mkdir()
    (project / "src" / "a.py").write_text("one\n")
    git("add", "src/a.py")
    git("commit", "-q", "-m", "one")
    return project
