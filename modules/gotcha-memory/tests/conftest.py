"""Fixtures of the tests of gotcha-memory.

They run against `HPP_MODULE_ROOT`, an emitted module, when that is set; else against the
sources, laid out as the build lays them out, with the library of the installed hpp-core.
The module's own code always runs in a process of its own, as it does in use.
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

    Run = subprocess.CompletedProcess[bytes]

SOURCE = Path(__file__).resolve().parents[1]
LIBRARY = Path(hpp.core.__file__).parents[2]
STORE = ".claude/gotchas"


@pytest.fixture(scope="session")
def module_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the root of the module that is tested."""
    given = os.environ.get("HPP_MODULE_ROOT")
    if given:
        return Path(given).resolve()
    root = tmp_path_factory.mktemp("module") / SOURCE.name
    shutil.copytree(
        SOURCE, root, ignore=shutil.ignore_patterns("tests", "__pycache__", ".mypy_cache")
    )
    build = json.loads((SOURCE / "module.build.json").read_bytes())
    for entry in build["vendor"]:
        if entry["to"] != "_vendor":
            shutil.copy(LIBRARY / entry["from"], root / entry["to"])
    return root


@pytest.fixture(scope="session")
def environment() -> dict[str, str]:
    """Return an environment whose `python3` is the one of these tests, without our variables."""
    hidden = ("CLAUDE_", "HPP_", "GIT_", "LANE_", "OPERATOR_", "GOTCHA_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(hidden)}
    first = os.path.dirname(sys.executable)
    return {**kept, "PATH": first + os.pathsep + kept.get("PATH", ""), "PYTHONUTF8": "1"}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a project with a git folder, whose path needs quoting."""
    folder = tmp_path / "a prøject"
    (folder / ".git").mkdir(parents=True)
    return folder


@pytest.fixture
def run(
    module_root: Path, environment: dict[str, str], project: Path, tmp_path: Path
) -> Callable[..., Run]:
    """Return a runner of the module's programs in the project."""

    def start(
        *words: object, cwd: Path = project, stdin: bytes = b"", timeout: float = 120, **more: str
    ) -> Run:
        first, *rest = map(str, words)
        state = {"HPP_STATE_DIR": str(tmp_path / "state"), "CLAUDE_PROJECT_DIR": str(project)}
        return subprocess.run(
            [sys.executable, module_root / first, *rest], cwd=cwd, input=stdin,
            env={**environment, **state, **more}, capture_output=True, timeout=timeout,
            check=False,
        )  # fmt: skip

    return start


@pytest.fixture
def gotchas(run: Callable[..., Run]) -> Callable[..., Run]:
    """Return a caller of the command line."""
    return lambda *words, **more: run("scripts/gotchas.py", *words, **more)


@pytest.fixture
def tell(
    module_root: Path, environment: dict[str, str], project: Path, tmp_path: Path
) -> Callable[..., Any]:
    """Return what a hook answers to an event, run as it is wired; None for nothing."""
    if shutil.which("bash") is None:
        pytest.skip("bash is not installed")

    def send(hook: str, event: object, cwd: Path = project, **more: str) -> Any:  # noqa: ANN401 -- any JSON value
        data = event if isinstance(event, bytes) else json.dumps(event).encode()
        state = {"HPP_STATE_DIR": str(tmp_path / "state"), "CLAUDE_PROJECT_DIR": str(project)}
        done = subprocess.run(
            ["bash", module_root / "hooks/pyrun.sh", "observe", module_root / f"hooks/{hook}.py"],
            cwd=cwd, input=data, env={**environment, **state, **more}, capture_output=True,
            timeout=60, check=False,
        )  # fmt: skip
        assert (done.returncode, done.stderr) == (0, b"")
        return json.loads(done.stdout) if done.stdout else None

    return send


@pytest.fixture
def bash() -> Callable[..., dict[str, Any]]:
    """Return a maker of events about a command."""

    def make(event: str, command: str = "make", **more: object) -> dict[str, Any]:
        given: dict[str, Any] = {"command": command}
        if "description" in more:
            given["description"] = more.pop("description")
        return {
            "hook_event_name": event, "session_id": "s-1", "tool_name": "Bash",
            "tool_input": given, **more,
        }  # fmt: skip

    return make


@pytest.fixture
def fail(tell: Callable[..., Any], bash: Callable[..., Any]) -> Callable[..., Any]:
    """Return a teller of failures, each with an id of its own."""
    count = 0

    def send(command: str = "make", error: str = "Exit code 2\nboom", **more: object) -> Any:  # noqa: ANN401 -- any JSON value
        nonlocal count
        count += 1
        more.setdefault("tool_use_id", f"call-{count}")
        event = bash("PostToolUseFailure", command, error=error, **more)
        return tell("gotcha_postflight", event)

    return send


@pytest.fixture
def ahead(tell: Callable[..., Any], bash: Callable[..., Any]) -> Callable[..., str]:
    """Return what the model is told before a command; an empty text for nothing."""

    def send(command: str = "make", cwd: Path | None = None, **more: object) -> str:
        event = bash("PreToolUse", command, **more)
        answer = tell("gotcha_preflight", event, **({} if cwd is None else {"cwd": cwd}))
        if answer is None:
            return ""
        assert set(answer) == {"hookSpecificOutput"}
        assert set(answer["hookSpecificOutput"]) == {"hookEventName", "additionalContext"}
        return str(answer["hookSpecificOutput"]["additionalContext"])

    return send


@pytest.fixture
def records(project: Path) -> Callable[[], list[dict[str, Any]]]:
    """Return a reader of what is stored."""

    def read() -> list[dict[str, Any]]:
        path = project / STORE / "failures.jsonl"
        return (
            [json.loads(line) for line in path.read_bytes().splitlines()] if path.exists() else []
        )

    return read


@pytest.fixture
def ask(run: Callable[..., Run], tmp_path: Path, module_root: Path) -> Callable[..., Any]:
    """Return the value of a piece of program text, run in the module; `given` is its input."""

    def call(text: str, given: object = None, timeout: float = 60) -> Any:  # noqa: ANN401 -- any JSON value
        script = tmp_path / "piece.py"
        script.write_text(
            "import json, os, sys\n"
            f"root = {str(module_root)!r}\n"
            "sys.path[:0] = [os.path.join(root, '_vendor'), root]\n"
            "given = json.load(sys.stdin)\n" + text,
            encoding="utf-8",
        )
        done = run(script, stdin=json.dumps(given).encode(), timeout=timeout)
        assert done.returncode == 0, done.stderr.decode()
        return json.loads(done.stdout)

    return call
