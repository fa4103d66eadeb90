"""``hpp policy hook``: the answer to a host that is about to run a tool.

Both hosts let a call through on every status but 0 with a decision, and 2. So whatever
goes wrong ends in 2 with a line on standard error (see `hpp.cli.main`).
"""

from __future__ import annotations

import sys

from hpp.cli.policy import bounded, masked, policy_in_force
from hpp.core.document import read_input
from hpp.core.errors import RefusedError
from hpp.core.strictjson import parse_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hpp.core.policy.verdict import Verdict

__all__ = ["answer"]

_LARGEST_EVENT = 16 * 1024 * 1024
_EVENT = "PreToolUse"
_SHELL = "Bash"


def answer(host: str, policy_path: str | None) -> int:
    """Read one event on standard input, answer it and return the exit status.

    Raises:
        RefusedError: The event or the policy cannot be used, so nothing is let through.

    """
    event = parse_bytes(_read_event(), "the hook's event", root=dict)
    command = _shell_command(event)
    if command is None:
        return 0
    from hpp.core.policy.verdict import judge

    folder = event.get("cwd")
    is_folder = isinstance(folder, str) and bool(folder) and "\0" not in folder
    policy = policy_in_force(policy_path, folder if is_folder else None)
    verdict = judge(bounded(command, "tool_input.command"), policy)
    if verdict.action == "ALLOW":
        return 0
    from hpp.core.output import write_json

    write_json({"hookSpecificOutput": _decision(host, verdict, command)})
    return 0


def _read_event() -> bytes:
    if sys.stdin is None:
        raise RefusedError("the hook's event: standard input is closed")
    return read_input("-", limit=_LARGEST_EVENT)


def _shell_command(event: dict[str, Any]) -> str | None:
    """Return the command of the shell tool, or None for another event or tool."""
    name = event.get("hook_event_name")
    if not isinstance(name, str) or not name:
        raise RefusedError("the hook's event: hook_event_name: expected a text")
    if name != _EVENT:
        return None
    tool = event.get("tool_name")
    if not isinstance(tool, str) or not tool:
        raise RefusedError("the hook's event: tool_name: expected a text")
    if tool != _SHELL:
        return None
    given = event.get("tool_input")
    command = given.get("command") if isinstance(given, dict) else None
    if not isinstance(command, str):
        raise RefusedError("the hook's event: tool_input.command: expected a text")
    return command


def _decision(host: str, verdict: Verdict, command: str) -> dict[str, str]:
    reason = f"{verdict.rule}: {verdict.reason}"
    if verdict.piece is not None:
        reason += f" ({masked(verdict.piece)})"
    asks = verdict.action == "MANUAL" and host == "claude-code"
    if verdict.action == "MANUAL" and not asks:
        # This host knows no question, so the words are for the person who reads them.
        shown = masked(command if len(command) <= _LONGEST_SHOWN else command[:_LONGEST_SHOWN])
        reason += f". A person decides; to go ahead, run it yourself: {shown}"
    return {
        "hookEventName": _EVENT,
        "permissionDecision": "ask" if asks else "deny",
        "permissionDecisionReason": reason,
    }


_LONGEST_SHOWN = 400
