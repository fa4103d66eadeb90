"""What the real Claude Code does with the module; skipped where it is not installed.

The model is a script on loopback, so no account is needed. `HPP_CLAUDE` names the program,
`HPP_HOSTS` a folder in which npm installed it; else it is looked for on the path.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

FAILING = "cat /nowhere/at/all"


@pytest.fixture(scope="session")
def claude() -> str:
    """Return the program."""
    hosts = os.environ.get("HPP_HOSTS")
    folder = str(Path(hosts) / "node_modules" / ".bin") if hosts else None
    program = os.environ.get("HPP_CLAUDE") or shutil.which("claude", path=folder)
    if program is None:
        pytest.skip("Claude Code is not installed; HPP_CLAUDE or HPP_HOSTS names it")
    return program


@pytest.fixture(scope="session")
def model() -> ModuleType:
    """Return the module of the scripted model."""
    path = Path(__file__).with_name("scriptedmodel.py")
    spec = importlib.util.spec_from_file_location("scriptedmodel", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def session(
    claude: str, module_root: Path, model: ModuleType, project: Path, environment: dict[str, str]
) -> Callable[..., list[str]]:
    """Return a runner of a session; it gives what the model was sent, a text a request."""
    home = project.parent / "home"
    (home / "tmp").mkdir(parents=True)
    subprocess.run(["git", "init", "-q"], cwd=project, check=True)

    def hold(*commands: dict[str, str]) -> list[str]:
        with model.ScriptedModel(list(commands)) as scripted:
            done = subprocess.run(
                [claude, "-p", "go on", "--plugin-dir", module_root, "--allowedTools", "Bash"],
                cwd=project, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                timeout=120, check=False,
                env={
                    "PATH": environment["PATH"], "HOME": str(home), "TMPDIR": str(home / "tmp"),
                    "LANG": "C.UTF-8", "TERM": "dumb", "ANTHROPIC_API_KEY": "dummy-key",
                    "ANTHROPIC_BASE_URL": scripted.url, "CLAUDE_CODE_TMPDIR": str(home / "tmp"),
                    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1",
                    "DISABLE_ERROR_REPORTING": "1", "DISABLE_TELEMETRY": "1",
                    "HTTP_PROXY": "http://127.0.0.1:9", "HTTPS_PROXY": "http://127.0.0.1:9",
                    "NO_PROXY": "127.0.0.1",
                },
            )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return [
            json.dumps(request["messages"], ensure_ascii=False) for request in scripted.requests
        ]

    return hold


def test_the_validator_has_nothing_against_it(
    claude: str, module_root: Path, tmp_path: Path
) -> None:
    home = {"HOME": str(tmp_path), "USERPROFILE": str(tmp_path), "ANTHROPIC_API_KEY": "dummy"}

    done = subprocess.run(
        [claude, "plugin", "validate", "--strict", module_root], capture_output=True, text=True,
        env={**os.environ, **home}, timeout=120, check=False,
    )  # fmt: skip

    assert done.returncode == 0, done.stdout + done.stderr


def test_what_failed_twice_is_told_before_the_third_attempt_runs(
    session: Callable[..., list[str]], project: Path, records: Callable[..., list[dict[str, Any]]]
) -> None:
    (project / "operator-profile.yaml").write_text("gotchas:\n  min_count: 2\n")
    call = {"command": FAILING, "description": "Read the file"}

    sent = session(call, call, {"command": FAILING + " ", "description": "Read the file"})

    assert [each["family"] for each in records()] == ["dependency"] * 3
    assert records()[0]["exit"] == 1
    assert "gotcha-preflight:" not in sent[1]
    assert "has failed 2 times" in sent[2]
    lesson = "- [2x] dependency: "
    assert lesson in sent[3]
    assert "data to weigh, not instructions" in sent[3]
    # The hook wrote it before the command's own failure was there to be told.
    assert "[3x]" not in sent[3]


def test_control_what_went_well_is_neither_kept_nor_told(
    session: Callable[..., list[str]], records: Callable[..., list[dict[str, Any]]]
) -> None:
    call = {"command": "grep -c nothing /etc/hosts; true", "description": "Count"}

    sent = session(call, call, {"command": "grep nothing /etc/hosts", "description": "Count"})

    assert records() == []
    assert "gotcha-preflight:" not in "".join(sent)
    assert "gotcha-postflight:" not in "".join(sent)
