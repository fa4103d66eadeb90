from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from hpp.core.git import git, git_argv, git_environment

if TYPE_CHECKING:
    from pathlib import Path

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def test_no_inherited_setting_reaches_git(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_DIR", "/elsewhere")
    monkeypatch.setenv("git_index_file", "x")
    environment = git_environment()

    assert not [name for name in environment if name.upper() in ("GIT_DIR", "GIT_INDEX_FILE")]
    assert environment["GIT_OPTIONAL_LOCKS"] == "0"
    assert "core.fsmonitor=false" in git_argv(["status"])


@needs_git
def test_an_answer_tells_its_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert git(["rev-parse", "HEAD"], cwd=str(tmp_path)).fault == "failed"
    assert git(["init", "--quiet"], cwd=str(tmp_path)).ok
    assert git(["version"], cwd=str(tmp_path)).stdout.startswith(b"git version")
    assert git(["version"], cwd=str(tmp_path), timeout_s=0.000001).fault == "timeout"
    monkeypatch.setenv("PATH", str(tmp_path))
    assert git(["version"], cwd=str(tmp_path)).fault == "no-git"


@needs_git
def test_control_a_repository_s_monitor_would_run(tmp_path: Path) -> None:
    git(["init", "--quiet"], cwd=str(tmp_path))
    mark = tmp_path / "ran"
    git(["config", "core.fsmonitor", f"touch {mark}; false"], cwd=str(tmp_path))

    git(["status", "--porcelain=v1"], cwd=str(tmp_path))

    assert not mark.exists()
