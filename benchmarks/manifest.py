"""The manifest: loading it against a bare start, and long manifests against short ones."""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from measure import BARE, PROGRAM, compile_first, ratio, row, seconds

from hpp.core.manifest import load_manifest, packaged_manifest_path
from hpp.core.manifestrule import manifest_faults

RUNS = 30
PACKAGED = packaged_manifest_path()
IMPORT = "from hpp.core.manifest import load_manifest, packaged_manifest_path as p"


def grown(modules: int, *, broken: bool) -> dict[str, Any]:
    """Return the packaged manifest with so many modules, one chain of needs, all sound or not."""
    document: dict[str, Any] = json.loads(Path(PACKAGED).read_text(encoding="utf-8"))
    sound = {**document["modules"][0], "integrates_with": []}
    more = [
        {**sound, "id": f"m{n}", "path": f"m/{n}", "capabilities": [f"c{n}"],
         "requires": [f"m{n - 1}"] if n else [], "version": "" if broken else "1"}
        for n in range(modules)
    ]  # fmt: skip
    document["modules"] += more
    return document


def checking(document: dict[str, Any]) -> float:
    """Return the best time of a check in seconds."""
    times = []
    for _ in range(5):
        started = time.perf_counter()
        manifest_faults(document)
        times.append(time.perf_counter() - started)
    return min(times)


def main() -> None:
    """Print one row a figure."""
    compile_first()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        bare = statistics.median(seconds(BARE, folder) for _ in range(RUNS))
        started = time.perf_counter()
        for _ in range(100):
            load_manifest(PACKAGED)
        row("load_manifest, warm", (time.perf_counter() - started) / 100 / bare, 0.1)
        load = [sys.executable, "-c", f"{IMPORT}; load_manifest(p())"]
        row("import and load", ratio(load, BARE, folder, RUNS)[0], 1.5)
        row("hpp doctor", ratio([PROGRAM, "doctor"], BARE, folder, RUNS)[0], 4)
        held = [PROGRAM, "schema", "check", "manifest", PACKAGED]
        row("hpp schema check manifest", ratio(held, BARE, folder, RUNS // 3)[0], 40)
    for broken in (False, True):
        value = checking(grown(20_000, broken=broken)) / checking(grown(10_000, broken=broken))
        row(f"20,000 {'broken' if broken else 'sound'} modules against 10,000", value, 3)


if __name__ == "__main__":
    main()
