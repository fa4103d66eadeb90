"""The events and answers of the hosts' hooks, as far as a command policy needs them.

Both hosts let a call through on every status but 0 with a decision they know, and 2 (with
a line on standard error). Codex also drops an answer with a key that it does not know, and
knows no question.
"""

from __future__ import annotations

from hpp.core.errors import RefusedError
from hpp.core.policy.piece import bounded, masked
from hpp.core.policy.rule import ALLOW, MANUAL
from hpp.core.strictjson import parse_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hpp.core.policy.verdict import Verdict

__all__ = ["CLAUDE_CODE", "CODEX", "HOSTS", "LARGEST_EVENT", "ShellCall", "answer", "shell_call"]

CLAUDE_CODE, CODEX = "claude-code", "codex"
HOSTS = (CLAUDE_CODE, CODEX)
LARGEST_EVENT = 16 * 1024 * 1024
_EVENT = "PreToolUse"
_SHELL = "Bash"
_WHERE = "the hook's event"
_LONGEST_SHOWN = 400


class ShellCall:
    """A command that the host is about to run.

    Attributes:
        command: The text that a shell is given.
        folder: Where the host says that it runs, or None.

    """

    __slots__ = ("command", "folder")

    def __init__(self, command: str, folder: str | None) -> None:
        self.command = command
        self.folder = folder


def shell_call(data: bytes) -> ShellCall | None:
    """Return the call of the shell tool that an event asks about; None for anything else.

    Args:
        data: One event as the host wrote it, JSON in UTF-8.

    Raises:
        RefusedError: It is malformed, or lacks what a verdict needs.

    """
    event: dict[str, Any] = parse_bytes(data, _WHERE, root=dict)
    if _text(event, "hook_event_name") != _EVENT or _text(event, "tool_name") != _SHELL:
        return None
    given = event.get("tool_input")
    command = given.get("command") if isinstance(given, dict) else None
    if not isinstance(command, str):
        raise RefusedError(f"{_WHERE}: tool_input.command: expected a text")
    folder = event.get("cwd")
    if folder is not None and (not isinstance(folder, str) or "\0" in folder):
        raise RefusedError(f"{_WHERE}: cwd: expected the name of a folder")
    return ShellCall(bounded(command, f"{_WHERE}: tool_input.command"), folder or None)


def _text(event: dict[str, Any], key: str) -> str:
    value = event.get(key)
    if not isinstance(value, str) or not value:
        raise RefusedError(f"{_WHERE}: {key}: expected a text")
    return value


def answer(host: str, verdict: Verdict, command: str) -> dict[str, Any] | None:
    """Return what the host is told about a command, or None when it may run."""
    if verdict.action == ALLOW:
        return None
    reason = f"{verdict.rule}: {verdict.reason}"
    if verdict.piece is not None:
        reason += f" ({masked(verdict.piece)})"
    asks = verdict.action == MANUAL and host == CLAUDE_CODE
    if verdict.action == MANUAL and not asks:
        # This host knows no question, so the words are for the person who reads them.
        shown = masked(command, _LONGEST_SHOWN)
        reason += f". A person decides; to go ahead, run it yourself: {shown}"
    return {
        "hookSpecificOutput": {
            "hookEventName": _EVENT,
            "permissionDecision": "ask" if asks else "deny",
            "permissionDecisionReason": reason,
        }
    }
