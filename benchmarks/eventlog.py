"""Long logs: our commands against a bare script that reads and hashes every line once."""

from __future__ import annotations

import hashlib
import json
import statistics
import sys
import tempfile
from pathlib import Path

from measure import PROGRAM, compile_first, ratio, row, seconds

RUNS = 9
BARE = """
import hashlib, json
with open(".hpp/events.jsonl", "rb") as stream:
    for line in stream:
        json.loads(line)
        hashlib.sha256(line).hexdigest()
"""
APPEND = [PROGRAM, "event", "append", "--type", "evidence_recorded", "--work", "ITEM-1"]


def fill(folder: Path, events: int, works: int) -> None:
    """Write a log as our own writer leaves it, over so many pieces of work."""
    previous = hashlib.sha256(b"").hexdigest()
    (folder / ".hpp").mkdir(parents=True)
    (folder / ".hpp" / "events.lock").touch()
    with (folder / ".hpp" / "events.jsonl").open("wb") as stream:
        for seq in range(1, events + 1):
            work = f"ITEM-{seq % works}"
            data = {"work": work, "actor": "maker"}
            if seq > works:
                path = f".hpp/evidence/crit-20260101T000000Z-{seq}.json"
                data = {"id": "crit", "evidence": path, "evidence_sha256": previous, "work": work}
            event = {
                "data": data,
                "id": f"event:{seq}",
                "prev_sha256": previous,
                "seq": seq,
                "type": "work_started" if seq <= works else "evidence_recorded",
            }
            line = json.dumps(event, sort_keys=True, separators=(",", ":")).encode()
            previous = hashlib.sha256(line).hexdigest()
            stream.write(line + b"\n")


def main() -> None:
    """Print one row a command."""
    compile_first()
    with tempfile.TemporaryDirectory() as name:
        long, short, empty = (Path(name) / part for part in ("long", "short", "empty"))
        fill(long, 100_000, 1000)
        bare = [sys.executable, "-c", BARE]
        for words in (["status"], ["status", "--json"], ["event", "verify"]):
            value, bare_ms = ratio([PROGRAM, *words], bare, long, RUNS)
            note = f"100,000 events, bare {bare_ms:.0f} ms"
            row(f"hpp {' '.join(words)}", value, 1.5, note)
        value, bare_ms = ratio(APPEND, bare, long, RUNS)
        row("hpp event append", value, 1.5, f"100,000 events, bare {bare_ms:.0f} ms")
        fill(short, 1000, 10)
        fill(empty, 10, 10)
        row("hpp event append, 1,000 events against 10", against_empty(short, empty), 1.3)


def against_empty(short: Path, empty: Path) -> float:
    """Return how much a log of 1,000 events adds to an append."""
    pairs = [(seconds(APPEND, short), seconds(APPEND, empty)) for _ in range(31)]
    return statistics.median(first / second for first, second in pairs)


if __name__ == "__main__":
    main()
