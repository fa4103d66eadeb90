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


def test_the_validator_has_nothing_against_it_but_the_reserved_name(
    claude: str, module_root: Path, tmp_path: Path
) -> None:
    home = {"HOME": str(tmp_path), "USERPROFILE": str(tmp_path), "ANTHROPIC_API_KEY": "dummy"}

    done = subprocess.run(
        [claude, "plugin", "validate", "--strict", module_root], capture_output=True, text=True,
        env={**os.environ, **home}, timeout=120, check=False,
    )  # fmt: skip

    said = done.stdout + done.stderr
    assert done.returncode == 1, said
    assert "Found 1 error" in said
    assert 'Plugin name "claude-dev-kit" is reserved' in said
    assert "warning" not in said.partition("Plugin directory checks")[0]
