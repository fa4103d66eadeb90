"""The fifth stage: what a person pastes. Nothing here writes, ever."""

from __future__ import annotations

import os

from hpp.core.errors import RefusedError
from hpp.core.hookfile import hook_file_faults, wirings
from hpp.core.hookscript import wired_scripts
from hpp.core.output import pretty_json
from hpp.core.strictjson import JsonRefusedError, parse_bytes
from hpp.core.text import printable
from hpp.installer.formats.problem import Problem, warn
from hpp.installer.kit.productmanifest import CATALOGUE
from hpp.installer.kit.productmanifest import NAME as MANIFEST

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from hpp.installer.kit.layout import Layout
    from hpp.installer.kit.source import Source
    from hpp.installer.kit.target import Target

__all__ = ["commands_of", "settings_files", "suggest"]

_HOOKS = "hooks/hooks.json"
_TARGET = "<target>"
_SETTINGS = ".claude/settings.local.json"
_CODEX_HOOKS = ".codex/hooks.json"
_CLAMPS = ("block", "observe")


def suggest(
    source: Source,
    target: Target,
    layout: Layout,
    channel: str,
    beside: Mapping[str, dict[str, Any] | None],
) -> tuple[dict[str, Any], list[Problem]]:
    """Return the hook table and the lines to paste, and what is wired already.

    Args:
        source: The module.
        target: Where it goes.
        layout: The host's folders in it.
        channel: ``plugin`` or ``copy``.
        beside: The distribution's manifest, which knows capabilities and exit policies, and
            its catalogue, by their names; None for one that is not there.

    """
    hooks = hook_table(source, beside.get(MANIFEST))
    unregistered = layout.unregistered if channel == "copy" else ()
    detail: dict[str, Any] = {
        "host": layout.host,
        "channel": channel,
        "hooks": hooks,
        "unregistered": [kind for kind in unregistered if _has(source, kind)],
        "writes": 0,
        "optional": layout.host == "codex",
        "settings_path": _CODEX_HOOKS if layout.host == "codex" else _SETTINGS,
        "block": None,
        "lines": [],
    }
    if layout.host == "codex":
        _codex(detail, source, target)
    elif channel == "plugin":
        detail["lines"] = _plugin_lines(source, beside.get(CATALOGUE) or {})
    else:
        path = _wiring(source, layout.host)
        detail["lines"] = source.text(path).splitlines() if path else []
    return detail, _already_wired(source, target, layout, hooks)


def _has(source: Source, kind: str) -> bool:
    return any(path.startswith(f"{kind}/") for path in source.listed)


def _wiring(source: Source, host: str) -> str | None:
    path: str | None = (source.manifest or {}).get("wiring", {}).get(host)
    return path


def hook_table(source: Source, manifest: dict[str, Any] | None) -> list[dict[str, Any]]:
    """Return a row per hook: events, exit policy, capability groups.

    From the distribution's manifest where there is one; a bare module tells its scripts,
    events and clamps, and its capabilities are then not known.
    """
    declared = manifest.get("hooks") if manifest else None
    if isinstance(declared, list):
        keys = ("id", "script", "events", "exit_policy", "capabilities")
        return [
            {key: hook.get(key) for key in keys}
            for hook in declared
            if isinstance(hook, dict) and hook.get("module") == source.id
        ]
    rows: dict[str, dict[str, Any]] = {}
    for event, command in _wired(source):
        policy = next((clamp for clamp in _CLAMPS if f" {clamp} " in command), None)
        for script in wired_scripts(command):
            identity = os.path.splitext(script.rpartition("/")[2])[0].replace("_", "-")
            row = rows.setdefault(
                script,
                {
                    "id": f"{source.id}/{identity}",
                    "script": script,
                    "events": [],
                    "exit_policy": policy,
                    "capabilities": None,
                },
            )
            if event not in row["events"]:
                row["events"].append(event)
    return [rows[script] for script in sorted(rows)]


def _wired(source: Source) -> Iterator[tuple[str, str]]:
    if _HOOKS not in source.listed:
        return
    try:
        document: dict[str, Any] = parse_bytes(source.files[_HOOKS], _HOOKS, root=dict)
    except JsonRefusedError:
        return
    if not hook_file_faults(document):
        yield from wirings(document)


def _plugin_lines(source: Source, catalogue: dict[str, Any]) -> list[str]:
    """Return what a person types; what no catalogue says stays a placeholder."""
    repository = catalogue.get("repository")
    named = repository.strip() if isinstance(repository, str) else ""
    if not named or named.startswith("-"):  # it would be read as an option, quoted or not
        named = "<owner>/<repository>"
    slug = named.removeprefix("https://github.com/").removesuffix(".git")
    name = catalogue.get("name")
    market = name if isinstance(name, str) else "<marketplace>"
    return [
        f"/plugin marketplace add {printable(slug)}",
        f"/plugin install {source.id}@{printable(market)}",
    ]


def _codex(detail: dict[str, Any], source: Source, target: Target) -> None:
    path = _wiring(source, "codex")
    if path is None:
        return
    document = parse_bytes(source.files[path], path, root=dict)
    typed = target.shown.replace("\\", "/").rstrip("/") or "/"
    block = _filled(document, _quoted(typed))
    detail["block"] = block
    detail["lines"] = [
        f"# optional: merge this into {_CODEX_HOOKS}, start the client there and trust the hooks",
        *pretty_json(block).decode("utf-8").splitlines(),
    ]
    if not os.path.isabs(target.shown):
        detail["lines"].insert(
            1, "# the target was typed as a relative path; write it as an absolute one"
        )


def _quoted(typed: str) -> str:
    """Return a path as it stands between double quotes of a shell."""
    return "".join(f"\\{char}" if char in '"$`' else char for char in typed)


def _filled(value: Any, typed: str) -> Any:  # noqa: ANN401 -- any JSON
    if isinstance(value, str):
        return value.replace(_TARGET, typed)
    if isinstance(value, list):
        return [_filled(item, typed) for item in value]
    if isinstance(value, dict):
        return {key: _filled(item, typed) for key, item in value.items()}
    return value


def settings_files(target: Target, layout: Layout) -> Iterator[tuple[str, bytes]]:
    """Yield the settings files of a host that are there, with their bytes."""
    for path in layout.settings:
        try:
            data = target.read(path)
        except RefusedError:
            continue
        if data is not None:
            yield path, data


def commands_of(data: bytes, path: str) -> list[str] | None:
    """Return every command that a settings file runs, or None when it cannot be read."""
    if not path.endswith(".json"):
        return None
    try:
        document = parse_bytes(data, path, root=dict)
    except JsonRefusedError:
        return None
    found: list[str] = []
    _collect({key: document.get(key) for key in ("hooks", "statusLine")}, found)
    return found


def _collect(value: object, found: list[str]) -> None:
    if isinstance(value, dict):
        command = value.get("command")
        if isinstance(command, str):
            found.append(command)
        for inner in value.values():
            _collect(inner, found)
    elif isinstance(value, list):
        for inner in value:
            _collect(inner, found)


def _already_wired(
    source: Source, target: Target, layout: Layout, hooks: list[dict[str, Any]]
) -> list[Problem]:
    names = {str(hook["script"]).rpartition("/")[2] for hook in hooks}
    own = f"{layout.runtime(source.id)}/"
    problems = []
    for path, data in settings_files(target, layout):
        for command in commands_of(data, path) or []:
            scripts = {script.rpartition("/")[2] for script in wired_scripts(command)}
            for script in sorted(scripts & names):
                if own not in command.replace("\\", "/"):
                    told = f"{script} is wired from another place already"
                    step = "keep one of the two, so that it does not run twice"
                    problems.append(
                        warn("already-wired", path, told, expected="one wiring", next_step=step)
                    )
    return problems
