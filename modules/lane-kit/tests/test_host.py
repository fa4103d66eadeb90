"""What the real Claude Code says of the module; skipped where it is not installed."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def claude() -> str:
    """Return the program: `HPP_CLAUDE`, or `claude` on the path."""
    program = os.environ.get("HPP_CLAUDE") or shutil.which("claude")
    if program is None:
        pytest.skip("Claude Code is not installed; HPP_CLAUDE names it")
    return program


def validated(claude: str, module: Path, home: Path) -> subprocess.CompletedProcess[str]:
    """Return what the strict validator says of a plugin."""
    homes = {"HOME": str(home), "USERPROFILE": str(home), "ANTHROPIC_API_KEY": "dummy"}
    return subprocess.run(
        [claude, "plugin", "validate", "--strict", module], capture_output=True, text=True,
        env={**os.environ, **homes}, timeout=120, check=False,
    )  # fmt: skip


def test_the_strict_validator_has_nothing_against_it(
    claude: str, module_root: Path, tmp_path: Path
) -> None:
    done = validated(claude, module_root, tmp_path)

    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    parts = ["hooks: SessionStart", "hooks: PreToolUse Bash", "skills: lane-kit:lane-coordinator"]
    for part in [*parts, "commands: lane-kit:lanes"]:
        assert part in said


def test_control_the_validator_would_see_a_broken_hook_file(
    claude: str, module_root: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "lane-kit"
    shutil.copytree(module_root, copy)
    (copy / "hooks" / "hooks.json").write_text('{"hooks": {"PreToolUse": {}}}')

    assert validated(claude, copy, tmp_path).returncode != 0
