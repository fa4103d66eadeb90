"""The work graph: against a script that reads the file with json and orders it with graphlib."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from measure import PROGRAM, compile_first, ratio, row

RUNS = 9
UNITS, EDGES = 100_000, 3
BARE = """
import graphlib, json
with open("spec.json", encoding="utf-8") as stream:
    spec = json.load(stream)
sorter = graphlib.TopologicalSorter({u["id"]: u["depends_on"] for u in spec["work"]})
sorter.prepare()
waves = []
while sorter.is_active():
    wave = sorted(sorter.get_ready())
    waves.append(wave)
    sorter.done(*wave)
"""
PEAK = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL); \
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"


def spec() -> dict[str, object]:
    """Return a shuffled spec of 100,000 units with three dependencies each."""
    chance = random.Random(1)
    ids = [f"unit-{number:06d}" for number in range(UNITS)]
    units = []
    for number, unit in enumerate(ids):
        window = range(max(0, number - 5000), number)
        wanted = [ids[place] for place in chance.sample(window, min(EDGES, len(window)))]
        acceptance = [f"Unit {number} is accepted by its check"]
        rest = {"acceptance": acceptance, "tier": "economy"}
        units.append({"id": unit, "depends_on": wanted, **rest})
    chance.shuffle(units)
    return {"work": units}


def chain(count: int) -> dict[str, object]:
    """Return units that each wait for the next one."""
    rest = {"acceptance": ["done"], "tier": "economy"}
    wanted = [[f"u{number + 1}"] for number in range(count - 1)]
    units = zip(range(count), [*wanted, []], strict=True)
    return {"work": [{"id": f"u{n}", "depends_on": before, **rest} for n, before in units]}


def peak(command: list[str], folder: Path) -> int:
    """Return the largest resident set of a command; KiB on Linux, bytes on macOS."""
    done = subprocess.run(
        [sys.executable, "-c", PEAK, *command], cwd=folder, capture_output=True, check=True
    )
    return int(done.stdout)


def main() -> None:
    """Print time and memory of the waves, and what a longer chain costs."""
    compile_first()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "spec.json").write_text(json.dumps(spec()), encoding="utf-8")
        bare = [sys.executable, "-c", BARE]
        waves = [PROGRAM, "work", "waves", "spec.json"]
        value, bare_ms = ratio(waves, bare, folder, RUNS)
        note = f"{UNITS:,} units, about {UNITS * EDGES:,} edges, bare {bare_ms:.0f} ms"
        row("hpp work waves, time", value, 3, note)
        if os.name != "nt":
            value = peak(waves, folder) / peak(bare, folder)
            row("hpp work waves, memory", value, 2)
        for count in (25_000, 50_000):
            (folder / f"{count}.json").write_text(json.dumps(chain(count)), encoding="utf-8")
        doubled = [PROGRAM, "work", "waves", "50000.json"]
        value, _ = ratio(doubled, [PROGRAM, "work", "waves", "25000.json"], folder, RUNS)
        row("hpp work waves, a chain of 50,000 against one of 25,000", value, 2.3)


if __name__ == "__main__":
    main()
