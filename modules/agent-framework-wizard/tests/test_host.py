"""What the real Claude Code says of the module; skipped where it is not installed."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path


def test_the_validator_has_nothing_against_it(wizard_root: Path, tmp_path: Path) -> None:
    claude = os.environ.get("HPP_CLAUDE") or shutil.which("claude")
    if claude is None:
        pytest.skip("Claude Code is not installed; HPP_CLAUDE names it")
    home = {"HOME": str(tmp_path), "USERPROFILE": str(tmp_path), "ANTHROPIC_API_KEY": "dummy"}

    done = subprocess.run(
        [claude, "plugin", "validate", "--strict", wizard_root], capture_output=True, text=True,
        env={**os.environ, **home}, timeout=120, check=False,
    )  # fmt: skip

    assert done.returncode == 0, done.stdout + done.stderr
    assert "agent-framework-wizard:agent-framework-scaffold" in done.stdout
