from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from hpp.core.portable.fswrite import locked
from hpp.core.portable.lane import session_key
from hpp.core.portable.session_store import MOST, Memory

HOOK = "a-kit/a-hook"
ONE = """
import sys
from hpp.core.portable.session_store import Memory
sys.stdin.read()
print(len(Memory("a-kit/a-hook", "s", {"HPP_STATE_DIR": sys.argv[1]}).new(["k"])))
"""


@pytest.fixture
def state(tmp_path: Path) -> dict[str, str]:
    return {"HPP_STATE_DIR": str(tmp_path / "a state")}


def place(state: dict[str, str], session: str = "s") -> str:
    return os.path.join(state["HPP_STATE_DIR"], "a-kit", f"a-hook-{session_key(session)}.json")


def test_a_key_is_new_once_a_session(state: dict[str, str]) -> None:
    assert Memory(HOOK, "s", state).new(["a", "b"]) == ["a", "b"]
    assert Memory(HOOK, "s", state).new(["b", "c", "c"]) == ["c"]
    assert Memory(HOOK, "other", state).new(["a"]) == ["a"]


def test_a_session_without_id_is_never_remembered(state: dict[str, str]) -> None:
    memory = Memory(HOOK, "", state)

    assert memory.new(["a"]) == memory.new(["a"]) == ["a"]
    assert memory.fault
    assert not os.path.exists(state["HPP_STATE_DIR"])


def test_a_mark_ends_when_its_time_is_over_and_when_the_clock_went_back(
    state: dict[str, str],
) -> None:
    def memory() -> Memory:
        return Memory(HOOK, "s", state, lasts_s=100)

    assert memory().new(["a"], now=1000) == ["a"]
    assert memory().new(["a"], now=1099) == []
    assert memory().new(["a"], now=1100) == ["a"]
    assert memory().new(["a"], now=900) == ["a"]


def test_the_oldest_marks_go_when_there_are_too_many(state: dict[str, str]) -> None:
    Memory(HOOK, "s", state).new(["first"], now=1)
    Memory(HOOK, "s", state).new([f"k{n}" for n in range(MOST)], now=2)

    assert len(json.loads(Path(place(state)).read_bytes())["seen"]) == MOST
    assert Memory(HOOK, "s", state).new(["first"], now=3) == ["first"]


@pytest.mark.parametrize(
    "data", [b"", b"{", b"[]", b'{"v": 2, "seen": {}}', b'{"v": 1, "seen": {"a": "x"}}', b"\xff"]
)
def test_a_file_that_cannot_be_read_is_kept_and_told(state: dict[str, str], data: bytes) -> None:
    Memory(HOOK, "s", state).new(["a"])
    with open(place(state), "wb") as file:
        file.write(data)

    memory = Memory(HOOK, "s", state)

    assert memory.new(["a"]) == ["a"]
    assert "a-hook" in memory.fault
    assert Path(place(state)).read_bytes() == data


def test_a_lock_that_another_holds_is_told(
    state: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hpp.core.portable.fswrite.HOOK_WAIT_S", 0.05)
    Memory(HOOK, "s", state).new(["a"])

    with locked(place(state)):
        memory = Memory(HOOK, "s", state)
        assert memory.new(["b"]) == ["b"]

    assert "another process" in memory.fault


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    memory = Memory(HOOK, "s", {"HPP_STATE_DIR": str(tmp_path / "file" / "state")})

    assert memory.new(["a"]) == ["a"]
    assert memory.fault


@pytest.mark.skipif(os.name == "nt", reason="permission bits of POSIX")
def test_folders_and_files_are_for_their_owner_alone(state: dict[str, str]) -> None:
    Memory(HOOK, "s", state).new(["a"])

    path = place(state)
    modes = [os.stat(each).st_mode & 0o777 for each in (path, os.path.dirname(path))]
    assert modes == [0o600, 0o700]
    assert os.stat(state["HPP_STATE_DIR"]).st_mode & 0o777 == 0o700


def test_of_many_at_once_exactly_one_is_first(state: dict[str, str]) -> None:
    children = [
        subprocess.Popen(
            [sys.executable, "-c", ONE, state["HPP_STATE_DIR"]],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        for _ in range(8)
    ]

    said = [child.communicate(b"")[0].strip() for child in children]

    assert sorted(said) == [b"0"] * 7 + [b"1"]
