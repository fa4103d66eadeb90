"""The profile's place: what stands there, and that nothing there is ever replaced."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from hpp.core.errors import HppError
from hpp.installer.profile import create_profile, differing_keys, look_at_profile

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Link = Callable[[Path, Path], None]


def test_control_a_file_is_created_whole_and_once(project: Path) -> None:
    assert create_profile(str(project), {"a": 1})
    assert not create_profile(str(project), {"a": 2})

    assert (project / ".hpp/profile.json").read_bytes() == b'{\n  "a": 1\n}\n'
    assert [path.name for path in (project / ".hpp").iterdir()] == ["profile.json"]


def test_what_stands_there_is_told(project: Path) -> None:
    path = project / ".hpp/profile.json"
    assert look_at_profile(str(project)).kind == "absent"
    path.parent.mkdir()
    assert look_at_profile(str(project)).kind == "absent"
    for text in ("{", "[]", '{"schema": "hpp.init/v2"}', '{"schema": "hpp.init/v1"}', "\0"):
        path.write_bytes(text.encode())
        assert look_at_profile(str(project)).kind == "invalid", text
    path.unlink()
    path.mkdir()
    assert look_at_profile(str(project)).kind == "unsafe"


def test_links_are_neither_followed_nor_written(project: Path, link: Link) -> None:
    outside = project.parent / "outside"
    outside.mkdir()
    link(project / ".hpp", outside)
    assert look_at_profile(str(project)).kind == "unsafe"
    with pytest.raises(HppError, match="it is a link"):
        create_profile(str(project), {})
    (project / ".hpp").unlink()

    (project / ".hpp").mkdir()
    link(project / ".hpp/profile.json", outside / "p.json")
    assert look_at_profile(str(project)).kind == "unsafe"
    assert not create_profile(str(project), {})
    assert list(outside.iterdir()) == []


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_in_its_place_does_not_hold_the_command_up(project: Path) -> None:
    (project / ".hpp").mkdir()
    os.mkfifo(project / ".hpp/profile.json")

    assert look_at_profile(str(project)).kind == "unsafe"


def test_a_write_that_fails_leaves_nothing(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(
        HppError, match=r"^.hpp/profile.json: cannot be written: No space left on device$"
    ):
        create_profile(str(project), {})
    monkeypatch.undo()

    assert list(project.iterdir()) == []


def test_keys_that_differ_are_named_sorted() -> None:
    assert differing_keys({"a": 1, "b": 2, "z": 0}, {"a": 1, "b": 3, "c": None}) == ["b", "c", "z"]
