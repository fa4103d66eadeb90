"""Zip archives of modules."""

from __future__ import annotations

import io
import stat
import zipfile
from typing import Any

import pytest

from hpp.installer.formats import archive
from hpp.installer.formats.archive import form_faults, read_zip, zip_bytes
from hpp.installer.formats.inventory import sha256_hex

FILES = {"b.md": b"b\n", "a/run.sh": b"#!/bin/sh\n", "a-b.md": b"", "tool": b"x"}


def zipped(*members: tuple[str, bytes, dict[str, Any]]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        for name, data, rules in members:
            info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            info.create_system = 3
            info.external_attr = (stat.S_IFREG | 0o644) << 16
            for key, value in rules.items():
                setattr(info, key, value)
            made.writestr(info, data)
    return out.getvalue()


def codes(data: bytes) -> set[str]:
    found = read_zip(data, "m.zip")
    assert found.files == {} or not found.problems
    return {problem.code for problem in found.problems}


def test_what_is_written_is_read_again_and_keeps_the_form() -> None:
    data = zip_bytes(FILES, {"tool"})

    assert read_zip(data, "m.zip").files == FILES
    assert form_faults(data, {"tool"}) == []


def test_the_bytes_depend_on_the_files_alone() -> None:
    shuffled = dict(reversed(list(FILES.items())))

    assert zip_bytes(FILES, {"tool"}) == zip_bytes(shuffled, {"tool"})
    wanted = "b07b5d891ceee14b03a41872edd9b18b43d1de1accc24c8bc32de52b930d5044"
    assert sha256_hex(zip_bytes(FILES, {"tool"})) == wanted


def test_modes_come_from_names_and_never_from_a_disk() -> None:
    with zipfile.ZipFile(io.BytesIO(zip_bytes(FILES, {"tool"}))) as made:
        modes = {info.filename: info.external_attr >> 16 & 0o777 for info in made.infolist()}
        names = made.namelist()

    assert modes == {"a-b.md": 0o644, "a/run.sh": 0o755, "b.md": 0o644, "tool": 0o755}
    assert names == ["a-b.md", "a/run.sh", "b.md", "tool"]


@pytest.mark.parametrize(
    "name", ["../x", "/x", "C:x", "C:/x", "a\\x", "nul.txt", "a/../../x", "d/"]
)
def test_a_member_with_an_unsafe_name_is_refused(name: str) -> None:
    assert "unsafe-path" in codes(zipped(("a", b"", {}), (name, b"x", {})))


def test_a_link_entry_is_refused_and_not_written_as_text() -> None:
    link = {"external_attr": (stat.S_IFLNK | 0o777) << 16}

    assert codes(zipped(("a", b"/etc/hosts", link))) == {"archive-member"}


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_name_that_is_there_twice_is_refused() -> None:
    assert codes(zipped(("a", b"1", {}), ("a", b"2", {}))) == {"archive-member"}
    assert codes(zipped(("a", b"1", {}), ("A", b"2", {}))) == {"case-collision"}


def test_a_ratio_past_the_limit_is_refused_and_one_below_is_not() -> None:
    deflated = {"compress_type": zipfile.ZIP_DEFLATED}

    assert codes(zipped(("a", b"\0" * 200_000, deflated))) == {"archive-limit"}
    assert codes(zipped(("a", b"0123456789abcdef" * 20, deflated))) == set()


def test_an_encrypted_member_is_refused() -> None:
    data = bytearray(zipped(("a", b"1", {})))
    central = data.index(b"PK\x01\x02")
    data[central + 8] |= 1

    assert codes(bytes(data)) == {"archive-member"}


def test_another_compression_is_refused() -> None:
    assert codes(zipped(("a", b"1" * 50, {"compress_type": zipfile.ZIP_BZIP2}))) == {
        "archive-member"
    }


def test_a_member_past_the_size_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "LARGEST_MEMBER", 10)

    assert codes(zipped(("a", b"1" * 11, {}))) == {"archive-limit"}
    assert codes(zipped(("a", b"1" * 10, {}))) == set()


def test_too_many_members_and_too_much_in_total_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    data = zipped(*((f"m{number}", b"12345", {}) for number in range(4)))
    assert codes(data) == set()

    monkeypatch.setattr(archive, "MOST_MEMBERS", 3)
    assert codes(data) == {"archive-limit"}
    monkeypatch.setattr(archive, "MOST_MEMBERS", 4)
    monkeypatch.setattr(archive, "LARGEST_TOTAL", 19)
    assert codes(data) == {"archive-limit"}


def test_damage_is_told_by_the_checksum_of_the_member() -> None:
    data = zipped(("a", b"payload", {}))

    assert codes(data.replace(b"payload", b"paxload")) == {"zip-invalid"}
    assert codes(data[:-10]) == {"zip-invalid"}
    assert codes(b"no archive") == {"zip-invalid"}


@pytest.mark.parametrize(
    ("member", "told"),
    [
        (("a", b"1" * 9, {"compress_type": zipfile.ZIP_DEFLATED}), "is not stored"),
        (("a", b"1", {"date_time": (2020, 1, 1, 0, 0, 0)}), "time of its own"),
        (("a", b"1", {"create_system": 0}), "not marked as from Unix"),
        (("a", b"1", {"external_attr": (stat.S_IFREG | 0o600) << 16}), "another mode"),
        (("a", b"1", {"comment": b"x"}), "a comment"),
    ],
)
def test_another_form_is_told(member: tuple[str, bytes, dict[str, Any]], told: str) -> None:
    assert any(told in fault for fault in form_faults(zipped(member)))
