"""Run one verb on copies of a target and end each process at another point of its work.

Called with a JSON object on standard input: ``place`` (a folder of our own), ``before`` (a
target to copy), ``verb`` and its ``arguments``, ``points`` (how many), ``seed``. Every
process kills itself at the n-th change of the disk, as `kill -9` would. Then the copy is
recovered. What the copies came to is printed as a JSON list of objects with the tree of
each, by SHA-256.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from typing import Any

CHANGES = ("os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.link", "os.chmod")


def main() -> None:
    """Run everything, or, with the words ``one N``, one process."""
    job = json.load(sys.stdin)
    if sys.argv[1:2] == ["one"]:
        act(job, sys.argv[2], int(sys.argv[3]))
        return
    total = count(job)
    points = random.Random(job["seed"]).sample(range(1, total + 1), min(job["points"], total))
    json.dump([outcome(job, point) for point in sorted(points)], sys.stdout)


def count(job: dict[str, Any]) -> int:
    """Return how many changes of the disk a whole run makes."""
    copy = fresh(job, "whole")
    start(job, copy, 0)
    with open(f"{copy}.count", encoding="ascii") as stream:
        return int(stream.read())


def outcome(job: dict[str, Any], point: int) -> dict[str, Any]:
    """Kill a run at a point, recover, and return what is left."""
    copy = fresh(job, f"killed-{point}")
    ended = start(job, copy, point)
    from hpp.installer.kit.facts import Facts
    from hpp.installer.kit.recovery import recover

    later = replace(Facts(), homes=(), now=lambda: time.time() + 3600)
    planned = recover(copy, "codex", later, apply=False)
    report = recover(copy, "codex", later, apply=True)
    again = recover(copy, "codex", later, apply=True)
    return {
        "point": point,
        "killed": ended,
        "noticed": planned["status"],
        "recovered": report["exit_code"],
        "again": again["status"],
        "tree": tree(copy),
    }


def fresh(job: dict[str, Any], name: str) -> str:
    """Return a new copy of the target."""
    copy = os.path.join(job["place"], name)
    shutil.copytree(job["before"], copy)
    return copy


def start(job: dict[str, Any], copy: str, point: int) -> bool:
    """Run the verb in a process of its own; say whether that was killed."""
    if hasattr(os, "fork"):
        child = os.fork()
        if child == 0:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            act(job, copy, point)
            os._exit(0)
        return os.waitpid(child, 0)[1] == signal.SIGKILL
    done = subprocess.run(
        [sys.executable, __file__, "one", copy, str(point)],
        input=json.dumps(job),
        stdout=subprocess.DEVNULL,
        text=True,
        timeout=60,
        check=False,
    )
    return done.returncode == 9


def act(job: dict[str, Any], target: str, point: int) -> None:
    """Run the verb here, and end this process at the n-th change of the disk."""
    from hpp.installer.kit import main as kit

    changes = 0

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal changes
        is_write = event == "open" and isinstance(arguments[2], int) and arguments[2] & os.O_CREAT
        if event in CHANGES or is_write:
            changes += 1
            if changes == point:
                kill()

    os.fsync = lambda fd: None  # noqa: ARG005 -- a killed process loses nothing that the system has taken
    words = [target if word == "TARGET" else word for word in job["arguments"]]
    sys.addaudithook(watch)
    kit([job["verb"], *words], "hpp kit")
    with open(f"{target}.count", "w", encoding="ascii") as stream:
        stream.write(str(changes))


def kill() -> None:
    """End this process as nothing can be caught."""
    if os.name == "nt":
        os._exit(9)
    os.kill(os.getpid(), signal.SIGKILL)


def tree(root: str) -> dict[str, str]:
    """Return every file with its SHA-256 and every folder with an empty text."""
    found = {}
    for folder, folders, names in os.walk(root):
        for name in folders:
            found[os.path.relpath(os.path.join(folder, name), root).replace(os.sep, "/")] = ""
        for name in names:
            place = os.path.join(folder, name)
            with open(place, "rb") as stream:
                digest = hashlib.sha256(stream.read()).hexdigest()
            found[os.path.relpath(place, root).replace(os.sep, "/")] = digest
    return found


if __name__ == "__main__":
    main()
