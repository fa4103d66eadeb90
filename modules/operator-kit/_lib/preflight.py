"""What has to be in place before work begins here, one check each."""

from __future__ import annotations

import os
import shutil
import sys

from hpp.core.errors import HppError
from hpp.core.portable.anchor import git_dir
from hpp.core.strictjson import SMALL_LIMIT, parse_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _lib.setting import Setting

__all__ = ["OK", "STOP", "WARN", "Check", "check_all"]

OK, WARN, STOP = "ok", "warn", "stop"
_LEAST = (3, 10)
_SETTINGS = (".claude/settings.json", ".claude/settings.local.json", ".codex/hooks.json")
_MARK, _MODULE = "operation_guard.py", "operator-kit"
Check = tuple[str, str, str]


def check_all(root: str) -> list[Check]:
    """Return name, result and detail of each check."""
    from _lib.setting import read_setting

    found = [_python(), _git(root), _state(root)]
    try:
        setting = read_setting(root)
    except HppError as error:
        return [*found, ("profile", STOP, str(error)), _hooks(root)]
    return [*found, _profile(setting), _keys(setting), _criteria(setting), _hooks(root)]


def _python() -> Check:
    version = ".".join(map(str, sys.version_info[:3]))
    return "python", OK if sys.version_info[:2] >= _LEAST else STOP, version


def _git(root: str) -> Check:
    try:
        is_there = git_dir(root) is not None
    except HppError as error:
        return "git", STOP, str(error)
    return "git", OK if is_there else STOP, "a working tree" if is_there else "no working tree"


def _state(root: str) -> Check:
    folder = os.path.join(root, ".claude")
    place = folder if os.path.lexists(folder) else root
    if not os.path.isdir(place):
        return "state", STOP, ".claude is no folder"
    is_open = os.access(place, os.W_OK | os.X_OK)
    return "state", OK if is_open else STOP, ".claude " + ("is writable" if is_open else "is not")


def _profile(setting: Setting) -> Check:
    from _lib.profilekey import faults

    wrong = faults(setting.values)
    if wrong:
        return "profile", STOP, "; ".join(wrong)
    return "profile", OK, "read" if setting.values else "none; defaults apply"


def _keys(setting: Setting) -> Check:
    from _lib.profilekey import unknown

    strange = unknown(setting.values)
    return "keys", WARN if strange else OK, f"unknown: {', '.join(strange)}" if strange else "known"


def _criteria(setting: Setting) -> Check:
    """Look up the program of every criterion: a gate that cannot start never opens."""
    try:
        types = setting.mapping("verification.done_criteria")
        commands = [
            (name, command)
            for name in types
            for command in setting.commands(f"verification.done_criteria.{name}")
        ]
    except HppError as error:
        return "criteria", STOP, str(error)
    missing = sorted(
        {f"{name}: {command.argv[0]}" for name, command in commands
         if not _resolves(command.argv[0], setting.root)}
    )  # fmt: skip
    if missing:
        return "criteria", STOP, f"no such program: {', '.join(missing)}"
    return "criteria", OK, f"{len(commands)} commands of {len(types)} types"


def _resolves(program: str, root: str) -> bool:
    has_folder = os.sep in program or "/" in program
    return shutil.which(os.path.join(root, program) if has_folder else program) is not None


def _hooks(root: str) -> Check:
    if os.environ.get("CLAUDE_PLUGIN_ROOT"):
        return "hooks", OK, "wired by the plugin"
    own = os.path.join(os.path.expanduser("~"), *_SETTINGS[0].split("/"))
    places = [(name, os.path.join(root, *name.split("/"))) for name in _SETTINGS]
    for name, path in [*places, ("the user's settings", own)]:
        try:
            with open(path, "rb") as file:
                data = file.read(SMALL_LIMIT)
        except OSError:
            continue
        try:
            document = parse_bytes(data, name, root=dict)
        except HppError as error:
            return "hooks", WARN, str(error)
        if _MARK in str(document.get("hooks")):
            return "hooks", OK, f"wired in {name}"
        plugins = document.get("enabledPlugins")
        if isinstance(plugins, dict) and any(
            key.partition("@")[0] == _MODULE and value is True for key, value in plugins.items()
        ):
            return "hooks", OK, f"the plugin is enabled in {name}"
    return "hooks", WARN, "not wired here: nothing guards by itself; AGENTS.md names the commands"
