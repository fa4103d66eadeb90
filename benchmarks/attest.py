"""Attestations of large trees, against hashing the same files with the system's tools."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from measure import PROGRAM, compile_first, ratio, row

COUNT = 20_000
SMALL = 1_000
LARGE = 500 * 1024 * 1024 // COUNT
HASHED = "git ls-files -z -co --exclude-standard | xargs -0 {} sha256sum"
PEAK = """
import sys
from hpp.evidence.attestation import create_attestation
create_attestation(repo=".", spec="SPEC.md", maker="m", checker="c", session="s",
                   verdict="approved", output=".hpp/a.json")
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(int(peak.split()[1]) // 1024)
"""


def main() -> None:
    """Print one row a comparison."""
    compile_first()
    for size, jobs, bound in ((SMALL, "", 3), (LARGE, "-P2", 1)):
        with tempfile.TemporaryDirectory() as name:
            folder = _tree(Path(name), COUNT, size)
            shell = ["sh", "-c", HASHED.format(jobs)]
            for command, words in (("create", _create()), ("verify", _verify())):
                value, ms = ratio([PROGRAM, "attest", *words], shell, folder, 7)
                what = f"attest {command} of {COUNT} files of {size} B"
                row(what, value, bound, f"sha256sum {ms:.0f} ms")
    with tempfile.TemporaryDirectory() as name:
        folder = _tree(Path(name), 1, 1_500_000_000)
        done = subprocess.run(
            [sys.executable, "-c", PEAK], cwd=folder, capture_output=True, text=True, check=True
        )
        print(f"     {done.stdout.strip()} MiB peak for a file of 1.5 GB")


def _create() -> list[str]:
    words = ["create", "--spec", "SPEC.md", "--maker", "m", "--checker", "c", "--session", "s"]
    return [*words, "--verdict", "approved", "--output", ".hpp/a.json"]


def _verify() -> list[str]:
    return ["verify", ".hpp/a.json"]


def _tree(folder: Path, count: int, size: int) -> Path:
    """Fill a repository with files, one in a hundred of them untracked."""
    draw = random.Random(7)
    (folder / "SPEC.md").write_bytes(b"# spec\n")
    for number in range(count):
        place = folder / f"d{number // 200:03d}"
        place.mkdir(exist_ok=True)
        with (place / f"f{number:05d}.bin").open("wb") as stream:
            left = size
            while left:
                left -= stream.write(draw.randbytes(min(left, 1024 * 1024)))
    who = ["-c", "user.name=t", "-c", "user.email=t@example.invalid", "-c", "gc.auto=0"]
    tracked = ["SPEC.md"] if count == 1 else [".", ":!d099"]
    for words in (["init", "-q"], ["add", *tracked], ["commit", "-q", "-m", "one"]):
        subprocess.run(["git", *who, *words], cwd=folder, check=True, env=_environment())
    return folder


def _environment() -> dict[str, str]:
    return {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}


if __name__ == "__main__":
    main()
