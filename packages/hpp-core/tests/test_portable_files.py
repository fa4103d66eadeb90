from __future__ import annotations

import os
import stat
import threading
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpp.core.errors import MachineError, RefusedError
from hpp.core.portable import fsread, fswrite, lane
from hpp.core.portable.fswrite import BusyError, append_jsonl, atomic_write, locked, state_dir
from hpp.core.portable.payload import Payload

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/etc/x",
        "\\x",
        "C:\\x",
        "C:x",
        "\\\\host\\x",
        "//host/x",
        "a/../b",
        "..",
        "a\\..\\b",
        "~/x",
        "a\0b",
    ],
)
def test_a_path_that_leaves_the_project_is_refused(path: str, tmp_path: Path) -> None:
    with pytest.raises(RefusedError):
        fsread.contain(path, str(tmp_path))


def test_a_path_below_is_found_and_links_are_refused(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    (root / "a").mkdir(parents=True)
    outside.mkdir()
    real = os.path.realpath(root)

    assert fsread.contain("a/./new/x", str(root)) == os.path.join(real, "a", "new", "x")
    (root / "link").symlink_to(outside)
    (root / "a" / "dangling").symlink_to("nowhere")
    for path in ("link", "link/x", "a/dangling"):
        with pytest.raises(RefusedError, match="link"):
            fsread.contain(path, str(root))
    linked_root = tmp_path / "linked"
    linked_root.symlink_to(root)
    assert fsread.contain("a", str(linked_root)) == os.path.join(real, "a")


def test_a_reparse_point_counts_as_a_link(tmp_path: Path) -> None:
    def lstat(_: str) -> Any:  # noqa: ANN401 -- what Windows says, of which two fields count
        return SimpleNamespace(st_mode=stat.S_IFDIR, st_file_attributes=0x410)

    with pytest.raises(RefusedError, match="link"):
        fsread.contain("a", str(tmp_path), lstat=lstat)


def test_where_a_path_lies_in_the_project(tmp_path: Path) -> None:
    root = str(tmp_path / "root")

    assert fsread.inside(os.path.join(root, "a", "b"), root) == "a/b"
    assert fsread.inside("a", root) == "a"
    assert fsread.inside(root, root) == "."
    assert fsread.inside(root + "x", root) is None
    assert fsread.inside(str(tmp_path), root) is None


def test_a_write_is_whole_keeps_the_mode_and_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "x"
    atomic_write(str(path), b"one")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600 or os.name == "nt"
    path.chmod(0o640)

    atomic_write(str(path), b"two")

    assert path.read_bytes() == b"two"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640 or os.name == "nt"
    assert [entry.name for entry in tmp_path.iterdir()] == ["x"]


def test_a_write_that_fails_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"one")

    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(MachineError, match="x: cannot be written: No space"):
        atomic_write(str(path), b"two")

    assert path.read_bytes() == b"one"
    assert [entry.name for entry in tmp_path.iterdir()] == ["x"]


def test_windows_is_asked_again_while_a_reader_holds_the_file() -> None:
    pauses: list[float] = []
    left = [12]

    def replace() -> None:
        left[0] -= 1
        if left[0] > 0:
            raise PermissionError

    fswrite.replace_patiently(replace, system="nt", pause=pauses.append)
    assert pauses == [0.02] * 11

    left[0] = 10_000
    with pytest.raises(PermissionError):
        fswrite.replace_patiently(replace, system="nt", pause=pauses.append)
    with pytest.raises(PermissionError):
        fswrite.replace_patiently(replace, system="posix", pause=pauses.append)


def test_a_lock_that_is_held_stops_the_next_writer(tmp_path: Path) -> None:
    path = str(tmp_path / "x")

    with locked(path):
        with pytest.raises(BusyError) as caught, locked(path, 0.05):
            pass
        assert caught.value.exit_code == 2
        with pytest.raises(BusyError):
            append_jsonl(path, {}, 0.05)
        assert not os.path.exists(path)
    with locked(path, 0.05):
        pass
    assert os.path.exists(path + ".lock")


def test_lines_of_many_writers_stay_whole(tmp_path: Path) -> None:
    path = str(tmp_path / "log.jsonl")

    def write(number: int) -> None:
        for step in range(20):
            append_jsonl(path, {"writer": number, "step": step})

    threads = [threading.Thread(target=write, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    records, bad = fsread.read_jsonl(path)
    assert (len(records), bad) == (60, 0)
    assert [one["step"] for one in records if one["writer"] == 1] == list(range(20))


def test_a_line_that_a_crash_left_open_is_closed_first(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b'{"a": 1}\n{"half')

    append_jsonl(str(path), {"é": "\u2028"})

    assert fsread.read_jsonl(str(path)) == ([{"a": 1}, {"é": "\u2028"}], 1)


@pytest.mark.parametrize(
    "obj", [{"a": "x" * 65536}, {"a": float("nan")}, {"a": "\ud800"}, {"a": {1}}], ids=range(4)
)
def test_a_record_that_is_no_line_is_refused(tmp_path: Path, obj: object) -> None:
    with pytest.raises(RefusedError):
        append_jsonl(str(tmp_path / "log"), obj)

    assert not (tmp_path / "log").exists()


def test_only_objects_count_and_the_tail_begins_with_a_whole_line(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b'{"n": 1}\n[1]\nnot\n\xff\n{"n": 2, "n": 3}\n\n{"n": 4}\n')

    assert fsread.read_jsonl(str(path)) == ([{"n": 1}, {"n": 4}], 4)
    assert fsread.read_jsonl(str(path), 9) == ([{"n": 4}], 0)
    assert fsread.read_jsonl(str(path), 8) == ([], 0)
    assert fsread.read_jsonl(str(path), 10_000)[0] == [{"n": 1}, {"n": 4}]
    assert fsread.read_jsonl(str(tmp_path / "none")) == ([], 0)
    with pytest.raises(OSError, match=r".+"):
        fsread.read_jsonl(str(tmp_path))


def test_a_folder_for_state_is_left_alone_by_git(tmp_path: Path) -> None:
    path = str(tmp_path / "a" / "state")

    assert state_dir(path) == path
    assert (tmp_path / "a" / "state" / ".gitignore").read_bytes() == b"*\n"
    (tmp_path / "a" / "state" / ".gitignore").write_bytes(b"mine\n")
    state_dir(path)
    assert (tmp_path / "a" / "state" / ".gitignore").read_bytes() == b"mine\n"


def test_the_lane_is_the_variable_then_the_event_then_solo() -> None:
    event = Payload({"lane_id": "from-event", "role": "checker", "model": {"id": "m-1"}}, {})

    assert lane.lane_id({"CLAUDE_LANE_ID": "from-env"}, event) == "from-env"
    assert lane.lane_id({}, event) == "from-event"
    assert lane.lane_id({}, {"lane_id": 5}) == "solo"
    assert lane.lane_id({}) == "solo"
    assert (lane.role({}, event), lane.model({}, event)) == ("checker", "m-1")
    assert (lane.role({}), lane.model({}, {"model": "x"})) == ("adhoc", "x")


def test_what_is_no_lane_id_becomes_one_and_a_command_refuses_it() -> None:
    made = lane.lane_id({"CLAUDE_LANE_ID": "  Feature/Ünïcode  Lane With A Very Long Name "})

    assert made == "feature-n-code-lane-with-a-very-3bfa6d17"
    assert len(made) <= 40
    with pytest.raises(RefusedError, match="a-z"):
        lane.checked_lane_id("A/b")
    assert lane.checked_lane_id("a-1") == "a-1"


@given(st.text(max_size=60))
def test_every_text_gives_a_lane_id(raw: str) -> None:
    made = lane.lane_id({"CLAUDE_LANE_ID": raw})

    assert lane.is_lane_id(made)
    assert made in (raw, "solo") or not lane.is_lane_id(raw)


def test_an_empty_session_is_no_key() -> None:
    assert lane.session_key("") is None
    assert lane.session_key("abc") == "ba7816bf8f01cfea"


@pytest.mark.parametrize(
    ("system", "env", "wanted"),
    [
        ("linux", {}, "/h/.local/state/hpp"),
        ("linux", {"XDG_STATE_HOME": "/s"}, "/s/hpp"),
        ("linux", {"XDG_STATE_HOME": "s", "HPP_STATE_DIR": "rel"}, "/h/.local/state/hpp"),
        ("linux", {"HPP_STATE_DIR": "/own"}, "/own"),
        ("darwin", {}, "/h/Library/Application Support/hpp"),
        ("win32", {"LOCALAPPDATA": "C:\\L"}, "C:\\L\\hpp"),
        ("win32", {}, "/h\\AppData\\Local\\hpp"),
        ("win32", {"HPP_STATE_DIR": "D:\\own"}, "D:\\own"),
    ],
    ids=range(8),
)
def test_the_users_state_has_a_place_on_every_system(
    system: str, env: dict[str, str], wanted: str
) -> None:
    assert lane.user_state_dir(env, system, "/h") == wanted
