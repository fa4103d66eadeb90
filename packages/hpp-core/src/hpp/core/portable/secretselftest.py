"""What the hook of `secretwrite` checks of itself."""

from __future__ import annotations

import os
import subprocess
import sys

from hpp.core.output import pretty_json
from hpp.core.portable.secretwrite import EXEMPT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hpp.core.portable.selftest import Checks

__all__ = ["run_checks"]

_LARGE = 5 * 1024 * 1024
# In two parts, so that no scanner takes this file for a leak.
_LEAK = "ghp_" + "a1B2" * 9


def run_checks(script: str, checks: Checks, folder: str) -> None:
    """Run the script as a host does, on what it must see and what it must let be."""
    hook = _Hook(script, folder)
    said = hook.answer(_write("a.py", f"x = 1\nkey = '{_LEAK}'\n"))
    checks.check("a token is told with rule, line and length",
                b"provider-token in line 2, 40 characters" in said)  # fmt: skip
    checks.check("no part of the value is shown", _LEAK[4:10].encode() not in said)
    checks.check("person and model are told",
                b'"systemMessage"' in said and b'"additionalContext"' in said)  # fmt: skip
    checks.check("a clean text says nothing", hook.answer(_write("a.py", "x = 1\n")) == b"")
    stand_in = "API_KEY=<your-key> # " + "word " * 3
    checks.check("a placeholder says nothing", hook.answer(_write("a.md", stand_in)) == b"")
    beside = f"x = '{_LEAK}'  # example\n"
    checks.check("a word beside the value excuses nothing", hook.answer(_write("a", beside)) != b"")
    checks.check(".env is where it belongs", hook.answer(_write(".env", beside)) == b"")
    exempt = hook.answer(_write("tests/data/a.py", beside), {EXEMPT: "tests/*"})
    checks.check("an exempt fixture says nothing", exempt == b"")
    edit = {"tool_name": "Edit", "tool_input": {"file_path": "b", "new_string": beside}}
    checks.check("an edit is looked at", hook.answer({**_write("", ""), **edit}) != b"")
    for name, data in (("empty", b""), ("malformed", b"{"), ("not UTF-8", b"\xff")):
        checks.check(f"{name} input is told and let through", b"not understood" in hook.run(data))
    long = pretty_json(_write("big.txt", "plain words\n" * (_LARGE // 12)))
    checks.check("5 MiB are let through", hook.run(long) == b"")


class _Hook:
    def __init__(self, script: str, folder: str) -> None:
        self.script = script
        self.folder = folder

    def answer(self, event: dict[str, Any], more: dict[str, str] | None = None) -> bytes:
        return self.run(pretty_json(event), more)

    def run(self, data: bytes, more: dict[str, str] | None = None) -> bytes:
        """Return standard output, or the status when it is not 0."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("HPP_")}
        environment = {**kept, "CLAUDE_PROJECT_DIR": self.folder, **(more or {})}
        done = subprocess.run(
            [sys.executable, self.script], input=data, env=environment, cwd=self.folder,
            capture_output=True, timeout=20, check=False,
        )  # fmt: skip
        return done.stdout if done.returncode == 0 else b"exit %d" % done.returncode


def _write(path: str, content: str) -> dict[str, Any]:
    return {
        "hook_event_name": "PreToolUse",
        "session_id": "s",
        "cwd": os.getcwd(),
        "tool_name": "Write",
        "tool_input": {"file_path": path, "content": content},
    }
