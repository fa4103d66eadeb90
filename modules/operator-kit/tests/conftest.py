"""Fixtures of the tests of operator-kit.

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
from hpp.core.manifest import packaged_manifest_path

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

SOURCE = Path(__file__).resolve().parents[1]
LIBRARY = Path(hpp.core.__file__).parents[2]
Run = subprocess.CompletedProcess[bytes]
# Puts many commands to one hook's own judgement: a start for each would take minutes.
DRIVER = """
import importlib.util, json, os, sys
spec = importlib.util.spec_from_file_location("hook", sys.argv[1])
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
from hpp.core.portable.payload import Payload
told = {}
for text in json.loads(sys.stdin.buffer.read()):
    event = {"hook_event_name": "PreToolUse", "session_id": "", "cwd": os.getcwd(),
             "tool_name": "Bash", "tool_input": {"command": text}}
    found = module.judge(Payload(event))
    told[text] = ["allow", "", ""] if found is None else [
        found.verdict, found.rule, found.advice or found.reason]
print(json.dumps(told))
"""


@pytest.fixture(scope="session")
def module_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the root of the module that is tested."""
    given = os.environ.get("HPP_MODULE_ROOT")
    if given:
        return Path(given).resolve()
    root = tmp_path_factory.mktemp("a module") / SOURCE.name
    shutil.copytree(SOURCE, root, ignore=shutil.ignore_patterns("tests", "__pycache__"))
    build = json.loads((SOURCE / "module.build.json").read_bytes())
    for entry in build["vendor"]:
        if entry["to"] != "_vendor":
            shutil.copy(LIBRARY / entry["from"], root / entry["to"])
    # So that an interpreter without hpp-core finds it, as in an emitted module.
    vendor = root / "_vendor" / "hpp"
    vendor.mkdir(parents=True)
    shutil.copytree(
        LIBRARY / "hpp" / "core", vendor / "core", ignore=shutil.ignore_patterns("__pycache__")
    )
    return root


@pytest.fixture(scope="session")
def declared() -> dict[str, dict[str, Any]]:
    """Return the hooks of this module by the manifest, by script."""
    document = json.loads(Path(packaged_manifest_path()).read_bytes())
    hooks = [hook for hook in document["hooks"] if hook["module"] == "operator-kit"]
    return {hook["script"]: hook for hook in hooks}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return an empty project whose path holds a blank and a letter beyond ASCII."""
    folder = tmp_path / "a pröject"
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    return folder


@pytest.fixture
def environment(tmp_path: Path, project: Path) -> dict[str, str]:
    """Return the variables around a hook on Claude Code, with a home of its own."""
    hidden = ("CLAUDE_", "HPP_", "GIT_", "LANE_", "OPERATOR_", "XDG_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(hidden)}
    home = tmp_path / "home"
    home.mkdir()
    return {
        **kept,
        "HOME": str(home),
        "USERPROFILE": str(home),
        "HPP_STATE_DIR": str(home / "state"),
        "CLAUDE_PROJECT_DIR": str(project),
        "PYTHONUTF8": "1",
    }


@pytest.fixture
def run(module_root: Path, environment: dict[str, str], project: Path) -> Callable[..., Run]:
    """Return a runner of the module's files in the project."""

    def start(
        script: str,
        *words: str,
        stdin: bytes = b"",
        root: Path = module_root,
        cwd: Path = project,
        **more: str | None,
    ) -> Run:
        around = {**environment, **more}
        return subprocess.run(
            [sys.executable, "-E", "-s", str(root / script), *words],
            cwd=cwd,
            input=stdin,
            env={name: value for name, value in around.items() if value is not None},
            capture_output=True,
            timeout=120,
            check=False,
        )

    return start


@pytest.fixture
def event(project: Path) -> Callable[..., dict[str, Any]]:
    """Return a maker of events as Claude Code sends them; ``codex=True`` for the other host."""

    def make(name: str = "PreToolUse", *, codex: bool = False, **more: Any) -> dict[str, Any]:  # noqa: ANN401 -- any field
        turn = {"turn_id": "t"} if codex else {}
        base = {"hook_event_name": name, "session_id": "s", "cwd": str(project)}
        return {**base, **turn, **more}

    return make


@pytest.fixture
def hook(run: Callable[..., Run], event: Callable[..., dict[str, Any]]) -> Callable[..., Run]:
    """Return a runner of one hook for one event; a text is a shell command."""

    def start(script: str, given: str | dict[str, Any], **more: Any) -> Run:  # noqa: ANN401 -- as `run`
        if isinstance(given, str):
            given = event(tool_name="Bash", tool_input={"command": given})
        return run(f"hooks/{script}.py", stdin=json.dumps(given).encode(), **more)

    return start


@pytest.fixture
def edit(event: Callable[..., dict[str, Any]]) -> Callable[..., dict[str, Any]]:
    """Return a maker of the event before a file is written."""

    def make(path: str | Path, content: str = "x\n", **more: Any) -> dict[str, Any]:  # noqa: ANN401 -- any field
        given = {"file_path": str(path), "content": content}
        return event(tool_name="Write", tool_input=given, **more)

    return make


@pytest.fixture
def judged(
    module_root: Path, environment: dict[str, str], project: Path
) -> Callable[..., dict[str, list[str]]]:
    """Return a judge of many commands; it gives verdict, rule and words for the model of each."""

    def judge(script: str, texts: Iterable[str], **more: str) -> dict[str, list[str]]:
        path = str(module_root / "hooks" / f"{script}.py")
        done = subprocess.run(
            [sys.executable, "-E", "-s", "-c", DRIVER, path], input=json.dumps([*texts]).encode(),
            cwd=project, env={**environment, **more}, capture_output=True, timeout=120, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        told: dict[str, list[str]] = json.loads(done.stdout)
        return told

    return judge


@pytest.fixture
def link() -> Callable[[Path, Path], None]:
    """Return a maker of links; it skips where this system makes none for this user."""

    def make(place: Path, target: Path) -> None:
        try:
            place.symlink_to(target, target_is_directory=target.is_dir())
        except OSError as error:
            pytest.skip(f"this system makes no links for this user: {error}")

    return make
