from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hpp.core.errors import RefusedError
from hpp.core.portable.fsread import read_bounded
from hpp.core.portable.fswrite import append_line, write_new

if TYPE_CHECKING:
    from pathlib import Path


def test_a_file_is_read_up_to_its_bound(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"1234")

    assert read_bounded(str(path), 4, "a", "larger than that") == b"1234"
    with pytest.raises(RefusedError, match=r"^a: larger than that$"):
        read_bounded(str(path), 3, "a", "larger than that")


@pytest.mark.parametrize("name", ["gone", "a\0b", "."])
def test_what_cannot_be_read_is_refused_by_its_name(tmp_path: Path, name: str) -> None:
    with pytest.raises(RefusedError, match=r"^notes: cannot be read: "):
        read_bounded(f"{tmp_path}/{name}", 9, "notes", "larger")


def test_a_new_file_takes_no_other_one_s_place(tmp_path: Path) -> None:
    path = tmp_path / "suite.json"

    write_new(str(path), b"1", "it is there already")
    with pytest.raises(RefusedError, match=r"^suite\.json: it is there already$"):
        write_new(str(path), b"2", "it is there already")
    with pytest.raises(RefusedError, match=r"^x: cannot be written: "):
        write_new(str(tmp_path / "gone" / "x"), b"2", "taken")

    assert path.read_bytes() == b"1"
    assert [entry.name for entry in tmp_path.iterdir()] == ["suite.json"]


def test_control_a_line_closes_the_one_before_it(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"torn")

    append_line(str(path), b"whole\n")

    assert path.read_bytes() == b"torn\nwhole\n"
