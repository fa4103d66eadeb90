"""The policy: the two commands against ``python -c pass``, and one line inside the process."""

from __future__ import annotations

import json
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from measure import BARE, PROGRAM, compile_first, row, seconds

from hpp.core.policy.verdict import judge

RUNS = 40
LINES = [
    "python -m pytest -q",
    "git add -A && git commit -m 'fix: a thing' && git push origin feature",
    "cd sub && sudo env A=1 timeout 5 sh -c 'rm -rf build; ls -la'",
    'grep -rn "rm -rf" scripts/ | head -20',
]
EVENT = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "cwd": "."}
HOSTILE = ["(", "$(", "a|", "curl ", "git push ", "rm ", "<<A ", "find -exec ", "eval "]


def hook_seconds(folder: Path, command: str) -> float:
    """Return the wall time of one hook."""
    event = json.dumps({**EVENT, "tool_input": {"command": command}}).encode()
    started = time.perf_counter()
    subprocess.run(
        [PROGRAM, "policy", "hook", "--host", "claude-code"],
        input=event,
        cwd=folder,
        stdout=subprocess.DEVNULL,
        check=False,
    )
    return time.perf_counter() - started


def main() -> None:
    """Print one row a figure."""
    compile_first()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for text in LINES[:2]:
            words = [PROGRAM, "policy", "check", "--mode", "enforce", "--command", text]
            seconds(words, folder)
            pairs = [(seconds(words, folder), seconds(BARE, folder)) for _ in range(RUNS)]
            row(f"policy check: {text}", statistics.median(a / b for a, b in pairs), 2)
            hook_seconds(folder, text)
            pairs = [(hook_seconds(folder, text), seconds(BARE, folder)) for _ in range(RUNS)]
            row(f"policy hook: {text}", statistics.median(a / b for a, b in pairs), 2.2)
    for text in LINES:
        started = time.perf_counter()
        for _ in range(2000):
            judge(text)
        print(f"     {(time.perf_counter() - started) * 500:6.1f} us  {text}")
    for unit in HOSTILE:
        for size in (64 * 1024, 1024 * 1024):
            text = unit * (size // len(unit))
            started = time.perf_counter()
            judge(text)
            print(
                f"     {time.perf_counter() - started:6.2f} s   {unit!r} repeated to {size} bytes"
            )


if __name__ == "__main__":
    main()
