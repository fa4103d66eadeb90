"""The controls of what only a command shows: each has a case that must pass and one that must not.

A command is called as a person would, with its inputs in a temporary folder that is also
the working folder, so that neither a manifest nor a policy of the user is met.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import tempfile

from hpp.core.errors import HppError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

__all__ = ["graph_determinism", "lane_collision", "monitor_freshness", "policy_enforcement"]

_BLOCK = 2


def policy_enforcement() -> bool:
    """Allow a test run; block the recursive removal of a folder with status 2."""
    with _clean_folder():
        allowed = _policy("python -m pytest -q")
        blocked = _policy("rm -rf src")
    return allowed == (0, "ALLOW") and blocked == (_BLOCK, "BLOCK")


def lane_collision() -> bool:
    """Let the two live lanes that overlap collide, and not the one that is dead."""
    lanes = [
        {"id": "first", "territory": ["src"], "heartbeat_at": 980},
        {"id": "second", "territory": ["src/api"], "heartbeat_at": 850},
        {"id": "third", "territory": ["src/api/routes"], "heartbeat_at": 100},
    ]
    clock = ("--now", "1000", "--suspect-after", "60", "--dead-after", "300")
    with _clean_folder():
        status, shown = _answer("map", "lane", _file("lanes.json", lanes), *clock)
    colliding = [collision["lanes"] for collision in shown.get("collisions", [])]
    dead = [name for name, word in shown.get("liveness", {}).items() if word == "dead"]
    return status == 0 and colliding == [["first", "second"]] and dead == ["third"]


def monitor_freshness() -> bool:
    """Tell a fresh signal from an old one."""
    monitors = [
        {
            "id": name,
            "target": name,
            "type": "timestamp",
            "severity": "block",
            "cost": "low",
            "consumer_gate": "fresh-evidence",
            "cadence": 60,
            "freshness": 120,
            "last_signal": signal,
        }
        for name, signal in (("data", 700), ("service", 980))
    ]
    with _clean_folder():
        status, shown = _answer("map", "monitor", _file("monitors.json", monitors), "--now", "1000")
    told = [(monitor["id"], monitor["status"]) for monitor in shown.get("monitors", [])]
    return status == 0 and told == [("data", "stale"), ("service", "healthy")]


def graph_determinism() -> bool:
    """Draw the capability graph of the packaged manifest twice, not empty, the same."""
    from hpp.core.manifest import packaged_manifest_path

    words = ("graph", "--view", "capability", "--manifest", packaged_manifest_path())
    with _clean_folder():
        status, first = _printed(*words)
        _, second = _printed(*words)
    graph = json.loads(first or b"{}")
    return status == 0 and first == second and bool(graph.get("nodes") and graph.get("edges"))


def _policy(command: str) -> tuple[int, str]:
    status, verdict = _answer("policy", "check", "--mode", "enforce", "--command", command)
    return status, verdict.get("action", "")


@contextlib.contextmanager
def _clean_folder() -> Iterator[None]:
    """Work in an empty folder at the top of a repository, which ends every search upward."""
    try:
        before = os.getcwd()
    except OSError:  # it was removed; there is nothing to go back to
        before = tempfile.gettempdir()
    with tempfile.TemporaryDirectory(prefix="hpp-control-") as name:
        os.mkdir(os.path.join(name, ".git"))
        os.chdir(name)
        try:
            yield
        finally:
            os.chdir(before)


def _file(name: str, value: object) -> str:
    with open(name, "w", encoding="utf-8") as stream:
        json.dump(value, stream)
    return name


def _answer(*words: str) -> tuple[int, dict[str, Any]]:
    status, printed = _printed(*words)
    found = json.loads(printed or b"{}")
    return status, found if isinstance(found, dict) else {}


def _printed(*words: str) -> tuple[int, bytes]:
    """Return status and standard output of a command."""
    from hpp.cli.registry import find_command
    from hpp.core.command import Invocation

    stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    with contextlib.redirect_stdout(stream):
        try:
            command = find_command(words[0])
            status = command.invoke(words[1:], f"hpp {words[0]}", Invocation())
        except HppError as error:
            status = error.exit_code
    return status, stream.buffer.getvalue()
