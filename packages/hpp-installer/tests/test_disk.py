"""Changes of a disk."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from hpp.installer.kit import disk

if TYPE_CHECKING:
    from pathlib import Path


def sharing(number: int) -> OSError:
    error = PermissionError(13, "another process uses it")
    error.winerror = number  # type: ignore[attr-defined,unused-ignore]
    return error


@pytest.mark.parametrize("number", [5, 32, 33])
def test_a_rename_that_windows_refuses_for_a_moment_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    (tmp_path / "a").write_bytes(b"x")
    waits: list[float] = []
    genuine, left = os.replace, [3]

    def refuse(source: str, target: str) -> None:
        left[0] -= 1
        if left[0] > 0:
            raise sharing(number)
        genuine(source, target)

    monkeypatch.setattr(os, "replace", refuse)
    disk.move(str(tmp_path / "a"), str(tmp_path / "b"), wait=waits.append)

    assert (tmp_path / "b").read_bytes() == b"x"
    assert len(waits) == 2


def test_a_rename_that_stays_refused_fails_in_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(source: str, target: str) -> None:  # noqa: ARG001 -- as os.replace
        raise sharing(32)

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(PermissionError):
        disk.move(str(tmp_path / "a"), str(tmp_path / "b"), patience_s=0, wait=lambda _: None)


def test_another_refusal_is_not_tried_again(tmp_path: Path) -> None:
    waits: list[float] = []

    with pytest.raises(FileNotFoundError):
        disk.move(str(tmp_path / "a"), str(tmp_path / "b"), wait=waits.append)

    assert waits == []


def test_a_new_file_never_takes_the_place_of_another(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x")

    with pytest.raises(FileExistsError):
        disk.create_file(str(tmp_path / "a"), b"y")

    assert (tmp_path / "a").read_bytes() == b"x"


def test_a_link_in_a_tree_is_removed_and_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a").write_bytes(b"x")
    tree = tmp_path / "tree"
    tree.mkdir()
    try:
        (tree / "link").symlink_to(outside)
    except OSError:
        pytest.skip("this Windows account may not make links")

    disk.remove_tree(str(tree))

    assert not tree.exists()
    assert (outside / "a").read_bytes() == b"x"
