"""The self-test of the registry."""

from __future__ import annotations

import io
import json
import os
import sys
from contextlib import redirect_stderr, redirect_stdout

from hpp.core.portable.selftest import Checks, Project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["check_lanes", "run_quietly"]

NOW = 1_800_000_000


def run_quietly(main: Callable[[list[str]], int], *words: str) -> tuple[int, str, str]:
    """Run a script in this process and return its status and what it said."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        status = main(list(words))
    return status, out.getvalue(), err.getvalue()


def check_lanes(main: Callable[[list[str]], int]) -> int:
    """Run the self-test and return its status."""
    sys.dont_write_bytecode = True
    checks = Checks()
    with Project() as project:
        _check(checks, main, project.root)
    return checks.finish()


def _check(checks: Checks, main: Callable[[list[str]], int], root: str) -> None:
    def run(*words: str) -> int:
        return run_quietly(main, *words, "--now", str(NOW))[0]

    who = ("--role", "executor", "--model", "gpt-5")
    register = ("register", *who, "--lane")
    checks.equal("a lane registers", run(*register, "a", "--territory", "src"), 0)
    checks.equal("a part of it is taken", run(*register, "b", "--territory", "src/x"), 1)
    checks.equal("a neighbour is free", run(*register, "b", "--territory", "srcs"), 0)
    checks.equal(
        "a shared lane may not either", run(*register, "c", "--territory", "src", "--shared"), 1
    )
    for path in ("../x", "/etc", "src/*", "", "C:\\x"):
        checks.equal(f"territory {path!r}", run(*register, "c", "--territory", path), 2)
    checks.equal("a lane id is checked", run(*register, "C!"), 2)
    checks.equal("a role is checked", run("register", "--lane", "c", "--role", "king"), 3)
    checks.equal("an unknown lane has no heartbeat", run("heartbeat", "--lane", "z"), 1)
    checks.equal("a path is added", run("territory", "--lane", "b", "--add", "docs"), 0)
    checks.equal("and not a foreign one", run("territory", "--lane", "b", "--add", "src"), 1)
    checks.equal("and taken away", run("territory", "--lane", "b", "--remove", "docs"), 0)
    _, out, _ = run_quietly(main, "status", "--json", "--now", str(NOW + 700))
    checks.equal("silent for 700 s", json.loads(out)["lanes"][0]["liveness"], "suspect")
    _, out, err = run_quietly(main, "status", "--json", "--now", str(NOW - 60))
    checks.equal("a heartbeat of the future", json.loads(out)["lanes"][0]["liveness"], "skew")
    checks.check("is said", "future" in err)
    checks.equal("a lane closes", run("close", "--lane", "a"), 0)
    checks.equal("and its paths are free", run(*register, "c", "--territory", "src/x"), 0)
    path = os.path.join(root, ".claude", "lanes", "registry.json")
    os.truncate(path, os.path.getsize(path) - 20)
    checks.equal("a cut registry is corrupt", run("status"), 2)
    checks.equal("and is not written over", run(*register, "d"), 2)
    checks.equal("repair tells", run("repair"), 0)
    checks.equal("and mends", run("repair", "--apply"), 0)
    aside = [name for name in os.listdir(os.path.dirname(path)) if ".unreadable-" in name]
    checks.equal("nothing of it was thrown away", len(aside), 1)
    checks.equal("lanes register again", run(*register, "d"), 0)
