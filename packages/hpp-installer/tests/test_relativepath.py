"""Portable relative paths."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hpp.installer.formats.relativepath import LONGEST, collisions, path_fault


@pytest.mark.parametrize(
    "path",
    [
        "a",
        "hooks/run.py",
        ".claude-plugin/plugin.json",
        "a b/c",
        "con1",
        "common.txt",
        "a" * LONGEST,
    ],
)
def test_a_portable_path_has_no_fault(path: str) -> None:
    assert path_fault(path) == ""


@pytest.mark.parametrize(
    "path",
    [
        "", "/etc/hosts", "//server/share", "../x", "a/../b", "a/..", "./a", "a/.", "a//b", "a/",
        "C:/x", "C:x", "a:b", "a/b:stream", "a\\b", "..\\x", "a\nb", "a\0b", "a\x7f", "caf\u00e9",
        "a.", "a /b", "dir./x", "con", "CON", "aux.txt", "x/NUL.tar.gz", "com1", "Lpt9.md",
        "con .txt", "prn", "a?b", "a*", "a|b", "a" * (LONGEST + 1),
    ],
)  # fmt: skip
def test_a_path_that_some_system_reads_otherwise_is_refused(path: str) -> None:
    assert path_fault(path) != ""


@given(st.text(alphabet="aB./\\:C \u00e9~", max_size=12))
@settings(max_examples=300, deadline=None)
def test_an_accepted_path_stays_below_its_folder(path: str) -> None:
    if path_fault(path) == "":
        parts = path.split("/")
        assert all(part not in ("", ".", "..") for part in parts)
        assert "\\" not in path
        assert ":" not in path


def test_paths_that_differ_in_case_alone_collide() -> None:
    assert collisions(["a/B.md", "a/b.md", "c"]) == [("a/B.md", "a/b.md")]
    assert collisions(["Docs/a", "docs/b"]) == [("Docs", "docs")]
    assert collisions(["a", "a/b"]) == [("a", "a")]
    assert collisions(["a/b", "a/c", "b"]) == []
