"""What a person pastes to turn a copy's hooks on, rendered from ``hooks/hooks.json``."""

from __future__ import annotations

import json

from hpp.installer.forge.hookwiring import CODEX_EVENTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["CLAUDE_NAME", "CODEX_NAME", "claude_block", "codex_block"]

CLAUDE_NAME = "install/wiring.settings.jsonc"
CODEX_NAME = "install/codex-hooks.json"
_ROOT = "${CLAUDE_PLUGIN_ROOT}"


def claude_block(identity: str, document: dict[str, Any]) -> bytes:
    """Return the block for the settings of Claude Code, for a copy of the module."""
    place = f"${{CLAUDE_PROJECT_DIR}}/.claude/hpp/{identity}"
    wired = {
        event: [_moved(group, place) for group in groups]
        for event, groups in document["hooks"].items()
    }
    head = (
        f"// Hooks of {identity} for a verified copy in .claude/hpp/{identity}.\n"
        "// Add each entry to the list of the same event in .claude/settings.json; keep what is\n"
        "// there. No tool reads or writes this for you. Undo: remove the entries again.\n"
    )
    return head.encode() + _json({"hooks": wired})


def codex_block(identity: str, document: dict[str, Any]) -> bytes:
    """Return the block for ``.codex/hooks.json``; ``<target>`` stands for the project's folder.

    Events that Codex lacks and keys that it does not read are left out.
    """
    place = f"<target>/.agents/hpp/{identity}"
    wired = {
        event: [_without_failure(_moved(group, place)) for group in groups]
        for event, groups in document["hooks"].items()
        if event in CODEX_EVENTS
    }
    told = document.get("description", f"Hooks of {identity}.")
    return _json({"description": told, "hooks": wired})


def _moved(group: dict[str, Any], place: str) -> dict[str, Any]:
    entries = [
        {**entry, "command": entry["command"].replace(_ROOT, place)} for entry in group["hooks"]
    ]
    return {**group, "hooks": entries}


def _without_failure(group: dict[str, Any]) -> dict[str, Any]:
    entries = [
        {key: value for key, value in entry.items() if key != "onFailure"}
        for entry in group["hooks"]
    ]
    return {**group, "hooks": entries}


def _json(document: dict[str, Any]) -> bytes:
    return (json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode()
