from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from hpp.core.errors import RefusedError
from hpp.decide.target import Target

if TYPE_CHECKING:
    from pathlib import Path

SCHEMA = "hpp.panel/v1"
DOCUMENT = {"schema": SCHEMA, "id": "new"}
links = pytest.mark.skipif(os.name == "nt", reason="links need a privilege there")


def test_folders_are_made_when_it_is_written_and_not_before(workspace: Path) -> None:
    target = Target("a/b/p.json", SCHEMA)
    assert not (workspace / "a").exists()

    target.write(DOCUMENT)

    written = (workspace / "a/b/p.json").read_bytes()
    assert json.loads(written) == DOCUMENT
    assert written.endswith(b"}\n")
    assert os.listdir(workspace / "a/b") == ["p.json"]


def test_one_of_the_same_schema_is_replaced(workspace: Path) -> None:
    (workspace / "p.json").write_text(json.dumps({"schema": SCHEMA, "id": "old"}), encoding="utf-8")

    Target("p.json", SCHEMA).write(DOCUMENT)

    assert json.loads((workspace / "p.json").read_text(encoding="utf-8")) == DOCUMENT


@pytest.mark.parametrize(
    "content", [b"precious\n", b"", b"[]", b"{}", b'{"schema": "x"}', b"\xff\xfe", b'{"schema": 1}']
)
def test_any_other_file_stays(workspace: Path, content: bytes) -> None:
    (workspace / "keep.py").write_bytes(content)

    with pytest.raises(RefusedError, match=r"--out keep.py: it exists and is no hpp.panel/v1"):
        Target("keep.py", SCHEMA)
    assert (workspace / "keep.py").read_bytes() == content


@pytest.mark.parametrize("path", [".", "folder", "folder/", "new/"])
def test_a_folder_is_no_file(workspace: Path, path: str) -> None:
    (workspace / "folder").mkdir()

    with pytest.raises(RefusedError, match="it is a folder"):
        Target(path, SCHEMA)


@pytest.mark.parametrize("path", ["", "a\0b"])
def test_a_name_has_to_be_one(path: str) -> None:
    with pytest.raises(RefusedError, match="--out"):
        Target(path, SCHEMA)


@links
@pytest.mark.parametrize("aim", ["there.json", "nowhere.json"])
def test_a_link_is_not_followed(workspace: Path, aim: str) -> None:
    (workspace / "there.json").write_text(json.dumps(DOCUMENT), encoding="utf-8")
    (workspace / "link.json").symlink_to(aim)

    with pytest.raises(RefusedError, match="it is a link"):
        Target("link.json", SCHEMA)
    assert not (workspace / "nowhere.json").exists()


@links
def test_no_folder_below_this_one_is_a_link(workspace: Path) -> None:
    (workspace / "real").mkdir()
    (workspace / "link").symlink_to("real")

    with pytest.raises(RefusedError, match="link: it is a link; HPP writes through none"):
        Target("link/p.json", SCHEMA)
    with pytest.raises(RefusedError, match="link: it is a link; HPP writes through none"):
        Target("link/deeper/p.json", SCHEMA)
    assert os.listdir(workspace / "real") == []


def test_a_file_on_the_way_is_refused_before_any_work(workspace: Path) -> None:
    (workspace / "file").write_bytes(b"")

    with pytest.raises(RefusedError, match="file: it is not a folder"):
        Target("file/p.json", SCHEMA)
    with pytest.raises(RefusedError, match="it is not a folder"):
        Target(str(workspace / "file" / "deeper" / "p.json"), SCHEMA)


def test_a_place_outside_of_this_folder_is_a_person_s_choice(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (workspace / "here").mkdir()
    monkeypatch.chdir(workspace / "here")

    Target("../there/deep/p.json", SCHEMA).write(DOCUMENT)

    assert json.loads((workspace / "there/deep/p.json").read_text(encoding="utf-8")) == DOCUMENT
