"""Timing in pairs: what is compared runs in turn, and the median of the ratios counts."""

from __future__ import annotations

import compileall
import os
import statistics
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

import hpp.cli
import hpp.core
import hpp.evidence
import hpp.retrieval

BARE = [sys.executable, "-c", "pass"]
PROGRAM = str(Path(sysconfig.get_path("scripts")) / ("hpp.exe" if os.name == "nt" else "hpp"))


def compile_first() -> None:
    """Compile what an installed program has compiled after its first run."""
    for package in (hpp.cli, hpp.core, hpp.evidence, hpp.retrieval):
        compileall.compile_dir(str(Path(package.__path__[0])), quiet=1)


def seconds(command: list[str], folder: Path) -> float:
    """Return the wall time of one run of a command."""
    started = time.perf_counter()
    subprocess.run(
        command, cwd=folder, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    return time.perf_counter() - started


def ratio(command: list[str], against: list[str], folder: Path, runs: int) -> tuple[float, float]:
    """Return the median ratio of two commands, and the median time of the second in ms."""
    seconds(command, folder)
    seconds(against, folder)
    pairs = [(seconds(command, folder), seconds(against, folder)) for _ in range(runs)]
    return (
        statistics.median(first / second for first, second in pairs),
        statistics.median(second for _, second in pairs) * 1000,
    )


def row(name: str, value: float, bound: float, note: str = "") -> None:
    """Print one figure with the bound it is held to."""
    mark = "ok  " if value <= bound else "OVER"
    print(f"{mark} {value:6.2f}x (at most {bound:g}x)  {name}  {note}".rstrip())
