from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import pytest

from hpp.core.errors import MachineError, RefusedError
from hpp.core.journal import Journal

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from hpp.core.loop import Loop

    MakeLog = Callable[..., list[bytes]]

HOLDER = """\
import os, sys
from hpp.core.filelock import acquire
print(acquire(os.open(sys.argv[1], os.O_RDWR), timeout_s=5), flush=True)
sys.stdin.read()
"""
GENESIS = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


def log_of(root: Path) -> Path:
    return root / ".hpp" / "events.jsonl"


def put_log(root: Path, data: bytes) -> None:
    (root / ".hpp").mkdir()
    log_of(root).write_bytes(data)


def test_the_first_event_creates_the_log(tmp_path: Path, loop: Loop) -> None:
    appended = Journal(str(tmp_path)).append(loop, "work_started", {"b": 1, "a": "é"})

    expected = f'{{"data":{{"a":"é","b":1}},"id":"event:1","prev_sha256":"{GENESIS}",'
    assert log_of(tmp_path).read_bytes() == f'{expected}"seq":1,"type":"work_started"}}\n'.encode()
    assert (appended.seq, appended.work.state) == (1, "active")
    assert (tmp_path / ".hpp" / "events.lock").read_bytes() == b""


def test_a_refused_event_creates_nothing(tmp_path: Path, loop: Loop) -> None:
    with pytest.raises(RefusedError):
        Journal(str(tmp_path)).append(loop, "verified", {})

    assert list(tmp_path.iterdir()) == []


def test_a_refused_event_leaves_the_log_as_it_was(tmp_path: Path, loop: Loop) -> None:
    journal = Journal(str(tmp_path))
    journal.append(loop, "work_started", {})
    before = log_of(tmp_path).read_bytes()

    for kind, data in [("verified", {}), ("work_started", {"work": " x"}), ("nonsense", {})]:
        with pytest.raises(RefusedError):
            journal.append(loop, kind, dict(data))

    assert log_of(tmp_path).read_bytes() == before


@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n", b"\n\n", b"\r\n\r\n"])
def test_an_append_continues_any_ending(
    tmp_path: Path, loop: Loop, make_log: MakeLog, end: bytes
) -> None:
    (line,) = make_log([("work_started", {})])
    put_log(tmp_path, line + end)

    Journal(str(tmp_path)).append(loop, "evidence_recorded", {})

    lines = [part for part in log_of(tmp_path).read_bytes().splitlines() if part]
    assert json.loads(lines[1])["prev_sha256"] == hashlib.sha256(line).hexdigest()
    assert Journal(str(tmp_path)).chain()[0].status == "intact"


def test_nothing_is_glued_to_a_torn_line(tmp_path: Path, loop: Loop, make_log: MakeLog) -> None:
    lines = make_log([("work_started", {}), ("evidence_recorded", {})])
    torn = lines[0] + b"\n" + lines[1][:-5]
    put_log(tmp_path, torn)

    with pytest.raises(RefusedError, match=f"cut short.*byte {len(lines[0]) + 1}"):
        Journal(str(tmp_path)).append(loop, "evidence_recorded", {})

    assert log_of(tmp_path).read_bytes() == torn


def test_data_of_64_kib_is_written_and_one_byte_more_is_not(tmp_path: Path, loop: Loop) -> None:
    overhead = len('{"x":""}')
    journal = Journal(str(tmp_path))
    with pytest.raises(RefusedError, match="64 KiB"):
        journal.append(loop, "work_started", {"x": "a" * (65536 - overhead + 1)})
    assert not (tmp_path / ".hpp").exists()

    journal.append(loop, "work_started", {"x": "a" * (65536 - overhead)})


def test_a_held_lock_is_waited_for_and_then_refused(tmp_path: Path, loop: Loop) -> None:
    Journal(str(tmp_path)).append(loop, "work_started", {})
    before = log_of(tmp_path).read_bytes()
    holder = subprocess.Popen(
        [
            sys.executable,
            "-c",
            HOLDER,
            str(tmp_path / ".hpp" / "events.lock"),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert holder.stdout is not None
    assert holder.stdout.readline().strip() == b"True"
    try:
        with pytest.raises(RefusedError, match="locked"):
            Journal(str(tmp_path), lock_timeout_s=0.1).append(loop, "evidence_recorded", {})
        assert log_of(tmp_path).read_bytes() == before
    finally:
        holder.kill()  # the system releases the lock of a process that died
        holder.communicate()

    Journal(str(tmp_path)).append(loop, "evidence_recorded", {})


def test_threads_that_append_at_once_lose_nothing(tmp_path: Path, loop: Loop) -> None:
    journal = Journal(str(tmp_path))
    journal.append(loop, "work_started", {})

    def work() -> None:
        for _ in range(5):
            journal.append(loop, "evidence_recorded", {})

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    chain, breach = journal.chain()
    assert (chain.events, chain.chained, breach) == (21, 21, None)


@pytest.mark.parametrize("name", [".hpp", ".hpp/events.jsonl", ".hpp/events.lock"])
def test_a_link_is_never_written_through(tmp_path: Path, loop: Loop, name: str) -> None:
    root, elsewhere = tmp_path / "ws", tmp_path / "elsewhere"
    root.mkdir()
    elsewhere.mkdir()
    link = root / name
    link.parent.mkdir(exist_ok=True)
    try:
        link.symlink_to(elsewhere if name == ".hpp" else elsewhere / "victim")
    except OSError:
        pytest.skip("this system lets this user make no links")

    with pytest.raises(RefusedError, match="link"):
        Journal(str(root)).append(loop, "work_started", {})

    assert list(elsewhere.iterdir()) == []


@pytest.mark.parametrize("name", [".hpp", ".hpp/events.jsonl", ".hpp/events.lock"])
def test_something_else_in_the_place_is_refused(tmp_path: Path, loop: Loop, name: str) -> None:
    place = tmp_path / name
    if name == ".hpp":
        place.write_bytes(b"")
    else:
        place.mkdir(parents=True)

    with pytest.raises((RefusedError, MachineError), match=r"\.hpp"):
        Journal(str(tmp_path)).append(loop, "work_started", {})


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_in_place_of_the_log_holds_nobody_up(tmp_path: Path, loop: Loop) -> None:
    (tmp_path / ".hpp").mkdir()
    os.mkfifo(log_of(tmp_path))

    with pytest.raises(RefusedError, match="regular file"):
        Journal(str(tmp_path)).history(loop)
    with pytest.raises(RefusedError, match="regular file"):
        Journal(str(tmp_path)).append(loop, "work_started", {})


def test_a_log_may_be_read_through_a_link(tmp_path: Path, loop: Loop, make_log: MakeLog) -> None:
    (tmp_path / "real.jsonl").write_bytes(make_log([("work_started", {})])[0])
    (tmp_path / ".hpp").mkdir()
    try:
        log_of(tmp_path).symlink_to(tmp_path / "real.jsonl")
    except OSError:
        pytest.skip("this system lets this user make no links")

    assert Journal(str(tmp_path)).history(loop).replay.current().state == "active"


def test_reading_creates_nothing(tmp_path: Path, loop: Loop) -> None:
    journal = Journal(str(tmp_path))
    journal.history(loop)
    journal.chain()

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("fault", ["short write", "full disk", "no flush", "interrupt"])
def test_a_write_that_fails_is_undone(
    tmp_path: Path, loop: Loop, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    journal = Journal(str(tmp_path))
    journal.append(loop, "work_started", {})
    before = log_of(tmp_path).read_bytes()
    real_write, real_sync = os.write, os.fsync

    def write(handle: int, data: bytes) -> int:
        real_write(handle, data[:7])
        if fault == "full disk":
            raise OSError(28, "No space left on device")
        if fault == "interrupt":
            raise KeyboardInterrupt
        return 7

    def sync(handle: int) -> None:
        real_sync(handle)
        if log_of(tmp_path).stat().st_size > len(before):
            raise OSError(5, "Input/output error")

    if fault == "no flush":
        monkeypatch.setattr(os, "fsync", sync)
    else:
        monkeypatch.setattr(os, "write", write)
    with pytest.raises((MachineError, KeyboardInterrupt)):
        journal.append(loop, "evidence_recorded", {})
    monkeypatch.undo()

    assert log_of(tmp_path).read_bytes() == before
    journal.append(loop, "evidence_recorded", {})


def test_a_first_write_that_fails_leaves_no_log(
    tmp_path: Path, loop: Loop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "write", lambda *_: 0)

    with pytest.raises(MachineError, match="cannot be written"):
        Journal(str(tmp_path)).append(loop, "work_started", {})

    assert not log_of(tmp_path).exists()


def test_an_append_is_one_write(
    tmp_path: Path, loop: Loop, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[bytes] = []
    real_write = os.write

    def write(handle: int, data: bytes) -> int:
        written.append(bytes(data))
        return real_write(handle, data)

    monkeypatch.setattr(os, "write", write)
    Journal(str(tmp_path)).append(loop, "work_started", {})

    assert len(written) == 1
    assert written[0].endswith(b"\n")


def test_control_an_append_without_the_lock_would_be_seen(
    tmp_path: Path, make_log: MakeLog
) -> None:
    lines = make_log([("work_started", {}), ("evidence_recorded", {})])
    put_log(tmp_path, lines[0] + b"\n" + lines[1] + b"\n" + lines[1] + b"\n")  # a lost update

    _, breach = Journal(str(tmp_path)).chain()

    assert breach is not None
    assert breach.line == 3
