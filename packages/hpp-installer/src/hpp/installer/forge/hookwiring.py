"""``hooks/hooks.json`` of a module: of a form that both hosts read, and all of it declared."""

from __future__ import annotations

import re

from hpp.core.hookfile import hook_file_faults, wirings
from hpp.core.hookscript import wired_scripts
from hpp.installer.formats.problem import block

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from hpp.core.manifest import Hook
    from hpp.installer.formats.problem import Problem

__all__ = ["CODEX_EVENTS", "EVENTS", "NAME", "hook_problems"]

NAME = "hooks/hooks.json"
LONGEST_TIMEOUT_S = 120
# Both lists were read from the hosts: the validator of Claude Code 2.1.332 knows the first,
# Codex CLI 0.171.0 fires the second and ignores every other name without a word.
EVENTS = frozenset(
    (
        "SessionStart", "Setup", "InstructionsLoaded", "UserPromptSubmit", "UserPromptExpansion",
        "PreToolUse", "PermissionRequest", "PostToolUse", "PostToolUseFailure", "PostToolBatch",
        "MessageDisplay", "SubagentStart", "SubagentStop", "Stop", "StopFailure", "PreCompact",
        "PostCompact", "SessionEnd", "Notification", "PermissionDenied", "TeammateIdle",
        "TaskCreated", "TaskCompleted", "Elicitation", "ElicitationResult", "ConfigChange",
        "WorktreeCreate", "WorktreeRemove", "CwdChanged", "FileChanged", "PreModelSwitch",
        "PostModelSwitch", "DirectoryAdded", "PreSkillShellCommand",
    )
)  # fmt: skip
CODEX_EVENTS = frozenset(
    (
        "SessionStart", "UserPromptSubmit", "PreModelRequest", "PostModelRequest", "PreToolUse",
        "PermissionRequest", "PostToolUse", "PreCompact", "PostCompact", "SubagentStart",
        "SubagentStop", "Stop", "SessionEnd", "Interrupt",
    )
)  # fmt: skip
_CLAMPS = ("observe", "warn", "block", "closed")
_ROOT = '"${CLAUDE_PLUGIN_ROOT}/'
_COMMAND = re.compile(
    r'bash "\$\{CLAUDE_PLUGIN_ROOT\}/hooks/pyrun\.sh" (?P<clamp>[a-z]+)'
    r' "\$\{CLAUDE_PLUGIN_ROOT\}/(?P<first>[\w./-]+)"(?P<rest>(?: [^"\s]+| "[^"]*")*)'
)


def hook_problems(
    document: dict[str, Any], files: Mapping[str, bytes], declared: Sequence[Hook]
) -> Iterator[Problem]:
    """Yield what keeps a hooks file from being read whole, or from being what is declared.

    Args:
        document: The parsed file.
        files: Every file of the module.
        declared: The module's hooks by the manifest.

    """
    faults = hook_file_faults(document)
    yield from (_invalid(fault) for fault in faults)
    if faults:
        return
    yield from map(_invalid, _form_faults(document))
    wired = {
        (script, event) for event, command in wirings(document) for script in wired_scripts(command)
    }
    wanted = {(hook.script, event) for hook in declared for event in hook.events}
    for script, event in sorted(wired - wanted):
        yield block(
            "hook-undeclared",
            NAME,
            f"{script} is wired for {event}",
            expected="a hook of the manifest with that script and event",
            next_step="declare it in hpp.manifest.json or remove it",
        )
    for script, event in sorted(wanted - wired):
        yield block(
            "hook-unwired",
            NAME,
            f"{script} is declared for {event} and not wired",
            expected="every declared hook wired for exactly its events",
            next_step="wire it or remove the declaration",
        )
    for script in sorted({script for script, _ in wired} - set(files)):
        yield _invalid(f"{script} is wired and not a file of the module")


def _form_faults(document: dict[str, Any]) -> Iterator[str]:
    for event, groups in document["hooks"].items():
        if event not in EVENTS:
            yield f"hooks.{event}: no host knows this event"
        for number, group in enumerate(groups):
            place = f"hooks.{event}[{number}]"
            try:
                re.compile(group.get("matcher", ""))
            except re.error as error:
                yield f"{place}.matcher: it is no regular expression: {error}"
            for place_of, entry in enumerate(group["hooks"]):
                yield from _entry_faults(entry, f"{place}.hooks[{place_of}]")


def _entry_faults(entry: dict[str, Any], place: str) -> Iterator[str]:
    timeout = entry.get("timeout")
    if type(timeout) is not int or not 0 < timeout <= LONGEST_TIMEOUT_S:
        yield f"{place}.timeout: expected whole seconds from 1 to {LONGEST_TIMEOUT_S}"
    matched = _COMMAND.fullmatch(entry["command"])
    if matched is None:
        yield (
            f'{place}.command: expected bash {_ROOT}hooks/pyrun.sh" CLAMP {_ROOT}SCRIPT" ...,'
            " every path below the plugin's root in double quotes"
        )
        return
    clamp = matched["clamp"]
    if clamp not in _CLAMPS:
        yield f"{place}.command: the clamp {clamp} is none of {', '.join(_CLAMPS)}"
    if not wired_scripts(entry["command"]):
        yield f"{place}.command: it names no script"
    failing = entry.get("onFailure")
    if (failing is not None) != (clamp == "closed"):
        yield f'{place}: "onFailure": "block" and the clamp closed come together or not at all'
    elif failing not in (None, "block"):
        yield f'{place}.onFailure: expected "block"'


def _invalid(told: str) -> Problem:
    return block(
        "hooks-file-invalid",
        NAME,
        told,
        expected="the form that both hosts read whole",
        next_step="correct the file",
    )
