"""``hooks/hooks.json``: the shape that both hosts read, and the scripts that it wires."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

__all__ = ["shape_fault", "wired_scripts", "wirings"]

_ROOT_KEYS = {"description", "hooks"}
_GROUP_KEYS = {"matcher", "hooks"}
_ENTRY_KEYS = {"type", "command", "timeout", "onFailure"}
_ENDINGS = (".py", ".sh", ".js", ".mjs", ".cjs", ".ts", ".ps1")
_LAUNCHERS = {"hooks/pyrun.sh", "hooks/run.py"}
_INTERPRETERS = re.compile(
    r"(?:.*/)?(?:python[\d.]*|py|node|deno|bun|bash|sh|zsh|dash|ksh|env|pwsh|powershell|uv|run|exec)"
    r"(?:\.exe)?"
)
_ROOT_TOKEN = re.compile(r"\$\{?CLAUDE_PLUGIN_ROOT\}?/")
_PIECE = re.compile(r"[^\s\"']+|\"[^\"]*\"|'[^']*'")


def shape_fault(document: object) -> str | None:
    """Return the first thing for which one of the hosts would drop the file, or None."""
    if not isinstance(document, dict):
        return "expected an object"
    for key in document:
        if key not in _ROOT_KEYS:
            return f"{key}: no such key in a hooks file"
    if "description" in document and not isinstance(document["description"], str):
        return "description: expected a text"
    if not isinstance(document.get("hooks"), dict):
        return "hooks: expected an object"
    for event, groups in document["hooks"].items():
        fault = _groups_fault(groups)
        if fault:
            return f"hooks.{event}{fault}"
    return None


def wirings(document: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield every ``(event, command)`` of a hooks file of sound shape."""
    for event, groups in document["hooks"].items():
        for group in groups:
            for entry in group["hooks"]:
                yield event, entry["command"]


def wired_scripts(command: str) -> list[str]:
    """Return the scripts that a wired command runs, relative to the plugin.

    A script is a path-like word with a script's ending, or any word below the plugin's
    root. Launchers and interpreters are not; a command without a script is an inline
    program, which nothing can declare.
    """
    scripts: list[str] = []
    for word in _words(command):
        plain = word.replace("\\", "/")
        below_root = _ROOT_TOKEN.search(plain)
        path = plain[below_root.end() :] if below_root else plain.removeprefix("./")
        is_script = path.lower().endswith(_ENDINGS) and "://" not in path
        if not (below_root or is_script) or path in _LAUNCHERS:
            continue
        if not below_root and _INTERPRETERS.fullmatch(path):
            continue
        if path and path not in scripts:
            scripts.append(path)
    return scripts


def _words(command: str) -> list[str]:
    """Return the words of a command without quotes; neighbours without a blank are one."""
    words: list[str] = []
    end = -1
    for found in _PIECE.finditer(command):
        piece = found[0].strip("\"'") if found[0][0] in "\"'" else found[0]
        for number, part in enumerate(re.split(r"[;&|()<>]+", piece)):
            if number == 0 and found.start() == end and words:
                words[-1] += part
            else:
                words.append(part)
        end = found.end()
    return [word for word in words if word]


def _groups_fault(groups: object) -> str | None:
    if not isinstance(groups, list):
        return ": expected a list"
    for number, group in enumerate(groups):
        fault = _group_fault(group)
        if fault:
            return f"[{number}]{fault}"
    return None


def _group_fault(group: object) -> str | None:
    if not isinstance(group, dict):
        return ": expected an object"
    for key in group:
        if key not in _GROUP_KEYS:
            return f".{key}: no such key"
    if "matcher" in group and not isinstance(group["matcher"], str):
        return ".matcher: expected a text"
    if not isinstance(group.get("hooks"), list):
        return ".hooks: expected a list"
    faults = [f".hooks[{n}]{f}" for n, e in enumerate(group["hooks"]) if (f := _entry_fault(e))]
    return faults[0] if faults else None


def _entry_fault(entry: object) -> str | None:
    if not isinstance(entry, dict):
        return ": expected an object"
    timeout = entry.get("timeout", 1)
    command = entry.get("command")
    unknown = [key for key in entry if key not in _ENTRY_KEYS]
    rules = [
        (
            not unknown,
            f".{''.join(unknown[:1])}: one of the hosts would drop the file for this key",
        ),
        (entry.get("type") == "command", '.type: expected "command"'),
        (isinstance(command, str) and command.strip(), ".command: expected a non-blank text"),
        (type(timeout) is int and timeout > 0, ".timeout: expected whole seconds above 0"),
        (isinstance(entry.get("onFailure", ""), str), ".onFailure: expected a text"),
    ]
    return next((fault for holds, fault in rules if not holds), None)
