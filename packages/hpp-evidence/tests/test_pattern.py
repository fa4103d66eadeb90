from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from hpp.evidence.base import _read
from hpp.evidence.pattern import Pattern, Workspace
from hpp.evidence.pipeline import warnings

if TYPE_CHECKING:
    from pathlib import Path

FILES = ["a.png", "b.txt", ".dot", "out/a.png", "out/b.png", "out/deep/c.png", "out/deep/.d",
         ".git/config", "rec/x.json", "out/[x].png"]  # fmt: skip


@pytest.fixture
def tree(tmp_path: Path) -> Workspace:
    """Write a small tree and return it with `rec` as the record folder."""
    for name in FILES:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"")
    return Workspace(str(tmp_path), ("rec",))


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("*.png", ["a.png"]),
        ("*", [".dot", "a.png", "b.txt"]),
        ("./out//*.png", ["out/[x].png", "out/a.png", "out/b.png"]),
        ("out\\a.png", ["out/a.png"]),
        ("out/?.png", ["out/a.png", "out/b.png"]),
        ("out/[ab].png", ["out/a.png", "out/b.png"]),
        ("out/[b-z].png", ["out/b.png"]),
        ("out/[!a].png", ["out/b.png"]),
        ("**/*.png", ["a.png", "out/[x].png", "out/a.png", "out/b.png", "out/deep/c.png"]),
        ("out/**", ["out/[x].png", "out/a.png", "out/b.png", "out/deep/.d", "out/deep/c.png"]),
        ("**/**/c.png", ["out/deep/c.png"]),
        ("**/*.json", []),
        ("rec/*.json", ["rec/x.json"]),
        ("**/config", []),
        (".git/config", [".git/config"]),
        ("out", []),
        ("absent/*", []),
        ("a.png/b", []),
        ("*/*", ["out/[x].png", "out/a.png", "out/b.png", "rec/x.json", ".git/config"]),
    ],
)
def test_a_pattern_finds_its_files(tree: Workspace, pattern: str, found: list[str]) -> None:
    assert Pattern(pattern).matches(tree) == sorted(found)


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege there")
def test_stars_enter_no_linked_folder(tree: Workspace) -> None:
    os.symlink("out", os.path.join(tree.root, "lnk"))

    assert not [path for path in Pattern("**/*.png").matches(tree) if path.startswith("lnk")]
    assert Pattern("lnk/a.png").matches(tree) == ["lnk/a.png"]


def test_many_stars_are_no_trap(tmp_path: Path) -> None:
    """An expression that went back over its stars would not come to an end here."""
    (tmp_path / ("a" * 200)).write_bytes(b"")

    assert Pattern("*a" * 60 + "b").matches(Workspace(str(tmp_path), ("rec",))) == []


@pytest.mark.parametrize(
    ("argv", "warns"),
    [
        (["sh", "-c", "a | b"], True),
        (["/bin/bash", "-ec", "a |& b"], True),
        (["bash", "-o", "pipefail", "-c", "a | b"], False),
        (["bash", "-eo", "pipefail", "-c", "a | b"], False),
        (["bash", "-c", "set -eo pipefail; a | b"], False),
        (["bash", "-c", "set -o pipefail\na | b"], False),
        (["sh", "-c", "a || b"], False),
        (["sh", "-c", "echo 'a | b'"], False),
        (["sh", "-c", 'echo "a | b"'], False),
        (["sh", "-c", "ls # a | b"], False),
        (["sh", "-c", "cat <<E\na | b\nE"], False),
        (["sh", "-c", "cat <<E | b\nx\nE"], True),
        (["sh", "-c", "echo a \\| b"], False),
        (["sh", "-c", "case $1 in a|b) true;; esac"], False),
        (["sh", "-c", 'case "$1" in a | b) true;; esac'], False),
        (["sh", "-c", "case $1 in a) b | c;; esac"], True),
        (["bash", "-c", "[[ $1 =~ a|b ]]"], False),
        (["bash", "-c", "(( x = 1 | (2 | 4) ))"], False),
        (["bash", "-c", "echo $(( 1 | 2 ))"], False),
        (["bash", "-c", "echo $(( 1 | 2 )) | b"], True),
        (["sh", "-c", "a >| file"], False),
        (["sh", "-c", "a >| file | b"], True),
        (["sh", "-c", "'a' | 'b'"], True),
        (["sh", "-c", "for i in a; do b | c; done"], True),
        (["sh", "script.sh", "a | b"], False),
        (["python", "-c", "a | b"], False),
        (["sh", "-c"], False),
    ],
)
def test_a_pipe_without_pipefail_is_warned_of(argv: list[str], warns: bool) -> None:
    found = [warning["code"] for warning in warnings(argv)]

    assert found == (["PIPELINE_WITHOUT_PIPEFAIL"] if warns else [])


@pytest.mark.parametrize(
    ("listing", "dirty"),
    [
        (b"", False),
        (b"# branch.oid (initial)\0# branch.head a b\0", False),
        (b"? .hpp/\0", False),
        (b"? sub/.hpp/x\0", False),
        (b"1 .M N... 100644 100644 100644 0 0 a\0", True),
        (b"1 .M N... 100644 100644 100644 0 0 .hpp/a b\0", False),
        (b"? .hpp/\x001 D. N... 100644 000000 000000 0 0 a b/.hppx\0", True),
        (b"u UU N... 100644 100644 100644 100644 0 0 0 .hpp/a b\0", False),
        (b"u UU N... 100644 100644 100644 100644 0 0 0 a .hpp\0", True),
        (b"? a .hpp\0", True),
        (b"? # .hppx\0", True),
    ],
)
def test_a_tree_is_dirty_outside_our_own_folder(listing: bytes, dirty: bool) -> None:
    assert _read(listing) == (None, dirty)
    assert _read(b"# branch.oid 0123\0" + listing.replace(b"# branch.oid", b"# x"))[0] == "0123"


def test_control_a_matcher_that_matched_all_would_be_seen(tree: Workspace) -> None:
    assert Pattern("*.png").matches(tree) != Pattern("*").matches(tree)
