"""What the real hosts say of the module; skipped where they are not installed.

`HPP_CLAUDE` and `HPP_CODEX` name the programs, else the path is searched. Nothing reaches a
network: every call is of a kind that both answer offline.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import threading
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def home(tmp_path: Path) -> dict[str, str]:
    """Return an environment whose home is a folder of the test's."""
    folder = tmp_path / "home"
    folder.mkdir()
    return {**os.environ, "HOME": str(folder), "USERPROFILE": str(folder),
            "CODEX_HOME": str(folder / ".codex"), "ANTHROPIC_API_KEY": "dummy"}  # fmt: skip


def program(name: str) -> str:
    """Return a host's program; without one the test is skipped."""
    variable = f"HPP_{name.upper()}"
    found = os.environ.get(variable) or shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed; {variable} names it")
    return found


def test_the_validator_has_nothing_against_it(squad_root: Path, home: dict[str, str]) -> None:
    done = subprocess.run(
        [program("claude"), "plugin", "validate", "--strict", squad_root], capture_output=True,
        text=True, env=home, timeout=120, check=False,
    )  # fmt: skip

    assert done.returncode == 0, done.stdout + done.stderr


def test_a_session_lists_the_roles_the_commands_and_the_skills(
    squad_root: Path, home: dict[str, str], tmp_path: Path
) -> None:
    nowhere = {"ANTHROPIC_BASE_URL": "http://127.0.0.1:9", "HTTPS_PROXY": "http://127.0.0.1:9"}
    words = [
        "-p",
        "hi",
        "--output-format",
        "stream-json",
        "--verbose",
        "--plugin-dir",
        str(squad_root),
    ]
    with subprocess.Popen(
        [program("claude"), *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        stdin=subprocess.DEVNULL, env={**home, **nowhere}, cwd=tmp_path, text=True,
    ) as session:  # fmt: skip
        stopper = threading.Timer(60, session.kill)
        stopper.start()
        lines = (json.loads(line) for line in session.stdout or () if line.startswith("{"))
        told: dict[str, Any] = next((each for each in lines if each.get("subtype") == "init"), {})
        stopper.cancel()
        session.kill()

    names = {path.stem for path in (squad_root / "agents").iterdir()}
    skills = {path.name for path in (squad_root / "skills").iterdir()}
    assert told.get("plugin_errors", []) == []
    assert {f"dev-squad-kit:squad-{name}" for name in names} <= set(told["agents"])
    assert {f"dev-squad-kit:{name}" for name in names | skills} <= set(told["slash_commands"])
    assert {f"dev-squad-kit:{name}" for name in skills} <= set(told["skills"])


def test_codex_takes_the_skills_of_the_emission(
    squad_root: Path, home: dict[str, str], tmp_path: Path
) -> None:
    codex = program("codex")
    if not (squad_root / ".codex-plugin").is_dir():
        pytest.skip("the sources have no Codex manifest; HPP_MODULE_ROOT names an emission")
    market = tmp_path / "market"
    shutil.copytree(squad_root, market / "dev-squad-kit")
    (market / ".agents/plugins").mkdir(parents=True)
    os.makedirs(home["CODEX_HOME"])
    source = {"source": "local", "path": "./dev-squad-kit"}
    (market / ".agents/plugins/marketplace.json").write_text(json.dumps({
        "name": "hpp-test", "interface": {"displayName": "Test"},
        "plugins": [{"name": "dev-squad-kit", "source": source, "category": "Developer Tools",
                     "policy": {"installation": "AVAILABLE", "authentication": "ON_INSTALL"}}],
    }))  # fmt: skip

    def call(*words: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run([codex, *map(str, words)], capture_output=True, text=True, env=home,
                              stdin=subprocess.DEVNULL, timeout=120, check=False)  # fmt: skip

    added = call("plugin", "marketplace", "add", market)
    assert added.returncode == 0, added.stdout + added.stderr
    done = call("plugin", "add", "dev-squad-kit@hpp-test")

    assert done.returncode == 0, done.stdout + done.stderr
    held = next((tmp_path / "home/.codex/plugins/cache").rglob("dev-squad-kit"))
    skills = {path.parent.name for path in held.rglob("codex/skills/*/SKILL.md")}
    assert skills == {"pp-consolidate", "pp-discovery", "pp-xray"}
