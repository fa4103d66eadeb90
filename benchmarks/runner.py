"""The process runner: much output against sha256sum, a short program against a bare run."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from measure import BARE as BARE_START
from measure import PROGRAM, compile_first, ratio, row

GIGABYTE = 1_000_000_000
BARE = """
import hashlib, subprocess
done = subprocess.run(["true"], stdin=subprocess.DEVNULL, capture_output=True)
hashlib.sha256(done.stdout).hexdigest(); hashlib.sha256(done.stderr).hexdigest()
"""
PEAK = """
from hpp.core.runner import run
outcome = run(["head", "-c", "{size}", "/dev/zero"], timeout_s=600)
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(outcome.stdout.bytes, int(peak.split()[1]) // 1024)
"""


def main() -> None:
    """Print one row a comparison."""
    compile_first()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        words = [PROGRAM, "evidence", "run", "--id", "x", "--"]
        pipe = f"head -c {GIGABYTE} /dev/zero | sha256sum"
        value, _ = ratio(
            [*words, "head", "-c", str(GIGABYTE), "/dev/zero"], ["sh", "-c", pipe], folder, 3
        )
        row("evidence run of 1 GB against the same through sha256sum", value, 2)
        value, _ = ratio([*words, "true"], [sys.executable, "-c", BARE], folder, 31)
        row("evidence run of true against a bare run that hashes its output", value, 2)
        value, _ = ratio([*words, "true"], BARE_START, folder, 31)
        row("evidence run of true against a bare start of the interpreter", value, 4)
        for size in (1000, 2 * 1024**3):
            done = subprocess.run(
                [sys.executable, "-c", PEAK.format(size=size)],
                capture_output=True,
                text=True,
                check=True,
            )
            count, peak_mib = done.stdout.split()
            print(f"     {peak_mib} MiB peak for {count} bytes of output")


if __name__ == "__main__":
    main()
