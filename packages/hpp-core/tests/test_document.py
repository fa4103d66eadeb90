from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest

from hpp.core import document
from hpp.core.canonical import canonical_bytes, sha256_hex
from hpp.core.document import read_document, read_input, read_state
from hpp.core.errors import RefusedError

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


def test_a_file_over_the_limit_is_refused(tmp_path: Path) -> None:
    (tmp_path / "big").write_bytes(b"x" * 1025)

    assert len(read_input(str(tmp_path / "big"), limit=1025)) == 1025
    with pytest.raises(RefusedError, match="larger than"):
        read_input(str(tmp_path / "big"), limit=1024)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_an_input_may_be_a_pipe_and_a_state_file_may_not(tmp_path: Path) -> None:
    path = str(tmp_path / "pipe")
    os.mkfifo(path)
    # Before there is a writer: one that met this reader would be left with a broken pipe.
    with pytest.raises(RefusedError, match="not a regular file"):
        read_state(path, limit=10)

    if os.fork() == 0:
        try:
            with open(path, "wb") as stream:
                stream.write(b"x" * 100_000)
        finally:
            os._exit(0)

    assert len(read_input(path)) == 100_000
    os.wait()


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


def test_canonical_json_is_what_digests_are_taken_over() -> None:
    value = {"b": 600.0, "a": ["é", 1, None], "A": {}}

    assert canonical_bytes(value) == '{"A":{},"a":["é",1,null],"b":600.0}'.encode()
    assert sha256_hex(b"") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


def test_control_canonical_json_refuses_what_two_programs_would_write_differently() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        canonical_bytes(float("nan"))
