"""What the real Claude Code says of the module; skipped where it is not installed."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def claude() -> str:
    """Return the program: `HPP_CLAUDE`, or `claude` in the folder `HPP_HOSTS` or on the path."""
    hosts = os.environ.get("HPP_HOSTS")
    folder = str(Path(hosts) / "node_modules" / ".bin") if hosts else None
    program = os.environ.get("HPP_CLAUDE") or shutil.which("claude", path=folder)
    if program is None:
        pytest.skip("Claude Code is not installed; HPP_CLAUDE or HPP_HOSTS names it")
    return program


def test_the_validator_has_nothing_against_it(
    claude: str, module_root: Path, tmp_path: Path
) -> None:
    home = {"HOME": str(tmp_path), "USERPROFILE": str(tmp_path), "ANTHROPIC_API_KEY": "dummy"}

    done = subprocess.run(
        [claude, "plugin", "validate", "--strict", module_root], capture_output=True, text=True,
        env={**os.environ, **home}, timeout=120, check=False,
    )  # fmt: skip

    assert done.returncode == 0, done.stdout + done.stderr


def test_control_a_broken_wiring_would_be_said(
    claude: str, module_root: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "health-kit"
    shutil.copytree(module_root, copy)
    (copy / "hooks/hooks.json").write_text('{"hooks": 7}')
    home = {"HOME": str(tmp_path), "USERPROFILE": str(tmp_path), "ANTHROPIC_API_KEY": "dummy"}

    done = subprocess.run(
        [claude, "plugin", "validate", "--strict", copy], capture_output=True, text=True,
        env={**os.environ, **home}, timeout=120, check=False,
    )  # fmt: skip

    assert done.returncode != 0
