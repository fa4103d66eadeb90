"""Git that is run with an index of the caller's own."""

from __future__ import annotations

import shutil
import time
from typing import TYPE_CHECKING

import pytest

from hpp.core.portable.gitproc import git

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def test_a_variable_of_the_caller_reaches_git_and_an_inherited_one_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deadline = time.monotonic() + 30
    git(str(tmp_path), ["init", "-q"], deadline)
    (tmp_path / "a").write_text("x", encoding="utf-8")
    own, inherited = tmp_path / "own", tmp_path / "inherited"
    monkeypatch.setenv("GIT_INDEX_FILE", str(inherited))

    git(str(tmp_path), ["add", "a"], deadline, {"GIT_INDEX_FILE": str(own)})

    assert own.is_file()
    assert not inherited.exists()
    assert not (tmp_path / ".git/index").exists()
