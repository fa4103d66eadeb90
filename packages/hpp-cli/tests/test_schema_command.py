from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from hpp.cli import main
from hpp.core.schema import installed_schemas

if TYPE_CHECKING:
    from pathlib import Path

Capture = pytest.CaptureFixture[str]
EVENT = {"seq": 1, "id": "event:1", "type": "t", "data": {}}


def out(capfd: Capture, *words: str) -> str:
    assert main(["schema", *words]) == 0
    captured = capfd.readouterr()
    assert captured.err == ""
    return captured.out


def refusal(capfd: Capture, *words: str, code: int = 2) -> list[str]:
    assert main(["schema", *words]) == code
    captured = capfd.readouterr()
    assert captured.out == ""
    return captured.err.splitlines()


def test_the_list_has_a_line_for_each_schema(capfd: Capture) -> None:
    lines = out(capfd, "list").splitlines()
    rows = json.loads(out(capfd, "list", "--json"))

    assert lines == [f"{row['name']}\t{row['id']}" for row in rows]
    assert [row["name"] for row in rows] == [schema.name for schema in installed_schemas()]
    assert {tuple(sorted(row)) for row in rows} == {("distribution", "id", "name", "title")}
    assert {
        "distribution": "hpp-cli",
        "id": "urn:hpp:doctor-report:v1",
        "name": "doctor-report",
        "title": "Problem report of hpp doctor",
    } in rows


def test_a_schema_is_shown_as_it_was_published(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    for schema in installed_schemas():
        assert main(["schema", "show", schema.name]) == 0
        assert capfdbinary.readouterr().out == schema.published()


def test_an_unknown_name_is_refused_with_a_near_one(capfd: Capture) -> None:
    for words in ["show", "doctr"], ["check", "doctr", "x"]:
        (line,) = refusal(capfd, *words)
        assert line == "hpp: unknown schema doctr (did you mean doctor?)"


def test_a_sound_document_is_said_to_be_so(capfd: Capture, tmp_path: Path) -> None:
    (tmp_path / "e.json").write_text(json.dumps(EVENT), encoding="utf-8")

    assert out(capfd, "check", "event", str(tmp_path / "e.json")) == (
        "schema ok: urn:hpp:event:v1\n"
    )


def test_every_fault_of_a_document_has_its_line(capfd: Capture, tmp_path: Path) -> None:
    path = tmp_path / "e.json"
    path.write_text(json.dumps({"type": "", "data": [], "seq": 1.0}), encoding="utf-8")

    lines = refusal(capfd, "check", "event", str(path))

    places = [line.removeprefix(f"hpp: {path}: ").split(":")[0] for line in lines]
    assert places == ["type", "data", "seq", "id"]


def test_a_document_may_come_from_standard_input(
    capfd: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "e.json").write_bytes(b'\xef\xbb\xbf{"seq": 0}')
    with open(tmp_path / "e.json", encoding="utf-8") as stream:
        monkeypatch.setattr("sys.stdin", stream)
        lines = refusal(capfd, "check", "event", "-")

    assert lines[0] == "hpp: standard input: seq: expected at least 1"


@pytest.mark.parametrize("data", [b"", b"{", b'{"a": 1, "a": 2}', b"\xff\xfe"])
def test_a_document_that_is_not_strict_json_is_refused(
    capfd: Capture, tmp_path: Path, data: bytes
) -> None:
    (tmp_path / "e.json").write_bytes(data)

    (line,) = refusal(capfd, "check", "event", str(tmp_path / "e.json"))
    assert "e.json: " in line


def test_an_absent_document_is_refused(capfd: Capture, tmp_path: Path) -> None:
    (line,) = refusal(capfd, "check", "event", str(tmp_path / "absent"))

    assert line.endswith("absent: there is no such file")


@pytest.mark.parametrize(
    "words",
    [[], ["show"], ["show", "a", "b"], ["check", "event"], ["list", "x"], ["shw"], ["list", "-j"]],
)
def test_a_line_that_is_incomplete_is_a_usage_error(capfd: Capture, words: list[str]) -> None:
    lines = refusal(capfd, *words, code=3)

    assert lines[-1].startswith("usage: hpp schema")


def test_a_closed_standard_input_is_refused(
    capfd: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", None)

    assert refusal(capfd, "check", "event", "-") == ["hpp: standard input: it is closed"]


def test_control_one_document_keeps_to_one_schema_and_not_to_another(
    capfd: Capture, tmp_path: Path
) -> None:
    path = tmp_path / "e.json"
    path.write_text(json.dumps(EVENT), encoding="utf-8")

    assert main(["schema", "check", "event", str(path)]) == 0
    assert main(["schema", "check", "manifest", str(path)]) == 2
    assert "protocol_version: it is missing" in capfd.readouterr().err
