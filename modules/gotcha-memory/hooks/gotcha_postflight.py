"""After a command failed, remember it; when it keeps failing, say so at once."""

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
    from _lib.failurerecord import Event
    from _lib.gotchas_store import Kept
    from _lib.setting import Settings

    from hpp.core.portable.hookio import Answer, Payload

NAME = "gotcha-postflight"
EVENTS = ("PostToolUse", "PostToolUseFailure")
CLOSED = False


def decide(payload: Payload) -> Answer | None:
    """Keep a failure, and return what there is to say about it."""
    from _lib.taskof import command_of

    command = command_of(payload)
    if command is None or _is_plain_success(payload):
        return None
    from _lib.taskof import task_of
    from _lib.verdict import judge

    task = task_of(payload, command)
    failure = judge(payload, command)
    call = payload.text("tool_use_id")
    if failure is None:
        return None
    from _lib.failurerecord import Event

    event = Event(task, command, failure, session=payload.session_id, call=call)
    return _keep(payload, event)


def _is_plain_success(payload: Payload) -> bool:
    """Say whether the answer is the usual one of a command that went well, at no cost."""
    response = payload.data.get("tool_response")
    if payload.event != "PostToolUse" or "error" in payload.data:
        return False
    if isinstance(response, dict):
        return response.keys() <= _USUAL and not response.get("stderr")
    return isinstance(response, str) and not response.startswith("Error: ")


_USUAL = frozenset({"stdout", "stderr", "isImage", "noOutputExpected", "returnCodeInterpretation"})


def _keep(payload: Payload, event: Event) -> Answer | None:
    import time

    from _lib.gotchas_store import remember, say_once
    from _lib.setting import lenient_settings

    from hpp.core.errors import HppError

    root = hookio.project_root(payload)
    settings = lenient_settings(root, payload.cwd, payload.environ)
    if not settings.store:
        return hookio.message(NAME, f"a failed command was not remembered: {settings.fault}")
    note = ""
    if settings.fault and say_once(payload.session_id, "setting"):
        note = f"defaults are used: {settings.fault}"
    try:
        kept = remember(event, settings, time.time())
    except HppError as error:
        said = f"a failed command was not remembered: {error}"
        return hookio.message(NAME, f"{said}; {note}" if note else said)
    return _said(payload.event, kept, settings, note)


def _said(event: str, kept: Kept, settings: Settings, note: str) -> Answer | None:
    if not kept.before < settings.min_count <= kept.after:
        return hookio.message(NAME, note) if note else None
    from _lib.family import PREVENTION

    text = (
        f"this kind of task has failed {kept.after} times within {settings.window_hours} hours, "
        f"each time of the kind {kept.family}. {PREVENTION[kept.family]}."
    )
    return hookio.warn(event, NAME, note, text) if note else hookio.context(event, NAME, text)


def self_test() -> int:
    """Check what is kept, what is told, and that a refusal and a success are no failures."""
    from _lib.ownership import FAILURES, tail

    from hpp.core.portable.selftest import Checks, Project

    checks = Checks(closing=True)
    with Project() as project:
        path = os.path.join(project.root, ".claude", "gotchas", FAILURES)

        def tell(error: object, event: str = "PostToolUseFailure", **more: object) -> str:
            data = {"hook_event_name": event, "tool_name": "Bash", "cwd": project.root,
                    "tool_input": {"command": "make"}, "error": error, **more}  # fmt: skip
            return hookio.evaluate(NAME, decide, hookio.Payload(data), EVENTS).stdout

        tell("PreToolUse:Bash hook error: no")
        tell("Exit code 2\nboom", is_interrupt=True)
        tell(None, "PostToolUse", tool_response={"stdout": "exit code 0", "stderr": ""})
        checks.equal("no failure leaves nothing", len(tail(path, None)), 0)
        said = [tell("Exit code 2\nboom") for _ in range(3)]
        checks.equal("two are kept in silence", said[:2], ["", ""])
        checks.check("the third is told", "has failed 3 times" in said[2])
        checks.equal("three are kept", len(tail(path, None)), 3)
        checks.check("a wrong type is said", "input not understood" in tell(7))
    return checks.finish()


if __name__ == "__main__":
    raise SystemExit(
        hookio.run_hook(NAME, decide, events=EVENTS, closed=CLOSED, self_test=self_test)
    )
