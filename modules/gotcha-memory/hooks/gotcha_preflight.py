"""Before a command runs, put in front of the model what failed again and again before.

It reads and never writes, starts nothing and blocks nothing.
"""

from __future__ import annotations

import os
import sys

if sys.pycache_prefix is None:
    sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "_vendor"), ROOT]

from hpp.core.portable import hookio

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hpp.core.portable.hookio import Answer, Payload

NAME = "gotcha-preflight"
EVENTS = ("PreToolUse",)
CLOSED = False


def decide(payload: Payload) -> Answer | None:
    """Return the lessons about a command as context; None when there are none."""
    from _lib.taskof import command_of

    command = command_of(payload)
    if command is None:
        return None
    from _lib.ownership import FOREIGN, MISSING, UNANCHORED, owner_of
    from _lib.setting import lenient_settings

    root = hookio.project_root(payload)
    settings = lenient_settings(root, payload.cwd, payload.environ)
    owner = owner_of(root, settings.store) if settings.store else MISSING
    if owner in (MISSING, FOREIGN):
        return None
    import time

    from _lib.gotchas_memory import lessons, render
    from _lib.taskof import task_of

    now = time.time()
    try:
        found = lessons(task_of(payload, command), settings, now)
    except OSError as error:
        return hookio.message(NAME, f"the memory cannot be read: {error.strerror}")
    text = render(found, now, is_verified=owner != UNANCHORED)
    return hookio.context("PreToolUse", NAME, text) if text else None


def self_test() -> int:
    """Check a lesson that is told, a task without one, and a command that is none."""
    import time

    from _lib.memorytrial import LINES, NOW

    from hpp.core.portable.selftest import Checks, Project

    checks = Checks(closing=True)
    with Project() as project:
        shifted = LINES
        for place in (30, 20, 10):
            shifted = shifted.replace(str(NOW - place), str(time.time() - place))
        project.write(".claude/gotchas/failures.jsonl", shifted)

        def ask(command: object, event: str = "PreToolUse") -> str:
            data = {"hook_event_name": event, "tool_name": "Bash", "cwd": project.root,
                    "tool_input": {"command": command, "description": "Run the tests"}}  # fmt: skip
            return hookio.evaluate(NAME, decide, hookio.Payload(data), EVENTS).stdout

        told = ask("pytest")
        checks.check("the lesson is told", "[3x] [unverified] transient" in told)
        checks.equal("another event is passed over", ask("pytest", "Stop"), "")
        checks.equal("a blank command is passed over", ask("  "), "")
        checks.check("a wrong type is said", "input not understood" in ask(5))
        project.write(".claude/gotchas/failures.jsonl", "")
        checks.equal("without a record nothing is said", ask("pytest"), "")
    return checks.finish()


if __name__ == "__main__":
    raise SystemExit(
        hookio.run_hook(NAME, decide, events=EVENTS, closed=CLOSED, self_test=self_test)
    )
