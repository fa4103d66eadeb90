from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hpp.core.worktree import worktree_top

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("below", ["", "a", "a/b", "not/there/yet"])
def test_the_nearest_folder_with_git_is_the_top(tmp_path: Path, below: str) -> None:
    top = tmp_path / "outer" / "inner"
    (top / "a" / "b").mkdir(parents=True)
    (tmp_path / "outer" / ".git").mkdir()
    (top / ".git").write_text("gitdir: elsewhere\n")  # of a linked worktree

    assert worktree_top(str(top / below)) == str(top)


def test_a_dangling_link_counts(tmp_path: Path) -> None:
    try:
        (tmp_path / ".git").symlink_to(tmp_path / "gone")
    except OSError as error:
        pytest.skip(f"this system makes no links for this user: {error}")

    assert worktree_top(str(tmp_path)) == str(tmp_path)


def test_control_without_git_there_is_none() -> None:
    assert worktree_top("/") is None
