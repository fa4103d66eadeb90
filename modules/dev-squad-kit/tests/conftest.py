"""Fixtures of the tests of dev-squad-kit.

They run against `HPP_MODULE_ROOT`, an emitted module, when that is set; else against a copy of
the sources, with the library of the installed hpp-core.
"""

from __future__ import annotations

import importlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import ModuleType

SOURCE = Path(__file__).resolve().parents[1]
Run = subprocess.CompletedProcess[str]


@pytest.fixture(scope="session")
def squad_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the root of the module that is tested."""
    given = os.environ.get("HPP_MODULE_ROOT")
    if given:
        return Path(given).resolve()
    root = tmp_path_factory.mktemp("module") / SOURCE.name
    shutil.copytree(SOURCE, root, ignore=shutil.ignore_patterns("tests", "__pycache__"))
    return root


@pytest.fixture(scope="session")
def fixture_repo() -> Path:
    """Return a small project that has what the recipes read."""
    return SOURCE / "tests/fixture-repo"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return an empty folder, with a space and a letter beyond ASCII in its name."""
    folder = tmp_path / "ein Prüfstück"
    folder.mkdir()
    return folder


@pytest.fixture
def library(squad_root: Path) -> Iterator[Callable[[str], ModuleType]]:
    """Yield an importer of the tested module's own files; they are forgotten afterwards."""

    def forget() -> None:
        for name in [name for name in sys.modules if name.split(".")[0] == "_lib"]:
            del sys.modules[name]

    forget()
    writes_nothing, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    sys.path.insert(0, str(squad_root))
    yield lambda name: importlib.import_module(f"_lib.{name}")
    sys.path.remove(str(squad_root))
    sys.dont_write_bytecode = writes_nothing
    forget()


@pytest.fixture
def start(project: Path) -> Callable[..., Run]:
    """Return a runner of this interpreter in the project, without our variables."""
    hidden = ("CLAUDE_", "HPP_", "GIT_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(hidden)}

    def call(*words: object, cwd: Path = project) -> Run:
        return subprocess.run(
            [sys.executable, *map(str, words)], cwd=cwd, env={**kept, "PYTHONUTF8": "1"},
            stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", timeout=120,
            check=False,
        )  # fmt: skip

    return call


@pytest.fixture
def run(squad_root: Path, start: Callable[..., Run]) -> Callable[..., Run]:
    """Return a runner of the module's scripts in the project."""

    def call(script: str, *words: object, **more: Path) -> Run:
        return start(squad_root / "scripts" / script, *words, **more)

    return call


@pytest.fixture
def hpp(start: Callable[..., Run]) -> Callable[..., Run]:
    """Return a runner of the harness in the project."""
    pytest.importorskip("hpp.cli", reason="the harness is not installed")

    def call(*words: object, **more: Path) -> Run:
        return start("-m", "hpp", *words, **more)

    return call


@pytest.fixture
def copied(squad_root: Path, tmp_path: Path) -> Path:
    """Return a copy of the module that a test may break."""
    root = tmp_path / "copied"
    shutil.copytree(squad_root, root, ignore=shutil.ignore_patterns("__pycache__"))
    return root


@pytest.fixture
def put(project: Path) -> Callable[[str, object], Path]:
    """Return a writer of files into the project; anything but text becomes JSON."""

    def write(name: str, content: object) -> Path:
        path = project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = content if isinstance(content, str) else json.dumps(content)
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.fixture
def review() -> Callable[..., dict[str, Any]]:
    """Return a maker of a review with one finding."""

    def make(lens: str = "partial-set", subject: str = "a" * 64, **more: object) -> dict[str, Any]:
        finding = {
            "code": "MISSING_CASE", "severity": "low", "file": "src/a.py", "line": 3,
            "claim": "the empty list is not handled", "evidence": ["src/a.py:3 lines[0]"],
        }  # fmt: skip
        return {
            "schema": "hpp.findings/v1", "lens": lens, "subject_sha256": subject,
            "inspected": ["src/a.py"], "findings": [{**finding, **more}],
        }  # fmt: skip

    return make


@pytest.fixture
def notes() -> Callable[..., dict[str, Any]]:
    """Return a maker of notes with one statement."""

    def make(name: str, stance: str = "for", **more: object) -> dict[str, Any]:
        note = {
            "code": "MISSING_CASE", "file": "src/a.py", "line": 3, "claim": "the list may be empty",
            "evidence": ["src/a.py:3 lines[0]"], "stance": stance,
        }  # fmt: skip
        return {"schema": "hpp.notes/v1", "id": name, "notes": [{**note, **more}]}

    return make
