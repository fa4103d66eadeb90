"""What the hook of `secretwrite` checks of itself."""

from __future__ import annotations

import os

from hpp.core.output import pretty_json
from hpp.core.portable import hookio
from hpp.core.portable.secretwrite import EXEMPT, HOOK, decide

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hpp.core.portable.selftest import Checks

__all__ = ["run_checks", "self_test"]

_LARGE = 5 * 1024 * 1024
# In two parts, so that no scanner takes this file for a leak.
_LEAK = "ghp_" + "a1B2" * 9


def self_test() -> int:
    """Check the hook in a project of its own and return the exit status."""
    from hpp.core.portable.selftest import Checks, Project

    checks = Checks()
    with Project():
        run_checks(checks)
    return checks.finish()


def run_checks(checks: Checks) -> None:
    """Ask the hook about what it must see and about what it must let be."""
    said = _answer(_write("a.py", f"x = 1\nkey = '{_LEAK}'\n"))
    checks.check("a token is told with rule, line and length",
                b"provider-token in line 2, 40 characters" in said)  # fmt: skip
    checks.check("no part of the value is shown", _LEAK[4:10].encode() not in said)
    checks.check("person and model are told",
                b'"systemMessage"' in said and b'"additionalContext"' in said)  # fmt: skip
    checks.check("a clean text says nothing", _answer(_write("a.py", "x = 1\n")) == b"")
    stand_in = "API_KEY=<your-key> # " + "word " * 3
    checks.check("a placeholder says nothing", _answer(_write("a.md", stand_in)) == b"")
    beside = f"x = '{_LEAK}'  # example\n"
    checks.check("a word beside the value excuses nothing", _answer(_write("a", beside)) != b"")
    checks.check(".env is where it belongs", _answer(_write(".env", beside)) == b"")
    exempt = _exempt_answer(_write("tests/data/a.py", beside))
    checks.check("an exempt fixture says nothing", exempt == b"")
    edit = {"tool_name": "Edit", "tool_input": {"file_path": "b", "new_string": beside}}
    checks.check("an edit is looked at", _answer({**_write("", ""), **edit}) != b"")
    for name, data in (("empty", b""), ("malformed", b"{"), ("not UTF-8", b"\xff")):
        checks.check(f"{name} input is told and let through", b"not understood" in _said(data))
    long = pretty_json(_write("big.txt", "plain words\n" * (_LARGE // 12)))
    checks.check("5 MiB are let through", _said(long) == b"")


def _answer(event: dict[str, Any]) -> bytes:
    return _said(pretty_json(event))


def _exempt_answer(event: dict[str, Any]) -> bytes:
    os.environ[EXEMPT] = "tests/**"
    try:
        return _answer(event)
    finally:
        del os.environ[EXEMPT]


def _said(data: bytes) -> bytes:
    """Return what the host reads, or the status when it is not 0."""
    try:
        answer = hookio.evaluate(HOOK, decide, hookio.parse(data), ("PreToolUse",))
    except hookio.Malformed as error:
        answer = hookio.not_understood(HOOK, error.why, closed=False, payload=None)
    return answer.stdout.encode() if answer.exit == 0 else b"exit %d" % answer.exit


def _write(path: str, content: str) -> dict[str, Any]:
    return {
        "hook_event_name": "PreToolUse",
        "session_id": "s",
        "cwd": os.environ["CLAUDE_PROJECT_DIR"],
        "tool_name": "Write",
        "tool_input": {"file_path": path, "content": content},
    }
