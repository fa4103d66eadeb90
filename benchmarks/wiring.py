"""What modules wire, on each event's common path, against ``python -c pass``, in one run.

Usage: ``wiring.py [MODULE ...]``, ids of modules that have hooks; all of them without one.
"""

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
from typing import Any

from measure import BARE, row

import hpp.core

RUNS = 30
FIRST_RUNS = 5
BOUND, FIRST_BOUND = 2.5, 3.5
MODULES = Path(__file__).resolve().parents[1] / "modules"
LIBRARY = Path(hpp.core.__path__[0])
SHELL = {"tool_name": "Bash", "tool_input": {"command": "python -m pytest -q"}}
EDIT = {"tool_name": "Write", "tool_input": {"file_path": "a.py", "content": "x = 1\n" * 50}}
OTHER = {"tool_name": "mcp__a__b", "tool_input": {}}


def staged(module: Path, folder: Path) -> Path:
    """Lay a module out as the build does, the whole library beside it, and return its root."""
    root = folder / module.name
    shutil.copytree(module, root, ignore=shutil.ignore_patterns("tests", "__pycache__"))
    build = json.loads((module / "module.build.json").read_bytes())
    for entry in build["vendor"]:
        if entry["to"] != "_vendor":
            (root / entry["to"]).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(LIBRARY.parents[1] / entry["from"], root / entry["to"])
    ignored = shutil.ignore_patterns("__pycache__", "schemas")
    shutil.copytree(LIBRARY, root / "_vendor" / "hpp" / "core", ignore=ignored)
    return root


def fields(event: str, matcher: str) -> dict[str, Any]:
    """Return what an ordinary event of a kind holds."""
    if event in ("PreToolUse", "PostToolUse", "PostToolUseFailure"):
        call = OTHER if matcher.startswith("mcp__") else SHELL if "Bash" in matcher else EDIT
        return {**call, "tool_response": {"stdout": "3 passed", "stderr": ""}}
    return {
        "SessionStart": {"source": "startup"},
        "UserPromptSubmit": {"prompt": "please fix the parser"},
        "Stop": {"stop_hook_active": False, "last_assistant_message": "done"},
        "PreCompact": {"trigger": "auto"},
    }.get(event, {})


def seconds(command: str, given: bytes, env: dict[str, str], project: Path) -> float:
    """Return the wall time of one wired command for one event."""
    started = time.perf_counter()
    subprocess.run(
        ["bash", "-c", command], input=given, env=env, cwd=project, check=False,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    return time.perf_counter() - started


def bare(env: dict[str, str], project: Path) -> float:
    """Return the wall time of an interpreter that does nothing."""
    started = time.perf_counter()
    subprocess.run(BARE, env=env, cwd=project, check=True)
    return time.perf_counter() - started


def measure(module: Path, folder: Path) -> None:
    """Print two rows for everything that a module wires: compiled code cached, and not yet."""
    root = staged(module, folder)
    project, home = folder / "project", folder / "home"
    env = {
        "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(home),
        "CLAUDE_PROJECT_DIR": str(project),
        "CLAUDE_PLUGIN_ROOT": str(root),
    }
    wired = json.loads((root / "hooks" / "hooks.json").read_bytes())["hooks"]
    for event, groups in wired.items():
        for group in groups:
            matcher = group.get("matcher", "")
            base = {"hook_event_name": event, "session_id": "s", "cwd": str(project)}
            given = json.dumps({**base, **fields(event, matcher)}).encode()
            for entry in group["hooks"]:
                firsts = []
                for _ in range(FIRST_RUNS):
                    shutil.rmtree(home / ".cache", ignore_errors=True)
                    first = seconds(entry["command"], given, env, project)
                    firsts.append(first / bare(env, project))
                pairs = [
                    (seconds(entry["command"], given, env, project), bare(env, project))
                    for _ in range(RUNS)
                ]
                shown = f"{module.name} {event} {matcher}".strip()
                row(shown, statistics.median(one / other for one, other in pairs), BOUND)
                row(shown, statistics.median(firsts), FIRST_BOUND, "the first time")


def main(names: list[str]) -> None:
    """Print the rows of the modules named, or of all that wire something."""
    chosen = [MODULES / name for name in names] or sorted(
        path.parents[1] for path in MODULES.glob("*/hooks/hooks.json")
    )
    for module in chosen:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for part in ("project", "home", "bin"):
                (folder / part).mkdir()
            (folder / "bin" / "python3").symlink_to(sys.executable)
            (folder / "project" / "a.py").write_text("x = 1\n")
            subprocess.run(["git", "init", "-q", str(folder / "project")], check=True)
            measure(module, folder)


if __name__ == "__main__":
    main(sys.argv[1:])
