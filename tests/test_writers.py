"""Many writers at one log, and writers that are killed."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

Hpp = Callable[..., subprocess.CompletedProcess[bytes]]
WRITERS = 8
APPENDS = 200
# One process that appends many times: starting the interpreter anew would hide the race.
WRITER = """
import json, os, sys
from hpp.core.journal import Journal
from hpp.core.loop import Loop
from hpp.core.manifest import load_manifest, packaged_manifest_path
loop = Loop.of(load_manifest(packaged_manifest_path()))
journal = Journal(os.getcwd(), lock_timeout_s=60)
for number in range(int(sys.argv[1])):
    done = journal.append(loop, "evidence_recorded", {"writer": sys.argv[2], "n": number})
    print(done.seq, flush=True)
"""


def start(folder: Path, count: int, name: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-I", "-c", WRITER, str(count), name], cwd=folder, stdout=subprocess.PIPE
    )


def events(folder: Path) -> list[dict[str, Any]]:
    data = (folder / ".hpp" / "events.jsonl").read_bytes()
    assert data.endswith(b"\n")
    return [json.loads(line) for line in data.splitlines()]


def test_eight_writers_lose_nothing(workspace: Path, hpp: Hpp) -> None:
    hpp("event", "append", "--type", "work_started")
    writers = [start(workspace, APPENDS, str(n)) for n in range(WRITERS)]
    seen = sorted(int(line) for w in writers for line in w.communicate(timeout=300)[0].split())

    assert [w.returncode for w in writers] == [0] * WRITERS
    assert seen == list(range(2, WRITERS * APPENDS + 2))
    log = events(workspace)
    assert [event["seq"] for event in log] == list(range(1, WRITERS * APPENDS + 2))
    told = json.loads(hpp("event", "verify").stdout)
    assert (told["status"], told["events"]) == ("intact", WRITERS * APPENDS + 1)


@pytest.mark.skipif(os.name == "nt", reason="SIGKILL is POSIX's")
def test_no_answered_event_is_lost_when_writers_are_killed(workspace: Path, hpp: Hpp) -> None:
    hpp("event", "append", "--type", "work_started")
    chance = random.Random(11)
    answered: set[int] = set()
    for round_number in range(6):
        writers = [start(workspace, 10_000, f"{round_number}.{n}") for n in range(4)]
        time.sleep(chance.uniform(0.3, 0.7))
        for writer in writers:
            time.sleep(chance.uniform(0, 0.02))
            writer.kill()
        for writer in writers:
            lines = writer.communicate(timeout=60)[0].split(b"\n")
            answered |= {int(line) for line in lines[:-1] if line}
        cut_torn_line(workspace, hpp)
        log = events(workspace)
        assert answered <= {event["seq"] for event in log}
    assert len(answered) > 10
    assert json.loads(hpp("event", "verify").stdout)["status"] == "intact"


def cut_torn_line(workspace: Path, hpp: Hpp) -> None:
    """Do what the message says when a writer was killed in the middle of its line."""
    log = workspace / ".hpp" / "events.jsonl"
    data = log.read_bytes()
    if data.endswith(b"\n"):
        return
    done = hpp("event", "verify")
    if done.returncode == 2:
        assert b"cut short" in done.stderr
        log.write_bytes(data[: data.rindex(b"\n") + 1])
    else:
        log.write_bytes(data + b"\n")


def test_a_reader_never_takes_a_writer_for_corruption(workspace: Path, hpp: Hpp) -> None:
    hpp("event", "append", "--type", "work_started")
    writer = start(workspace, 150, "w")

    def read(_: int) -> int:
        return int(hpp("status", "--json").returncode)

    with ThreadPoolExecutor(2) as pool:
        codes = list(pool.map(read, range(30)))
    writer.communicate(timeout=120)

    assert set(codes) == {0}


def test_every_cut_of_the_last_two_records_is_told(workspace: Path, hpp: Hpp) -> None:
    for kind in ("work_started", "evidence_recorded", "check_passed"):
        hpp("event", "append", "--type", kind)
    log = workspace / ".hpp" / "events.jsonl"
    whole = log.read_bytes()
    starts = [0, *[n + 1 for n, byte in enumerate(whole) if byte == 10]]
    for size in range(starts[1], len(whole), 37):
        log.write_bytes(whole[:size])
        done = hpp("event", "append", "--type", "nonsense")
        assert done.returncode == 2
        assert log.read_bytes() == whole[:size]
    log.write_bytes(whole)
    assert hpp("event", "verify").returncode == 0
