from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from hpp.core import document
from hpp.core.document import check_stdin, read_document, read_input, read_state
from hpp.core.errors import RefusedError, UsageError

if TYPE_CHECKING:
    from pathlib import Path


def test_a_document_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(b"\xef\xbb\xbf{\r\n}")

    assert read_document(str(tmp_path / "a.json"), root=dict) == {}


@pytest.mark.parametrize("name", ["absent", "folder", "", "nul\0byte", "a\nb"])
def test_what_cannot_be_read_is_named(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    path = str(tmp_path / name) if name else ""

    with pytest.raises(RefusedError) as caught:
        read_document(path)

    assert "\n" not in str(caught.value)


def test_standard_input_is_read_once() -> None:
    check_stdin(["-", None, "a.json", "./-"])
    with pytest.raises(UsageError, match="only once"):
        check_stdin(["-", "a.json", "-"])


def test_a_file_over_the_limit_is_refused(tmp_path: Path) -> None:
    (tmp_path / "big").write_bytes(b"x" * 1025)

    assert len(read_input(str(tmp_path / "big"), limit=1025)) == 1025
    with pytest.raises(RefusedError, match="larger than"):
        read_input(str(tmp_path / "big"), limit=1024)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_an_input_may_be_a_pipe_and_a_state_file_may_not(tmp_path: Path) -> None:
    path = str(tmp_path / "pipe")
    os.mkfifo(path)
    with pytest.raises(RefusedError, match="not a regular file"):
        read_state(path, limit=10)
    writer = subprocess.Popen(
        [sys.executable, "-c", f"open({path!r}, 'wb', buffering=0).write(b'x' * 100_000)"]
    )

    assert len(read_input(path)) == 100_000
    assert writer.wait() == 0


def test_an_absent_state_file_is_none(tmp_path: Path) -> None:
    assert read_state(str(tmp_path / "absent"), limit=10) is None


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root reads everything")
def test_an_unreadable_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"")
    (tmp_path / "a").chmod(0)

    with pytest.raises(RefusedError, match="a: cannot be read"):
        read_input(str(tmp_path / "a"))


def test_standard_input_that_is_closed_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document.sys, "stdin", None)  # type: ignore[attr-defined]

    with pytest.raises(RefusedError, match="standard input"):
        read_input("-")


@pytest.mark.parametrize("data", [b'{"a": 1}', b"\r\n[]", b"x" * 100_000])
def test_standard_input_is_read_to_its_end(data: bytes) -> None:
    program = "import sys; from hpp.core.document import read_input; print(len(read_input('-')))"
    done = subprocess.run(
        [sys.executable, "-c", program], input=data, capture_output=True, check=True
    )

    assert int(done.stdout) == len(data)


def test_a_fault_names_the_document_and_the_place(tmp_path: Path) -> None:
    path = tmp_path / "na\u200bive.json"
    path.write_bytes(b'{"work": [{"id": 1, "id": 2}]}')

    with pytest.raises(RefusedError, match=r"na\\u200bive.json: work\[0\]: the key") as caught:
        read_document(str(path))

    assert str(caught.value).isprintable()


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="this system has no links")
def test_an_input_may_be_reached_through_a_link_and_a_state_file_need_not(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"[]")
    try:
        (tmp_path / "link").symlink_to("real")
    except OSError:
        pytest.skip("this user may not make links")
    path = str(tmp_path / "link")

    assert read_document(path) == []
    assert read_state(path, limit=10) == b"[]"
    if hasattr(os, "O_NOFOLLOW"):
        with pytest.raises(RefusedError, match="link"):
            read_state(path, limit=10, no_links=True)


def test_control_the_same_bytes_under_the_limit_are_read(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"12345")

    assert read_state(str(tmp_path / "a"), limit=5) == b"12345"
    with pytest.raises(RefusedError, match="larger"):
        read_state(str(tmp_path / "a"), limit=4)
