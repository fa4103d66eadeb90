"""Fixtures of the tests of agent-framework-wizard.

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
def wizard_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
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


@pytest.fixture
def run(wizard_root: Path, tmp_path: Path) -> Callable[..., Run]:
    """Return a runner of the module's scripts in a folder of their own."""
    hidden = ("CLAUDE_", "HPP_", "GIT_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(hidden)}
    work = tmp_path / "work"
    work.mkdir()

    def start(script: str, *words: object, cwd: Path = work, **more: str) -> Run:
        return subprocess.run(
            [sys.executable, wizard_root / script, *map(str, words)], cwd=cwd,
            env={**kept, "PYTHONUTF8": "1", **more}, stdin=subprocess.DEVNULL,
            capture_output=True, timeout=120, check=False,
        )  # fmt: skip

    return start


@pytest.fixture
def out(run: Callable[..., Run], tmp_path: Path) -> Path:
    """Return an empty folder, with a space and a letter beyond ASCII in its name."""
    del run
    folder = tmp_path / "ein Prüfstück"
    folder.mkdir()
    return folder


@pytest.fixture
def wizard(run: Callable[..., Run], out: Path) -> Callable[..., tuple[int, dict[str, Any]]]:
    """Return a caller of the wizard on `out`, with answers or without; status and report."""

    def call(*words: str, answers: object = None) -> tuple[int, dict[str, Any]]:
        mode: list[object] = []
        if answers is not None:
            path = out.parent / "answers.json"
            path.write_text(answers if isinstance(answers, str) else json.dumps(answers))
            mode = ["--answers", path]
        done = run("wizard.py", *mode, *words, "--out", out)
        return done.returncode, json.loads(done.stdout or b"{}")

    return call
