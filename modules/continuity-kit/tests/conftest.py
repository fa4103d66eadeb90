"""Fixtures of the tests of continuity-kit.

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
    skipped = shutil.ignore_patterns("tests", "__pycache__", ".mypy_cache", ".ruff_cache")
    shutil.copytree(SOURCE, root, ignore=skipped)
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
def project(tmp_path: Path) -> Path:
    """Return a project of its own, in a folder with a blank and an umlaut in its name."""
    folder = tmp_path / "a pröject"
    folder.mkdir()
    return folder


@pytest.fixture
def run(module_root: Path, environment: dict[str, str], project: Path) -> Callable[..., Run]:
    """Return a runner of the module's scripts in the project."""

    def start(
        script: str, *words: object, cwd: Path = project, stdin: str | bytes = b"", **more: str
    ) -> Run:
        data = stdin.encode() if isinstance(stdin, str) else stdin
        return subprocess.run(
            [sys.executable, module_root / script, *map(str, words)], cwd=cwd, input=data,
            env={**environment, **more}, capture_output=True, timeout=120, check=False,
        )  # fmt: skip

    return start


@pytest.fixture
def hook(run: Callable[..., Run], project: Path) -> Callable[..., dict[str, Any]]:
    """Return a sender of events to hooks, which returns what a hook answers."""

    def send(script: str, event: str, session: str = "s-1", **fields: Any) -> dict[str, Any]:  # noqa: ANN401
        more = fields.pop("env", {})
        payload = {"hook_event_name": event, "session_id": session, "cwd": str(project), **fields}
        done = run(f"hooks/{script}.py", stdin=json.dumps(payload), **more)
        assert done.returncode == 0, done.stderr
        assert b"Traceback" not in done.stderr
        answer: dict[str, Any] = json.loads(done.stdout or b"{}")
        return answer

    return send


@pytest.fixture
def told(hook: Callable[..., dict[str, Any]]) -> Callable[..., str]:
    """Return a reader of what a session is told when it begins."""

    def begin(session: str = "s-2", source: str = "startup", **fields: Any) -> str:  # noqa: ANN401
        answer = hook("handoff_inject", "SessionStart", session, source=source, **fields)
        return str(answer.get("hookSpecificOutput", {}).get("additionalContext", ""))

    return begin


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


@pytest.fixture
def repository(git: Callable[..., Run], project: Path) -> Path:
    """Return the project as a repository with one commit."""
    git(project, "init", "-q", "-b", "main")
    (project / "a.txt").write_text("one\n", encoding="utf-8")
    git(project, "add", "a.txt")
    git(project, "commit", "-q", "-m", "first")
    return project


@pytest.fixture
def document() -> dict[str, Any]:
    """Return a handoff as a session hands it in."""
    return {
        "state": {
            "summary": "The parser reads every fixture.",
            "numbers": [
                {
                    "metric": "fixtures", "value": 42, "measured_at": "2026-05-01T12:00:00Z",
                    "re_derive_cmd": "ls fixtures | wc -l",
                }
            ],
        },
        "prohibitions": ["Leave the schema alone."],
        "already_done": [
            {"action": "Tagged 0.1.0.", "evidence": "e/parser-20260501T120000Z.json"}
        ],
        "open_gates": [{"id": "G1", "owner": "Ada", "description": "Approve the release."}],
        "next_step": [
            {"order": 2, "description": "Second.", "verify_first_cmd": "test -f second"},
            {"order": 1, "description": "Write the printer.", "verify_first_cmd": "test -f p.py"},
        ],
    }  # fmt: skip


@pytest.fixture
def write(run: Callable[..., Run], document: dict[str, Any]) -> Callable[..., Run]:
    """Return a writer of handoffs; what is given replaces fields of the usual document."""

    def put(lane: str = "solo", **fields: Any) -> Run:  # noqa: ANN401 -- fields of a document
        subject = json.dumps({**document, **fields})
        return run("hooks/_handoff_io.py", "write", "--stdin", "--lane", lane, stdin=subject)

    return put
