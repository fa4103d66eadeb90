"""The parts of a plugin, each held to what both hosts read and neither complains about."""

from __future__ import annotations

import os
import re

from _lib.hostevent import CLAUDE, EVENTS

from hpp.core.errors import RefusedError
from hpp.core.hookfile import hook_file_faults, wirings
from hpp.core.hookscript import wired_scripts
from hpp.core.portable.minicfg import load_yaml
from hpp.core.strictjson import parse_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    Fault = tuple[str, str, str]  # code, path, what

__all__ = ["agent_faults", "hooks_faults", "manifest_faults", "settings_faults", "skill_faults"]

REQUIRED = ("name", "version", "description", "author", "license", "keywords")
LARGEST = 1024 * 1024
LONGEST_TIMEOUT_S = 120
HOOKS = "hooks/hooks.json"
MANIFEST = ".claude-plugin/plugin.json"
TOOLS = frozenset(
    {
        "Agent", "AskUserQuestion", "Bash", "BashOutput", "Edit", "EnterPlanMode", "ExitPlanMode",
        "Glob", "Grep", "KillShell", "LS", "ListMcpResourcesTool", "MultiEdit", "NotebookEdit",
        "NotebookRead", "Read", "ReadMcpResourceTool", "Skill", "SlashCommand", "Task",
        "TaskOutput", "TaskStop", "TodoRead", "TodoWrite", "WebFetch", "WebSearch", "Write",
    }
)  # fmt: skip
_SEMVER = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?")
_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_TOKEN = re.compile(r"\$\{?CLAUDE_PLUGIN_ROOT\}?")
_QUOTED = re.compile(r'"\$\{CLAUDE_PLUGIN_ROOT\}/[^"]*"')
_FRONT = re.compile(r"---[ \t]*\n(.*?)\n---[ \t]*(?:\n|\Z)", re.DOTALL)


def manifest_faults(root: str) -> Iterator[Fault]:
    """Yield what is wrong with the plugin's own manifest."""
    document, fault = _json(root, MANIFEST)
    if document is None:
        yield "plugin-manifest-missing", MANIFEST, fault
        return
    for key in REQUIRED:
        if key not in document:
            yield "plugin-manifest-missing", f"{MANIFEST}: {key}", "it is missing"
    name, version, author = (document.get(key) for key in ("name", "version", "author"))
    if "name" in document and not (isinstance(name, str) and _NAME.fullmatch(name)):
        yield "plugin-manifest-missing", f"{MANIFEST}: name", "want lower case and hyphens"
    if "version" in document and not (isinstance(version, str) and _SEMVER.fullmatch(version)):
        yield "version-mismatch", f"{MANIFEST}: version", "want MAJOR.MINOR.PATCH"
    if "author" in document and not (isinstance(author, dict) and author.get("name")):
        yield "plugin-manifest-missing", f"{MANIFEST}: author.name", "it is missing"
    if "hooks" in document:
        told = "the host reads hooks/hooks.json by itself; with this key every hook runs twice"
        yield "hooks-listed-twice", f"{MANIFEST}: hooks", told
    if "statusLine" in document:
        yield "hooks-file-invalid", f"{MANIFEST}: statusLine", "a plugin cannot carry one"


def settings_faults(root: str) -> Iterator[Fault]:
    """Yield each settings file of the plugin that sets a status line, which no host reads."""
    for name in sorted(os.listdir(root)):
        if name.startswith("settings") and name.endswith(".json"):
            document, fault = _json(root, name)
            if document is None:
                yield "settings-invalid", name, fault
            elif "statusLine" in document:
                yield "hooks-file-invalid", f"{name}: statusLine", "a plugin cannot carry one"


def hooks_faults(root: str) -> Iterator[Fault]:
    """Yield what is wrong with `hooks/hooks.json`, its events, commands and scripts."""
    if not os.path.lexists(os.path.join(root, HOOKS)):
        return
    document, fault = _json(root, HOOKS)
    if document is None:
        yield "hooks-file-invalid", HOOKS, fault
        return
    faults = hook_file_faults(document)
    yield from (("hooks-file-invalid", HOOKS, each) for each in faults)
    if faults:
        return
    for event, groups in document["hooks"].items():
        if event not in EVENTS[CLAUDE]:
            yield "hooks-file-invalid", f"{HOOKS}: {event}", "the host knows no such event"
        for number, group in enumerate(groups):
            where = f"{HOOKS}: hooks.{event}[{number}]"
            yield from _group_faults(group, where)
    for event, command in wirings(document):
        yield from _command_faults(root, command, f"{HOOKS}: {event}")


def _group_faults(group: dict[str, Any], where: str) -> Iterator[Fault]:
    try:
        re.compile(group.get("matcher", ""))
    except re.error as error:
        yield "hooks-file-invalid", f"{where}.matcher", f"it matches nothing: {error}"
    for entry in group["hooks"]:
        if not 1 <= entry.get("timeout", 0) <= LONGEST_TIMEOUT_S:
            yield "hooks-file-invalid", f"{where}.timeout", "want 1 to 120 seconds"
        if entry.get("onFailure", "block") != "block":
            yield "hooks-file-invalid", f"{where}.onFailure", "want block, or nothing"


def _command_faults(root: str, command: str, where: str) -> Iterator[Fault]:
    if _TOKEN.search(_QUOTED.sub("", command)):
        yield "hooks-file-invalid", where, 'want every path as "${CLAUDE_PLUGIN_ROOT}/..."'
    scripts = wired_scripts(command)
    if not scripts:
        yield "hooks-file-invalid", where, "the command runs no script of the plugin"
    anchored = [quoted[1:-1].split("}/", 1)[1] for quoted in _QUOTED.findall(command)]
    for script in scripts:
        if script not in anchored:
            yield "hooks-file-invalid", where, f"{script} is not anchored on the plugin's root"
    for path in anchored:
        if not os.path.isfile(os.path.join(root, path)) and path not in _LAUNCHERS:
            yield "hook-unwired", where, f"{path} does not exist"


# The build puts these two beside the hooks; the sources of a module do not hold them.
_LAUNCHERS = ("hooks/pyrun.sh", "hooks/run.py")


def skill_faults(root: str) -> Iterator[Fault]:
    """Yield each skill without the two lines by which a model is told of it."""
    folder = os.path.join(root, "skills")
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
        path = f"skills/{name}/SKILL.md"
        if not os.path.isdir(os.path.join(folder, name)):
            yield "component-missing", f"skills/{name}", "a skill is a folder with SKILL.md"
            continue
        front, fault = _front(root, path)
        if front is None:
            yield "component-missing", path, fault
            continue
        if front.get("name") != name:
            yield "component-missing", f"{path}: name", f"want {name}, as its folder"
        if not isinstance(front.get("description"), str) or not front["description"].strip():
            yield "component-missing", f"{path}: description", "it is missing"


def agent_faults(root: str) -> Iterator[Fault]:
    """Yield each agent that the host would load with less than it says."""
    folder = os.path.join(root, "agents")
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
        if not name.endswith(".md"):
            continue
        path = f"agents/{name}"
        front, fault = _front(root, path)
        if front is None:
            yield "component-missing", path, fault
            continue
        for key in ("name", "description", "tools"):
            if not front.get(key):
                yield "agent-tools-missing", f"{path}: {key}", "it is missing"
        for key in ("tools", "disallowedTools"):
            for tool in _tools(front.get(key)):
                if tool not in TOOLS and not tool.startswith("mcp__"):
                    told = f"{tool}: no such tool; the host says nothing"
                    yield "scope-mismatch", f"{path}: {key}", told


def _tools(given: object) -> list[str]:
    names = given if isinstance(given, list) else str(given or "").split(",")
    return [str(name).partition("(")[0].strip() for name in names if str(name).strip()]


def _json(root: str, name: str) -> tuple[dict[str, Any] | None, str]:
    data, fault = _bytes(root, name)
    if data is None:
        return None, fault
    try:
        return parse_bytes(data, name, root=dict), ""
    except RefusedError as error:
        return None, str(error).removeprefix(f"{name}: ")


def _front(root: str, name: str) -> tuple[dict[str, Any] | None, str]:
    data, fault = _bytes(root, name)
    if data is None:
        return None, fault
    found = _FRONT.match(data.decode("utf-8", "replace").replace("\r\n", "\n"))
    if found is None:
        return None, "no front matter"
    try:
        front = load_yaml(found[1] + "\n", name)
    except RefusedError as error:
        return None, str(error)
    return (front, "") if isinstance(front, dict) else (None, "the front matter is no mapping")


def _bytes(root: str, name: str) -> tuple[bytes | None, str]:
    try:
        with open(os.path.join(root, name), "rb") as stream:
            data = stream.read(LARGEST + 1)
    except OSError as error:
        return None, f"cannot be read: {error.strerror}"
    return (data, "") if len(data) <= LARGEST else (None, "larger than 1 MiB")
