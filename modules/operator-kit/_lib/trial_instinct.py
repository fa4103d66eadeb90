"""The self-test of the collected criteria: from a line of the ledger to a rule."""

from __future__ import annotations

import os

from _lib.instinct import CANDIDATE, LEDGER, STORE, read_store
from _lib.script import said_by

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable
    from typing import Any

    from hpp.core.portable.selftest import Checks, Project

__all__ = ["check_instincts"]


def check_instincts(
    checks: Checks,
    project: Project,
    parser: argparse.ArgumentParser,
    main: Callable[[argparse.Namespace], int],
) -> None:
    """Add the checks of `instinct_promote.py`."""
    digest = "ab" * 32
    line = (f'{{"event": "gate-failed", "session": "s", "goal": null, "failed": '
            f'[{{"id": 0, "argv_digest": "{digest}", "exit": 1}}]}}\n')  # fmt: skip
    ledger = project.write(LEDGER, line + '{"event": "iteration"}\n' + line[:20])

    def call(*words: str) -> int:
        return said_by(parser, main, *words)[0]

    def store() -> dict[str, Any]:
        found: dict[str, Any] = read_store(STORE)["instincts"][digest[:12]]
        return found

    checks.equal("a scan", (call("scan"), store()["count"]), (0, 1))
    checks.equal("the same bytes count once", (call("scan"), store()["count"]), (0, 1))
    with open(ledger, "a", encoding="utf-8", newline="") as file:
        file.write(line[20:])
    checks.equal("a line counts when it is whole", (call("scan"), store()["count"]), (0, 2))
    project.write(LEDGER, line)
    checks.equal("a ledger begun anew", (call("scan"), store()["count"]), (0, 3))
    promote = ("promote", digest[:12], "--to", "rule.md")
    checks.equal("nobody promotes", (call(*promote), store()["state"]), (1, CANDIDATE))
    os.environ["CODEX_SANDBOX"] = "1"
    checks.equal("an agent does not", call(*promote, "--operator", "Ada"), 1)
    del os.environ["CODEX_SANDBOX"]
    checks.equal("a person does", call(*promote, "--operator", "Ada"), 0)
    checks.equal("once", call(*promote, "--operator", "Ada"), 1)
    checks.equal("an unknown one", call("reject", "x", "--reason", "r"), 1)
    project.write(STORE, "{}")
    checks.equal("a damaged store is kept", call("scan"), 2)
