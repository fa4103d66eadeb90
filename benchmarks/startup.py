"""Start-up: short commands against ``python -c pass``, in one run."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from measure import BARE, PROGRAM, compile_first, ratio, row

from hpp.core.journal import Journal
from hpp.core.loop import Loop
from hpp.core.manifest import load_manifest, packaged_manifest_path

RUNS = 40
CHECK = ["policy", "check", "--mode", "audit", "--command"]


def fill(folder: Path, events: int) -> None:
    """Write a log of so many events with our own writer."""
    loop = Loop.of(load_manifest(packaged_manifest_path()))
    journal = Journal(str(folder))
    journal.append(loop, "work_started", {"work": "A"})
    for number in range(events - 1):
        journal.append(loop, "evidence_recorded", {"work": "A", "id": f"crit-{number}"})


def main() -> None:
    """Print one row a command."""
    compile_first()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        fill(folder, 1000)
        append = ["event", "append", "--type", "evidence_recorded", "--work", "A"]
        commands: list[tuple[list[str], float]] = [
            ([*CHECK, "python -m pytest -q"], 2),
            ([*CHECK, "git push origin feature"], 2),
            (["status"], 4),
            (append, 4),
            (["evidence", "run", "--id", "x", "--", "true"], 4),
        ]
        for words, bound in commands:
            value, bare_ms = ratio([PROGRAM, *words], BARE, folder, RUNS)
            row(f"hpp {' '.join(words)}", value, bound, f"bare start {bare_ms:.1f} ms")
        print(json.dumps({"python": sys.version.split()[0], "runs": RUNS}))


if __name__ == "__main__":
    main()
