"""Start-up of hooks the way a host starts them, against ``python -c pass``, in one run."""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from measure import BARE, row

import hpp.core

RUNS = 40
BOUND = 2.5
BOUND_OF_TWO = 3.0  # two starts would take twice the other figures
HOOK = """import os
import sys

if sys.pycache_prefix is None:
    sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "_vendor"), ROOT]
from hpp.core.portable import hookio

NAME, EVENTS, CLOSED = "bench", ("PreToolUse",), False


def decide(payload):
    return hookio.warn(payload.event, NAME, "careful") if "rm" in payload.command() else None


if __name__ == "__main__":
    raise SystemExit(hookio.run_hook(NAME, decide, events=EVENTS, closed=CLOSED))
"""


def event(command: str) -> bytes:
    """Return what a host sends before a shell call."""
    call = {
        "hook_event_name": "PreToolUse",
        "session_id": "s",
        "tool_name": "Bash",
        "tool_input": {"command": command},
    }
    return json.dumps(call).encode()


def seconds(command: list[str], given: bytes, env: dict[str, str]) -> float:
    """Return the wall time of one run that is fed an event."""
    started = time.perf_counter()
    subprocess.run(command, input=given, env=env, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - started


def main() -> None:
    """Print one row a way of starting."""
    with tempfile.TemporaryDirectory() as name:
        module = Path(name) / "module"
        vendor = module / "_vendor" / "hpp"
        vendor.mkdir(parents=True)
        shutil.copytree(hpp.core.__path__[0], vendor / "core", ignore=lambda _, names: {
            one for one in names if one in ("__pycache__", "schemas")
        })  # fmt: skip
        (module / "hooks").mkdir()
        for one in ("a", "b"):
            (module / "hooks" / f"{one}.py").write_text(HOOK)
        shutil.copy(vendor / "core" / "portable" / "run.py", module / "hooks" / "run.py")
        (Path(name) / "project").mkdir()
        (Path(name) / "bin").mkdir()
        (Path(name) / "bin" / "python3").symlink_to(sys.executable)
        env = {
            **os.environ,
            "PATH": f"{Path(name) / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "CLAUDE_PROJECT_DIR": str(Path(name) / "project"),
            "XDG_CACHE_HOME": str(Path(name) / "cache"),
        }
        hooks = [str(module / "hooks" / f"{one}.py") for one in ("run", "a", "b")]
        ways = {
            "the launcher and a quiet hook": (hooks[1:2], "ls"),
            "the launcher and a hook that warns": (hooks[1:2], "rm x"),
            "the launcher and two hooks in one process": (hooks, "rm x"),
        }
        for shown, (words, command) in ways.items():
            argv = ["bash", str(vendor / "core" / "portable" / "pyrun.sh"), "observe", *words]
            given = event(command)
            seconds(argv, given, env)
            pairs = [(seconds(argv, given, env), seconds(BARE, b"", env)) for _ in range(RUNS)]
            value = statistics.median(first / second for first, second in pairs)
            row(shown, value, BOUND if len(words) == 1 else BOUND_OF_TWO)


if __name__ == "__main__":
    main()
