#!/usr/bin/env python3
"""Hand sessions over through the hooks as a host calls them; three rounds, all must pass."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROUNDS = 3
HIDDEN = ("CLAUDE_", "HPP_", "GIT_", "LANE_", "OPERATOR_")
WRITER, INJECT, GUARD = "_handoff_io.py", "handoff_inject.py", "handoff_guard.py"


class Project:
    """A project that is not under git, and the hooks as a host runs them in it."""

    def __init__(self, root: str) -> None:
        self.root = root
        kept = {name: text for name, text in os.environ.items() if not name.startswith(HIDDEN)}
        self.environ = {**kept, "CLAUDE_PROJECT_DIR": root}

    def run(self, script: str, *words: str, stdin: str = "") -> subprocess.CompletedProcess[bytes]:
        """Run a script of the hooks folder."""
        argv = [sys.executable, "-E", "-s", os.path.join(ROOT, "hooks", script), *words]
        return subprocess.run(
            argv, input=stdin.encode(), cwd=self.root, env=self.environ, capture_output=True,
            timeout=60, check=False,
        )  # fmt: skip

    def event(self, script: str, name: str, **fields: object) -> dict[str, object]:
        """Send an event to a hook and return what it answers; empty for nothing."""
        event = {"hook_event_name": name, "session_id": "s", "cwd": self.root, **fields}
        done = self.run(script, stdin=json.dumps(event))
        answer: dict[str, object] = json.loads(done.stdout or b"{}")
        return answer if done.returncode == 0 else {"exit": done.returncode}

    def text(self) -> str:
        """Return what a session is told when it begins."""
        inner = self.event(INJECT, "SessionStart", source="startup").get("hookSpecificOutput")
        return str(inner.get("additionalContext", "")) if isinstance(inner, dict) else ""

    def files(self) -> list[str]:
        """Return the names in the state folder."""
        folder = os.path.join(self.root, ".claude", "handoff")
        return sorted(os.listdir(folder)) if os.path.isdir(folder) else []


def handed_over(project: Project) -> bool:
    """E1: a written handoff reaches the next session, and that is noted."""
    wrote = project.run(WRITER, "write", "--demo").returncode == 0
    text = project.text()
    events = json.loads(project.run(WRITER, "read", "--last", "9").stdout)
    return (
        wrote
        and "no instructions and no queue" in text
        and "consumed" in [one["event"] for one in events]
    )


def withheld_when_stale(project: Project) -> bool:
    """E2: what expired keeps its prohibitions and loses its steps."""
    document = {
        "state": {"summary": "x"}, "valid_until": "2020-01-01T00:00:00Z",
        "prohibitions": ["Leave the schema alone."],
        "next_step": [{"order": 1, "description": "d", "verify_first_cmd": "make check"}],
    }  # fmt: skip
    project.run(WRITER, "write", "--stdin", stdin=json.dumps(document))
    text = project.text()
    return "STALE" in text and "next step 1" not in text and "Leave the schema alone." in text


def held_once(project: Project) -> bool:
    """E3: the first stop is held, the second one released with a record, in under 8 s."""
    began = time.monotonic()
    first = project.event(GUARD, "Stop", stop_hook_active=False)
    second = project.event(GUARD, "Stop", stop_hook_active=True)
    quick = time.monotonic() - began < 8  # noqa: PLR2004 -- what a person waits for at most
    written = "HANDOFF-CURRENT-solo.json" in project.files()
    return first.get("decision") == "block" and "decision" not in second and written and quick


def check_runs(project: Project) -> bool:
    """E4: the check of the next step can be taken from the text and run."""
    project.run(WRITER, "write", "--demo")
    label = "before doing it, run: "
    lines = [line for line in project.text().splitlines() if line.startswith(label)]
    words = shlex.split(lines[0][len(label) :]) if lines else []
    if words[:1] != ["python3"]:
        return False
    done = subprocess.run([sys.executable, *words[1:]], cwd=project.root, check=False)
    return done.returncode == 0


def compaction_is_told(project: Project) -> bool:
    """E5: before a compaction nothing but a message is said."""
    answer = project.event(GUARD, "PreCompact", trigger="auto")
    return list(answer) == ["systemMessage"]


def malformed_is_harmless(project: Project) -> bool:
    """E6: what is no event leads to a message, no decision and no file."""
    done = project.run(GUARD, stdin="{not json")
    return done.returncode == 0 and list(json.loads(done.stdout)) == ["systemMessage"] and (
        not project.files()
    )  # fmt: skip


CHECKS = (
    handed_over, withheld_when_stale, held_once, check_runs, compaction_is_told,
    malformed_is_harmless,
)  # fmt: skip


def main() -> int:
    """Run every check in a project of its own, three times; return 0 when all passed."""
    failed = 0
    for _ in range(ROUNDS):
        for number, check in enumerate(CHECKS, 1):
            with tempfile.TemporaryDirectory() as root:
                passed = check(Project(os.path.realpath(root)))
            failed += not passed
            sys.stdout.write(f"{'ok' if passed else 'FAIL'} E{number} {check.__name__}\n")
    sys.stdout.write(f"{ROUNDS * len(CHECKS) - failed} passed, {failed} failed\n")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
