"""What the two hosts send to a hook, and which answers they honour.

As seen with Claude Code 2.1.332 and Codex CLI 0.171.0. An answer that a host does not know
lets the call through without a word, so what is not listed here is a fault.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["CLAUDE", "CODEX", "EVENTS", "TOOL_EVENTS", "answer_fault", "can_block", "payloads"]

CLAUDE, CODEX = "claude-code", "codex"
_BOTH = (
    "PermissionRequest", "PostCompact", "PostToolUse", "PreCompact", "PreToolUse", "SessionEnd",
    "SessionStart", "Stop", "SubagentStart", "SubagentStop", "UserPromptSubmit",
)  # fmt: skip
_CLAUDE_ONLY = (
    "ConfigChange", "CwdChanged", "DirectoryAdded", "Elicitation", "ElicitationResult",
    "FileChanged", "InstructionsLoaded", "MessageDisplay", "Notification", "PermissionDenied",
    "PostModelSwitch", "PostToolBatch", "PostToolUseFailure", "PreModelSwitch",
    "PreSkillShellCommand", "Setup", "StopFailure", "TaskCompleted", "TaskCreated",
    "TeammateIdle", "UserPromptExpansion", "WorktreeCreate", "WorktreeRemove",
)  # fmt: skip
_CODEX_ONLY = ("Interrupt", "PostModelRequest", "PreModelRequest")
EVENTS = {CLAUDE: (*_BOTH, *_CLAUDE_ONLY), CODEX: (*_BOTH, *_CODEX_ONLY)}
TOOL_EVENTS = ("PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionRequest")

_BLOCKING = ("PreToolUse", "PermissionRequest", "PostToolUse", "UserPromptSubmit", "Stop",
             "SubagentStop", "PreCompact")  # fmt: skip
_PLAIN_TEXT = ("SessionStart", "UserPromptSubmit")
_DECIDING = ("PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop", "SubagentStop")
_FREE = ("systemMessage", "continue", "stopReason", "suppressOutput")
_SPECIFIC = {
    "PreToolUse": ("permissionDecision", "permissionDecisionReason", "updatedInput",
                   "additionalContext"),
    "PermissionRequest": ("decision",),
    "PostToolUse": ("additionalContext", "updatedToolOutput"),
    "PostToolUseFailure": ("additionalContext",),
    "UserPromptSubmit": ("additionalContext",),
    "SessionStart": ("additionalContext", "initialUserMessage"),
    "Stop": ("additionalContext",),
    "SubagentStart": ("additionalContext",),
    "SubagentStop": ("additionalContext",),
}  # fmt: skip
_NOT_ON_CODEX = {"updatedToolOutput", "initialUserMessage"}


def can_block(event: str, host: str) -> bool:
    """Say whether exit 2 of a hook means a block there, and no failure."""
    return event in _BLOCKING and not (host == CODEX and event == "PreCompact")


def payloads(event: str, host: str, folder: str) -> list[dict[str, Any]]:
    """Return events as the host sends them, one for each kind of tool call."""
    base: dict[str, Any] = {
        "session_id": "00000000-0000-4000-8000-000000000000",
        "transcript_path": f"{folder}/transcript.jsonl",
        "cwd": folder,
        "hook_event_name": event,
        "permission_mode": "default",
    }
    if host == CODEX:
        base.update(turn_id="turn-1", model="m")
    base.update(_FIELDS.get(event, {}))
    if event not in TOOL_EVENTS:
        return [base]
    return [{**base, "tool_use_id": "call-1", **call} for call in _calls(event, host, folder)]


_FIELDS: dict[str, dict[str, Any]] = {
    "SessionStart": {"source": "startup"},
    "SessionEnd": {"reason": "other"},
    "UserPromptSubmit": {"prompt": "tidy up"},
    "Stop": {"stop_hook_active": False, "last_assistant_message": "Done."},
    "SubagentStart": {"agent_id": "a1", "agent_type": "reviewer"},
    "SubagentStop": {"agent_id": "a1", "agent_type": "reviewer", "stop_hook_active": False},
    "PreCompact": {"trigger": "manual"},
    "PostCompact": {"trigger": "manual"},
    "Notification": {"message": "waiting"},
}


def _calls(event: str, host: str, folder: str) -> list[dict[str, Any]]:
    shell = {"tool_name": "Bash", "tool_input": {"command": "ls"}}
    edit: dict[str, Any] = {
        "tool_name": "Write",
        "tool_input": {"file_path": f"{folder}/a.txt", "content": "hello\n"},
    }
    if host == CODEX:
        patch = "*** Begin Patch\n*** Add File: a.txt\n+hello\n*** End Patch\n"
        edit = {"tool_name": "apply_patch", "tool_input": {"command": patch}}
    more: dict[str, Any] = {}
    if event == "PostToolUse":
        more = {"tool_response": "ok" if host == CODEX else {"stdout": "ok", "stderr": ""}}
    elif event == "PostToolUseFailure":
        more = {"error": "exit 1", "is_interrupt": False}
    return [{**shell, **more}, {**edit, **more}]


def answer_fault(event: str, host: str, answer: object) -> str:
    """Return why the host would not honour a JSON answer, or an empty text."""
    if not isinstance(answer, dict):
        return "the answer is no object"
    fault = _key_fault(event, host, answer)
    if fault or "hookSpecificOutput" not in answer:
        return fault
    specific = answer["hookSpecificOutput"]
    if not isinstance(specific, dict) or specific.get("hookEventName") != event:
        return f"hookSpecificOutput.hookEventName: want {event}"
    for key in specific:
        known = ("hookEventName", *_SPECIFIC.get(event, ()))
        if key not in known or (host == CODEX and key in _NOT_ON_CODEX):
            return f"hookSpecificOutput.{key}: the host knows no such key for {event}"
    return _permission_fault(host, specific) if event == "PreToolUse" else ""


def _key_fault(event: str, host: str, answer: dict[str, Any]) -> str:
    deciding = ("decision", "reason") if event in _DECIDING else ()
    for key in answer:
        if key not in (*_FREE, *deciding, "hookSpecificOutput"):
            return f"{key}: the host knows no such key for {event}"
    if "decision" in answer and (answer["decision"] != "block" or not answer.get("reason")):
        return "decision: want block, with a reason"
    if host == CODEX and event == "PreToolUse" and {"continue", "suppressOutput"} & set(answer):
        return "Codex takes continue and suppressOutput before a tool for a failure"
    return ""


def _permission_fault(host: str, specific: dict[str, Any]) -> str:
    given = specific.get("permissionDecision")
    if given is None:
        return ""
    known = ("allow", "deny") if host == CODEX else ("allow", "deny", "ask", "defer")
    if given not in known:
        return f"permissionDecision: want one of {', '.join(known)}"
    if given in ("deny", "ask") and not specific.get("permissionDecisionReason"):
        return f"permissionDecision: {given} without a reason"
    if host == CODEX and given == "allow" and "updatedInput" not in specific:
        return "permissionDecision: Codex takes a bare allow for a failure"
    return ""


def takes_plain_text(event: str) -> bool:
    """Say whether plain text on standard output reaches the model."""
    return event in _PLAIN_TEXT
