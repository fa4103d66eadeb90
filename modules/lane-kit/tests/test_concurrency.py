"""Many lanes at once on one board, some of them killed in the middle of what they do."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    Run = subprocess.CompletedProcess[str]
    Call = Callable[..., Run]

BOARD = Path(".claude") / "lanes" / "board.jsonl"
# One lane: as many verbs as it is told, each what another process of the script would do.
WORKER = """
import io, os, random, sys
from contextlib import redirect_stderr, redirect_stdout
root, lane, seed, count = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
sys.path.insert(0, root)
if os.path.isdir(os.path.join(root, "_vendor")):
    sys.path.insert(0, os.path.join(root, "_vendor"))
from _lib.boardmain import main
who = ["--lane", lane, "--model", "gpt-5" if seed % 2 else "claude-opus-4"]
dice = random.Random(seed)
for number in range(count):
    item = f"i{dice.randrange(count)}"
    verb = dice.choice(["claim", "claim", "claim", "build", "checkpoint", "release", "list"])
    words = [verb] if verb == "list" else [verb, item, *who]
    words += ["--evidence", "x"] if verb == "checkpoint" else []
    words += ["--reason", "x"] if verb == "release" else []
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        status = main(words)
    if verb != "list" and status == 0:
        os.write(1, b"%d\\n" % __import__("json").loads(out.getvalue())["seq"])
    elif status not in (0, 1):
        os.write(2, err.getvalue().encode())
"""


def events(project: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (project / BOARD).read_bytes().splitlines()]


@pytest.fixture
def start(
    module_root: Path, environment: dict[str, str], project: Path
) -> Callable[[int, int], subprocess.Popen[bytes]]:
    def begin(seed: int, count: int) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-c", WORKER, module_root, f"lane-{seed}", str(seed), str(count)],
            cwd=project, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    return begin


def holders_are_single(listed: list[dict[str, object]]) -> bool:
    """Say whether no item was claimed while another lane held it."""
    holder: dict[object, object] = {}
    for event in listed[1:]:
        item, lane = event["item_id"], event["by"]["lane"]  # type: ignore[index]
        if event["event"] == "claim" and holder.get(item) is not None:
            return False
        holder[item] = None if event["event"] == "release" else lane
    return True


def _wait_for_events(project: Path, count: int) -> None:
    deadline = time.monotonic() + 60
    while (project / BOARD).read_bytes().count(b"\n") <= count:
        assert time.monotonic() < deadline, "the lanes write nothing"
        time.sleep(0.005)


def test_eight_lanes_lose_no_event_and_claim_nothing_twice(
    start: Callable[[int, int], subprocess.Popen[bytes]], board: Call, project: Path
) -> None:
    board("init")
    children = [start(seed, 25) for seed in range(8)]
    answers = [child.communicate(timeout=120) for child in children]

    told = sorted({int(line) for out, _ in answers for line in out.split()})
    listed = events(project)
    assert [err for _, err in answers] == [b""] * 8
    assert [event["seq"] for event in listed] == list(range(len(listed)))
    assert set(told) <= set(range(1, len(listed)))
    assert holders_are_single(listed)
    assert board("verify").returncode == 0


@pytest.mark.skipif(os.name == "nt", reason="Windows knows no SIGKILL")
def test_a_lane_that_is_killed_leaves_no_lock_and_no_hole(
    start: Callable[[int, int], subprocess.Popen[bytes]], board: Call, project: Path
) -> None:
    board("init")
    dice = random.Random(7)
    children = [start(seed, 4000) for seed in range(8)]
    for number, child in enumerate(dice.sample(children, 8)):
        _wait_for_events(project, 40 + 8 * number)  # each is killed in the middle of the others
        child.send_signal(signal.SIGKILL)
    told = {
        int(line)
        for child in children
        for line in child.communicate(timeout=60)[0].split(b"\n")[:-1]
    }

    if board("verify").returncode:  # a writing that was cut is all that may be wrong
        assert board("repair", "--apply").returncode == 0
    listed = events(project)
    assert [event["seq"] for event in listed] == list(range(len(listed)))
    assert told <= set(range(1, len(listed)))
    assert len(listed) > 90
    assert holders_are_single(listed)
    done = board("claim", "after", "--lane", "lane-x", "--model", "gpt-5")
    assert done.returncode == 0, done.stderr


def test_many_processes_claim_one_item_and_one_has_it(
    module_root: Path, environment: dict[str, str], project: Path, board: Call
) -> None:
    board("init")
    script = module_root / "scripts" / "lane_board.py"

    def claim(number: int, item: str) -> subprocess.Popen[bytes]:
        who = ["--lane", f"lane-{number}", "--model", "gpt-5"]
        return subprocess.Popen(
            [sys.executable, script, "claim", item, *who], cwd=project, env=environment,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip

    one = sorted(child.wait(120) for child in [claim(number, "same") for number in range(20)])
    each = [child.wait(120) for child in [claim(n, f"own-{n}") for n in range(20)]]

    assert one == [0] + [1] * 19
    assert each == [0] * 20
    assert board("verify").stdout == "intact: 21 events, 21 items\n"


@pytest.mark.skipif(os.name == "nt", reason="it holds the lock by a POSIX call")
def test_a_busy_board_names_who_holds_it(board: Call, project: Path) -> None:
    import fcntl

    board("init")
    with (project / f"{BOARD}.lock").open("r+b") as lock:
        lock.write(b" %-19d\n" % os.getpid())
        lock.flush()
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = board("claim", "I", "--lane", "a", "--model", "gpt-5")

    assert done.returncode == 2
    assert "[BUSY]" in done.stderr
    assert f"pid {os.getpid()}" in done.stderr


def test_control_two_claims_of_one_item_would_be_seen() -> None:
    claim = {"item_id": "i", "event": "claim"}
    header: dict[str, object] = {"seq": 0}
    first, second = {**claim, "by": {"lane": "a"}}, {**claim, "by": {"lane": "b"}}

    assert holders_are_single([header, first])
    assert not holders_are_single([header, first, second])
