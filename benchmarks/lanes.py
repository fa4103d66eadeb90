"""Eight lanes, a hundred operations each on one board, against bare locked appends.

While it is measured with `SIGKILL`, a lane is killed every tenth of a second and begins again
where it was. Either way no event may be lost, no item claimed twice, and the chain must hold.
"""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from measure import row

LANES, OPERATIONS = 8, 100
MODULE = Path(__file__).resolve().parents[1] / "modules" / "lane-kit"
BOARD = Path(".claude") / "lanes" / "board.jsonl"
WORK = """
import io, os, sys
from contextlib import redirect_stderr, redirect_stdout
sys.path.insert(0, sys.argv[1])
lane, first, count = int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
from _lib.boardmain import main
who = ["--lane", f"lane-{lane}", "--model", "gpt-5"]
for number in range(first, count):
    # Half of them fight for one item, half build one of their own.
    item = f"shared-{number}" if number % 2 else f"own-{lane}-{number}"
    out = io.StringIO()
    with redirect_stdout(out), redirect_stderr(io.StringIO()):
        status = main(["claim", item, *who])
    seq = __import__("json").loads(out.getvalue())["seq"] if status == 0 else 0
    os.write(1, b"%d %d\\n" % (number, seq))
"""
BARE = """
import os, sys, fcntl
for number in range(int(sys.argv[1])):
    with open("lock", "ab") as lock, open("log", "ab") as log:
        fcntl.flock(lock, fcntl.LOCK_EX)
        log.write(b"x" * 200)
        log.flush()
        os.fsync(log.fileno())
"""


def main() -> None:
    """Print one row a comparison."""
    with tempfile.TemporaryDirectory() as name:
        bare = _timed(Path(name), [[sys.executable, "-c", BARE, str(OPERATIONS)]] * LANES)
    for kills in (False, True):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            started = time.perf_counter()
            told, killed = _lanes(folder, kills=kills)
            took = time.perf_counter() - started
            events = _checked(folder, told)
        what = f"{LANES} x {OPERATIONS} claims, {events} events, {killed} killed"
        row(what, took / bare, 40, f"bare appends {bare * 1000:.0f} ms")


def _timed(folder: Path, commands: list[list[str]]) -> float:
    started = time.perf_counter()
    children = [subprocess.Popen(command, cwd=folder) for command in commands]
    for child in children:
        child.wait()
    return time.perf_counter() - started


def _lanes(folder: Path, *, kills: bool) -> tuple[dict[tuple[int, int], int], int]:
    """Run every lane to its end and return what each was told, and how many were killed."""
    dice = random.Random(3)
    told: dict[tuple[int, int], int] = {}
    running = {lane: _start(folder, lane, 0) for lane in range(LANES)}
    killed = 0
    while running:
        time.sleep(0.1)
        if kills and killed < 3 * LANES:
            running[dice.choice(list(running))].send_signal(signal.SIGKILL)
            killed += 1
        for lane, child in list(running.items()):
            if child.poll() is None:
                continue
            assert child.stdout is not None
            for line in child.stdout.read().splitlines():
                number, seq = map(int, line.split())
                told[lane, number] = seq
            done = max((number for of, number in told if of == lane), default=-1) + 1
            del running[lane]
            if done < OPERATIONS:
                running[lane] = _start(folder, lane, done)
    return told, killed


def _start(folder: Path, lane: int, first: int) -> subprocess.Popen[bytes]:
    words = [str(MODULE), str(lane), str(first), str(OPERATIONS)]
    return subprocess.Popen(
        [sys.executable, "-c", WORK, *words], cwd=folder, stdout=subprocess.PIPE
    )


def _checked(folder: Path, told: dict[tuple[int, int], int]) -> int:
    """Hold the board to what its writers were told, and return how many events it has."""
    script = MODULE / "scripts" / "lane_board.py"
    verify = [sys.executable, str(script), "verify"]
    assert subprocess.run(verify, cwd=folder, check=False, capture_output=True).returncode == 0
    events = [json.loads(line) for line in (folder / BOARD).read_bytes().splitlines()][1:]
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    assert {seq for seq in told.values() if seq} <= {event["seq"] for event in events}
    items = [event["item_id"] for event in events]
    assert len(items) == len(set(items)), "an item was claimed twice"
    return len(events)


if __name__ == "__main__":
    main()
