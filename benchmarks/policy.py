"""The policy: its commands against ``python -c pass``, single lines, hostile texts and patterns."""

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
HOSTILE = [
    "(", "$(", "((", "`", "${", "{ ", "{a,", "a|", "a;", "<(", "<<A ", "curl ", "git push ", "rm ",
    "find -exec ", "eval ", "sudo ", "kubectl exec a ", "bash -c '", "cat <<E\n$(", "echo x|sh|",
    "(echo x;", "f(){ f|f; };", "drop/*", "drop /**/", "/./", '"${a:-', "\\", "'", "\0",
]  # fmt: skip
BOUNDS = {64 * 1024: 0.5, 1024 * 1024: 5.0}
RULE = {"id": "own", "action": "MANUAL", "reason": "a reason"}
PATTERNS = {
    "an ordinary pattern": r"\bdocker\s+push\b",
    "a pattern that does not end": "(a|a)*b",
    "one that looks at no signal": "a*b",
}


def check(text: str) -> list[str]:
    """Return the command line of a check."""
    return [PROGRAM, "policy", "check", "--mode", "enforce", "--command", text]


def hook_seconds(folder: Path, command: str) -> float:
    """Return the wall time of one hook."""
    event = json.dumps({**EVENT, "tool_input": {"command": command}}).encode()
    started = time.perf_counter()
    subprocess.run(
        [PROGRAM, "policy", "hook", "--host", "claude-code"],
        input=event,
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    return time.perf_counter() - started


def bounded(seconds_taken: float, bound: float, what: str) -> None:
    """Print a figure in seconds with the bound it is held to."""
    mark = "ok  " if seconds_taken <= bound else "OVER"
    print(f"{mark} {seconds_taken:6.2f} s (at most {bound:g} s)  {what}")


def measure_commands(folder: Path) -> None:
    """Print the ratio of both commands to a bare start."""
    for text in LINES[:2]:
        words = check(text)
        seconds(words, folder)
        pairs = [(seconds(words, folder), seconds(BARE, folder)) for _ in range(RUNS)]
        row(f"policy check: {text}", statistics.median(a / b for a, b in pairs), 2)
        hook_seconds(folder, text)
        pairs = [(hook_seconds(folder, text), seconds(BARE, folder)) for _ in range(RUNS)]
        row(f"policy hook: {text}", statistics.median(a / b for a, b in pairs), 2.2)


def measure_patterns(folder: Path) -> None:
    """Print what a project's own patterns cost, the hostile ones among them."""
    (folder / ".hpp").mkdir()
    for name, pattern in PATTERNS.items():
        document = {"schema": "hpp.policy/v1", "rules": [{**RULE, "pattern": pattern}]}
        (folder / ".hpp" / "policy.json").write_text(json.dumps(document), encoding="utf-8")
        bounded(hook_seconds(folder, "a" * 500_000), 1, f"policy hook with {name}, 500 kB")
    (folder / ".hpp" / "policy.json").unlink()


def measure_lines() -> None:
    """Print what a line costs inside the process."""
    for text in LINES:
        started = time.perf_counter()
        for _ in range(2000):
            judge(text)
        micros = (time.perf_counter() - started) * 500
        mark = "ok  " if micros <= 100 else "OVER"  # noqa: PLR2004 -- the bound that is printed
        print(f"{mark} {micros:6.1f} us (at most 100 us)  {text}")


def measure_hostile() -> None:
    """Print what texts cost that are made to cost much."""
    for size, bound in BOUNDS.items():
        for unit in HOSTILE:
            text = unit * (size // len(unit))
            started = time.perf_counter()
            judge(text)
            bounded(time.perf_counter() - started, bound, f"{unit!r} repeated to {size} bytes")
    started = time.perf_counter()
    judge("(" * 10_000 + "rm -rf x" + ")" * 10_000)
    bounded(time.perf_counter() - started, 0.5, "10,000 nested parentheses")


def main() -> None:
    """Print one row a figure."""
    compile_first()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / ".git").mkdir()
        measure_commands(folder)
        measure_patterns(folder)
    measure_lines()
    measure_hostile()


if __name__ == "__main__":
    main()
