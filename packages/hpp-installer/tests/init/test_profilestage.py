"""The profile stage: every row of its table, in a plan and with apply."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from hpp.installer.answer import Resolver
from hpp.installer.profile import look_at_profile
from hpp.installer.profilestage import Writer

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from hpp.core.manifest import Manifest


@pytest.fixture
def writer(project: Path, packaged: Manifest) -> Writer:
    answers = Resolver(packaged, {}, {}).answers()
    return Writer(str(project), answers, answers.profile(packaged))


def nothing(_: Path, __: dict[str, Any]) -> None:
    return


def put(make: Callable[[dict[str, Any]], str]) -> Callable[[Path, dict[str, Any]], None]:
    def write(project: Path, profile: dict[str, Any]) -> None:
        (project / ".hpp").mkdir()
        (project / ".hpp/profile.json").write_bytes(make(profile).encode())

    return write


def folder_is_a_file(project: Path, _: dict[str, Any]) -> None:
    (project / ".hpp").write_bytes(b"x")


@pytest.mark.parametrize(
    ("before", "possible", "plan", "apply"),
    [
        (nothing, True, "would-write ok 0", "written ok 0"),
        (nothing, False, "withheld warn 1", "withheld warn 1"),
        (put(json.dumps), True, "unchanged ok 0", "unchanged ok 0"),
        (put(lambda p: json.dumps(p, indent=4) + "\r\n"), True, "unchanged ok 0", "unchanged ok 0"),
        (put(lambda p: json.dumps({**p, "host": "x"})), True, "conflict warn 1", "conflict warn 1"),
        (put(lambda p: json.dumps({**p, "more": 1})), True, "conflict warn 1", "conflict warn 1"),
        (put(lambda _: "{"), True, "conflict warn 1", "conflict warn 1"),
        (put(lambda _: "{}"), True, "conflict warn 1", "conflict warn 1"),
        (put(lambda _: ""), False, "conflict warn 1", "conflict warn 1"),
        (folder_is_a_file, True, "refused fail 2", "refused fail 2"),
    ],
    ids=["absent", "withheld", "equal", "equal in other bytes", "other host", "one key more",
         "torn", "no profile", "torn and impossible", "folder is a file"],
)  # fmt: skip
def test_each_state_has_one_outcome(  # noqa: PLR0913, PLR0917 -- one row of a table
    writer: Writer,
    project: Path,
    before: Callable[[Path, dict[str, Any]], None],
    possible: bool,
    plan: str,
    apply: str,
) -> None:
    before(project, writer.profile)
    kept = {path: path.read_bytes() for path in project.rglob("*") if path.is_file()}

    for write, wanted in ((False, plan), (True, apply)):
        stage = writer.stage(look_at_profile(str(project)), write=write, possible=possible)
        told = f"{stage.detail['action']} {stage.status} {stage.exit_hint}"
        assert told == wanted
        assert stage.detail["writes"] == (stage.detail["action"] == "written")

    assert all(path.read_bytes() == data for path, data in kept.items())


def test_a_quicker_run_is_not_overwritten(
    writer: Writer, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    absent = look_at_profile(str(project))
    put(json.dumps)(project, writer.profile)
    assert writer.stage(absent, write=True, possible=True).detail["action"] == "unchanged"

    put_again = project / ".hpp/profile.json"
    put_again.write_bytes(b"{}")
    assert writer.stage(absent, write=True, possible=True).detail["action"] == "conflict"
    assert put_again.read_bytes() == b"{}"

    monkeypatch.setattr("hpp.installer.profilestage.create_profile", lambda *_: False)
    put_again.unlink()
    assert writer.stage(absent, write=True, possible=True).halts


def test_control_a_file_that_cannot_be_created_halts_with_the_reason(
    writer: Writer, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.write", full)
    stage = writer.stage(look_at_profile(str(project)), write=True, possible=True)
    monkeypatch.undo()

    assert stage.halts
    assert "No space left" in stage.problems[0].measured
    assert list(project.iterdir()) == []
