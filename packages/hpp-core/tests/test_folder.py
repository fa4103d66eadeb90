from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

import pytest

from hpp.core import durable, folder
from hpp.core.errors import MachineError, RefusedError
from hpp.core.folder import Folder, is_link

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(params=["by handle", "by path"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run a test with the calls of this system, and with those that Windows has."""
    if request.param == "by path":
        monkeypatch.setattr(folder, "_BY_HANDLE", False)
        monkeypatch.setattr(folder, "_NOFOLLOW", 0)
    return str(request.param)


def names(path: Path) -> list[str]:
    return sorted(entry.name for entry in path.iterdir())


@pytest.mark.usefixtures("way")
def test_missing_components_are_made(tmp_path: Path) -> None:
    with Folder(str(tmp_path), ("a", "b c", "é"), create=True) as made:
        durable.create(made, "f", b"x")

    assert (tmp_path / "a" / "b c" / "é" / "f").read_bytes() == b"x"


@pytest.mark.usefixtures("way")
def test_missing_components_are_refused_when_nothing_may_be_made(tmp_path: Path) -> None:
    with pytest.raises(RefusedError, match="a: there is no such folder"):
        Folder(str(tmp_path), ("a",), create=False)


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("depth", [1, 2])
def test_a_link_on_the_way_is_refused(tmp_path: Path, depth: int) -> None:
    (tmp_path / "real" / "b").mkdir(parents=True)
    parts = ("a", "b")
    link = tmp_path.joinpath(*parts[:depth])
    link.parent.mkdir(exist_ok=True)
    try:
        link.symlink_to(tmp_path / "real", target_is_directory=True)
    except OSError:
        pytest.skip("this system lets this user make no links")

    with pytest.raises(RefusedError, match="link"):
        Folder(str(tmp_path), parts, create=True)


@pytest.mark.usefixtures("way")
def test_a_file_on_the_way_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"")

    with pytest.raises(RefusedError, match="a: it is not a folder"):
        Folder(str(tmp_path), ("a", "b"), create=True)


@pytest.mark.usefixtures("way")
def test_a_file_is_created_once(tmp_path: Path) -> None:
    with Folder(str(tmp_path), (), create=False) as root:
        durable.create(root, "f", b"first")
        with pytest.raises(FileExistsError):
            durable.create(root, "f", b"second")

    assert (tmp_path / "f").read_bytes() == b"first"
    assert names(tmp_path) == ["f"]


@pytest.mark.usefixtures("way")
def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    with Folder(str(tmp_path), (), create=False) as root:
        durable.replace(root, "f", b"first")
        durable.replace(root, "f", b"second")

    assert (tmp_path / "f").read_bytes() == b"second"
    assert names(tmp_path) == ["f"]


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("call", ["write", "fsync"])
def test_a_failed_write_leaves_the_former_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    def fail(*_: object) -> int:
        raise OSError(28, "No space left on device")

    with Folder(str(tmp_path), (), create=False) as root:
        durable.replace(root, "f", b"first")
        monkeypatch.setattr(os, call, fail)
        with pytest.raises(MachineError, match="f: cannot be written: No space"):
            durable.replace(root, "f", b"second")

    assert (tmp_path / "f").read_bytes() == b"first"
    assert names(tmp_path) == ["f"]


@pytest.mark.usefixtures("way")
def test_a_file_system_without_hard_links_is_served_by_a_rename(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", fail)
    with Folder(str(tmp_path), (), create=False) as root:
        durable.create(root, "f", b"x")
        with pytest.raises(FileExistsError):
            durable.create(root, "f", b"y")

    assert (tmp_path / "f").read_bytes() == b"x"
    assert names(tmp_path) == ["f"]


def test_a_junction_counts_as_a_link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Junction:
        st_mode = stat.S_IFDIR
        st_reparse_tag = 0xA0000003

    monkeypatch.setattr(os, "lstat", lambda _: Junction())

    assert is_link(str(tmp_path))


def test_control_a_plain_folder_is_no_link(tmp_path: Path) -> None:
    assert not is_link(str(tmp_path))
    assert not is_link(str(tmp_path / "absent"))
    assert os.path.isdir(tmp_path)
