"""The real Claude Code with a scripted model: a compaction, a stop without a handoff.

Skipped where no client is found: `HPP_HOSTS` names the folder with the installed clients, and
`HPP_HOST_RUNNERS` the folder with the runner `run_claude.sh`.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import hpp.core

if TYPE_CHECKING:
    from collections.abc import Callable

STATE = ".claude/handoff"


@pytest.fixture(scope="session")
def runner() -> tuple[str, str]:
    """Return the runner and the folder of the clients."""
    hosts, runners = os.environ.get("HPP_HOSTS", ""), os.environ.get("HPP_HOST_RUNNERS", "")
    script = Path(runners) / "run_claude.sh"
    if not runners or not script.is_file() or not Path(hosts).is_dir() or not hosts:
        pytest.skip("no scripted host: HPP_HOSTS and HPP_HOST_RUNNERS name none")
    return str(script), hosts


@pytest.fixture(scope="session")
def emitted(module_root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the module with its library inside, as a host without ours runs it."""
    if (module_root / "_vendor").is_dir():
        return module_root
    place = tmp_path_factory.mktemp("emitted") / module_root.name
    shutil.copytree(module_root, place)
    library = Path(hpp.core.__file__).parent
    skipped = shutil.ignore_patterns("__pycache__")
    shutil.copytree(library, place / "_vendor/hpp/core", ignore=skipped)
    return place


@pytest.fixture
def session(
    runner: tuple[str, str], emitted: Path, project: Path, tmp_path: Path
) -> Callable[..., list[dict[str, Any]]]:
    """Return a runner of sessions, which returns the requests that the model was sent."""
    script, hosts = runner
    home = tmp_path / "home"
    home.mkdir()

    def go(turns: list[dict[str, Any]], *words: str) -> list[dict[str, Any]]:
        plan, log = tmp_path / "turns.json", tmp_path / "requests.jsonl"
        plan.write_text(json.dumps({"turns": turns}), encoding="utf-8")
        log.unlink(missing_ok=True)
        done = subprocess.run(
            ["bash", script, "--hosts", hosts, "--home", str(home), "--dir", str(project),
             "--script", str(plan), "--log", str(log), "--log-bodies", "--", *words,
             "--plugin-dir", str(emitted), "--allowedTools", "Bash,Write"],
            capture_output=True, text=True, timeout=200, check=False,
        )  # fmt: skip
        assert log.exists(), done.stderr
        return [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]

    return go


def events(project: Path) -> list[str]:
    path = project / STATE / "HANDOFF-LEDGER.jsonl"
    lines = path.read_bytes().splitlines() if path.exists() else []
    return [json.loads(line)["event"] for line in lines]


def test_a_stop_without_a_handoff_is_held_once(
    session: Callable[..., list[dict[str, Any]]], project: Path
) -> None:
    requests = session([{"text": "One."}, {"text": "Two."}, {"text": "Three."}], "-p", "work")

    asked = [one for one in requests if "handoff-guard" in json.dumps(one)]
    assert events(project).count("requested") == 1
    assert len(asked) == 1
    kept = json.loads((project / STATE / "HANDOFF-CURRENT-solo.json").read_bytes())
    assert kept["quality"] == "degraded-auto"


def test_the_next_session_begins_with_the_handoff(
    session: Callable[..., list[dict[str, Any]]], write: Callable[..., Any], project: Path
) -> None:
    write()

    requests = session([{"text": "One."}], "-p", "go on")

    assert "next step 1: Write the printer." in json.dumps(requests[0])
    assert "consumed" in events(project)


def test_a_session_is_compacted_and_its_successor_is_told(
    session: Callable[..., list[dict[str, Any]]], project: Path
) -> None:
    session([{"text": "One."}, {"text": "Two."}], "-p", "work")
    shutil.rmtree(project / STATE)
    session([{"text": "A summary."}], "-p", "/compact", "--continue")

    kept = json.loads((project / STATE / "HANDOFF-CURRENT-solo.json").read_bytes())
    assert kept["quality"] == "degraded-auto"
    requests = session([{"text": "Three."}], "-p", "and on", "--continue")
    seen = json.dumps(requests)
    assert kept["handoff_id"] in seen
    # Only the start after a compaction gives all of it; a resumed session gets three lines.
    assert "Do not take this record for complete" in seen


def test_the_validator_has_nothing_against_it(
    runner: tuple[str, str], module_root: Path, tmp_path: Path
) -> None:
    program = Path(runner[1]) / "node_modules/.bin/claude"
    home = {"HOME": str(tmp_path), "USERPROFILE": str(tmp_path), "ANTHROPIC_API_KEY": "dummy"}

    done = subprocess.run(
        [program, "plugin", "validate", "--strict", module_root], capture_output=True, text=True,
        env={**os.environ, **home}, timeout=120, check=False,
    )  # fmt: skip

    assert done.returncode == 0, done.stdout + done.stderr
