#!/usr/bin/env python3
"""Feed a hook what hosts feed it, and worse, and look at what it answers.

Each input is sound, empty, malformed, too large or no text at all. Both hosts let a call
through when a hook crashes or answers in a way they do not know, and say nothing.
"""

from __future__ import annotations

import os
import sys

if sys.pycache_prefix is None:
    sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "_vendor"), ROOT]

import tempfile

from _lib.hostevent import (
    CLAUDE,
    CODEX,
    EVENTS,
    answer_fault,
    can_block,
    payloads,
    takes_plain_text,
)

from hpp.core.errors import RefusedError
from hpp.core.output import pretty_json
from hpp.core.portable.report import WARN, ToolRefusedError, problem, report
from hpp.core.portable.toolscript import Tool
from hpp.core.strictjson import parse_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hpp.core.arguments import Arguments, Values
    from hpp.core.portable.selftest import Checks
    from hpp.core.runner import Outcome

__all__ = ["TOOL"]

SCHEMA = "hpp.hook-probe/v1"
SLOW_S = 2.0
TIMEOUT_S = 30
LARGEST_ANSWER = 1024 * 1024
_OVERSIZED = 9 * 1024 * 1024
_CLEARED = ("CLAUDE_", "HPP_", "LANE_", "OPERATOR_", "GOTCHA_")
_BLOCK = 2


def _declare(arguments: Arguments) -> None:
    arguments.positional("HOOK", help="the script, Python or sh")
    arguments.option("--event", "NAME", required=True, help="the event it is wired for")
    arguments.option("--host", "HOST", choices=(CLAUDE, CODEX), default=CLAUDE, help="whose form")
    arguments.option("--payload", "FILE", help="a sound event of your own, in place of ours")
    arguments.option("--expect-exit", "N", kind="integer", help="the status for the sound event")
    arguments.option("--max-seconds", "S", kind="number", default=SLOW_S, help="slower is told")


def _run(values: Values) -> dict[str, Any]:
    if values.event not in EVENTS[values.host]:
        raise ToolRefusedError(_problem(values.event, f"{values.host} knows no such event"))
    if not os.path.isfile(values.hook):
        raise ToolRefusedError(_problem(values.hook, "no such file"))
    own = _own_payload(values.payload)
    return probe(values.hook, values.event, values.host, own=own, expected=values.expect_exit,
                 limit_s=values.max_seconds)  # fmt: skip


def probe(  # noqa: PLR0913 -- keywords, all but three with a default
    hook: str,
    event: str,
    host: str = CLAUDE,
    *,
    own: bytes | None = None,
    expected: int | None = None,
    limit_s: float = SLOW_S,
) -> dict[str, Any]:
    """Return the report of a hook that was fed every kind of input."""
    problems: list[dict[str, str]] = []
    runs = []
    with tempfile.TemporaryDirectory(prefix="hpp-probe-") as scratch:
        folder = os.path.join(os.path.realpath(scratch), "a project")
        os.mkdir(folder)
        for name, data in _inputs(event, host, folder, own):
            before = _tree(folder)
            outcome = _start(hook, data, folder, host)
            is_sound = name.startswith("valid")
            faults = _faults(outcome, event, host, expected=expected if is_sound else None)
            if _tree(folder) != before:
                faults.append("it changed the working folder")
            if outcome.duration_s > limit_s and not faults:
                faults = [f"it took longer than {limit_s:g} s"]
                problems.append({**_problem(name, faults[0]), "severity": WARN})
            else:
                problems += [_problem(name, fault) for fault in faults]
            runs.append({"input": name, "exit": outcome.exit_code, "faults": faults})
    return report(SCHEMA, problems, hook=os.path.basename(hook), event=event, host=host, runs=runs)


def _inputs(event: str, host: str, folder: str, own: bytes | None) -> list[tuple[str, bytes]]:
    if own is not None:
        sound = [("valid", own)]
    else:
        made = payloads(event, host, folder)
        sound = [(f"valid-{each.get('tool_name', 'event')}", pretty_json(each)) for each in made]
    large = {**payloads(event, host, folder)[0], "padding": "x" * _OVERSIZED}
    return [
        *sound,
        ("empty", b""),
        ("malformed", b'{"hook_event_name": '),
        ("no-object", b"[1, 2]\n"),
        (
            "wrong-types",
            pretty_json({**payloads(event, host, folder)[0], "tool_input": 7, "cwd": 7}),
        ),
        ("oversized", pretty_json(large)),
        ("not-utf-8", b'{"hook_event_name": "\xff\xfe"}'),
    ]


def _start(hook: str, data: bytes, folder: str, host: str) -> Outcome:
    from hpp.core.runner import run

    hook = os.path.abspath(hook)
    launcher = ["bash", hook] if hook.endswith(".sh") else [sys.executable, "-E", "-s", hook]
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_CLEARED)}
    kept["HPP_STATE_DIR"] = os.path.join(os.path.dirname(folder), "state")
    if host == CLAUDE:
        kept["CLAUDE_PROJECT_DIR"] = folder
    return run(launcher, timeout_s=TIMEOUT_S, cwd=folder, environment=kept, input_bytes=data,
               keep_stdout=LARGEST_ANSWER)  # fmt: skip


def _faults(outcome: Outcome, event: str, host: str, *, expected: int | None) -> list[str]:
    if outcome.exit_code is None:
        return [f"it did not end by itself: {outcome.ending}"]
    found = []
    stderr, stdout = outcome.stderr.kept, outcome.stdout.kept
    if b"Traceback (most recent call last)" in stderr + stdout:
        found.append("it shows a traceback")
    if expected is not None and outcome.exit_code != expected:
        found.append(f"it exits {outcome.exit_code}, expected {expected}")
    if outcome.exit_code == _BLOCK:
        if not can_block(event, host):
            found.append(f"exit 2 blocks nothing at {event}")
        if not stderr.strip():
            found.append("exit 2 without a reason on standard error lets the call through on Codex")
        if stdout.strip():
            found.append("exit 2 and text on standard output: the host reads one of them")
    elif outcome.exit_code != 0:
        found.append(f"exit {outcome.exit_code} is a failure to the host, which goes on")
    elif stdout.strip():
        found += _answer_faults(stdout, event, host)
    return found


def _answer_faults(stdout: bytes, event: str, host: str) -> list[str]:
    if takes_plain_text(event) and not stdout.lstrip().startswith(b"{"):
        return []
    try:
        answer = parse_bytes(stdout, "the answer")
    except RefusedError as error:
        return [str(error)]
    fault = answer_fault(event, host, answer)
    return [fault] if fault else []


def _own_payload(path: str | None) -> bytes | None:
    if path is None:
        return None
    try:
        with open(path, "rb") as stream:
            data = stream.read()
        parse_bytes(data, path, root=dict)
    except OSError as error:
        raise ToolRefusedError(_problem(path, f"cannot be read: {error.strerror}")) from None
    except RefusedError as error:
        raise ToolRefusedError(_problem(path, str(error))) from None
    return data


def _tree(folder: str) -> list[tuple[str, int, int]]:
    found = []
    for base, names, files in os.walk(folder):
        for name in (*names, *files):
            status = os.lstat(os.path.join(base, name))
            found.append((os.path.join(base, name), status.st_size, status.st_mtime_ns))
    return sorted(found)


def _problem(path: str, measured: str) -> dict[str, str]:
    return problem(
        "hooks-file-invalid", path=path, measured=measured,
        expected="nothing, one JSON answer that the host knows, or exit 2 with a reason",
        following="mend the hook; catch every error inside it",
    )  # fmt: skip


def _human(made: dict[str, Any]) -> str:
    if "runs" not in made:
        return ""
    return "".join(f"{run['input']}: exit {run['exit']}\n" for run in made["runs"])


_SOUND = """import json, sys
try:
    event = json.load(sys.stdin)
    name = event["hook_event_name"]
    command = event["tool_input"].get("command", "")
except Exception:
    print(json.dumps({"systemMessage": "input not understood"}))
    sys.exit(0)
"""
_ASKING = """import json
specific = {"hookEventName": "PreToolUse", "permissionDecision": "ask"}
print(json.dumps({"hookSpecificOutput": {**specific, "permissionDecisionReason": "r"}}))
"""
_CASES = [
    ("a hook that answers in its host's form", _SOUND, 0),
    ("a hook that raises on bad input", "import json, sys\njson.load(sys.stdin)\n", 2),
    ("a hook that prints plain text", "print('careful')\n", 2),
    ("a hook with an unknown key",
     "print('{\"hookSpecificOutput\": {\"hookEventName\": \"PreToolUse\", \"note\": 1}}')\n", 2),
    ("a hook that blocks in silence", "raise SystemExit(2)\n", 2),
    ("a hook that writes into the project", "open('seen', 'a').close()\n", 2),
    ("a hook that fails", "raise SystemExit(1)\n", 2),
]  # fmt: skip


def _self_test(checks: Checks, folder: str) -> None:
    path = os.path.join(folder, "hook.py")
    for what, text, code in _CASES:
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(text)
        checks.check(f"{what}: {code}", probe(path, "PreToolUse")["exit_code"] == code)
    with open(path, "w", encoding="utf-8") as stream:
        stream.write("import time\ntime.sleep(0.05)\n")
    made = probe(path, "PreToolUse", limit_s=0.01)
    checks.check("a slow hook is a warning", made["exit_code"] == 1)
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(_ASKING)
    checks.check("ask is honoured by one host", probe(path, "PreToolUse")["exit_code"] == 0)
    checks.check("and by the other not", probe(path, "PreToolUse", CODEX)["exit_code"] == _BLOCK)


TOOL = Tool(
    "hook_probe.py",
    "Feed a hook what hosts feed it, and worse, and look at its answers.",
    schema=SCHEMA,
    declare=_declare,
    run=_run,
    self_test=_self_test,
    human=_human,
)

if __name__ == "__main__":
    raise SystemExit(TOOL.main(sys.argv[1:]))
