"""The second stage: whether the module is whole and the machine can take it."""

from __future__ import annotations

import os
from dataclasses import replace

from hpp.installer.formats.installmanifest import python_fits
from hpp.installer.formats.problem import BLOCK, Problem, block, warn
from hpp.installer.kit.facts import find_bash

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from hpp.installer.kit.facts import Facts
    from hpp.installer.kit.layout import Layout
    from hpp.installer.kit.source import Source
    from hpp.installer.kit.target import Target

__all__ = ["channel_of", "integrity", "machine_problems", "room_problems"]

LONGEST_WINDOWS_PATH = 240
_COVERAGE = {"plugin": "native", "copy": "explicit-command"}


def integrity(source: Source) -> list[Problem]:
    """Return what is wrong with a module, in the strict form: a file more stops it too."""
    found = []
    for problem in source.problems:
        if problem.code == "unlisted-file":
            found.append(replace(problem, severity=BLOCK))
        else:
            found.append(problem)
    return found


def channel_of(source: Source, host: str, wanted: str) -> tuple[str, list[Problem]]:
    """Return the channel of a host, ``auto`` resolved, or why the module has none there."""
    hosts = (source.manifest or {}).get("hosts", {})
    offered = hosts.get(host, {}).get("channel", "unsupported")
    if offered == "unsupported":
        told = f"{source.id} does not support it"
        return "", [_unsupported(host, told, ", ".join(sorted(_supported(hosts))) or "none")]
    if wanted == "plugin" and offered != "plugin":
        told = f"{source.id} has no plugin channel there"
        return "", [_unsupported(host, told, f"--channel {offered}")]
    return (offered if wanted == "auto" else wanted), []


def _supported(hosts: dict[str, dict[str, str]]) -> set[str]:
    return {host for host, entry in hosts.items() if entry.get("channel") != "unsupported"}


def _unsupported(host: str, told: str, expected: str) -> Problem:
    step = "choose a host and a channel that the module supports"
    return block("host-unsupported", host, told, expected=expected, next_step=step)


def machine_problems(source: Source, facts: Facts) -> list[Problem]:
    """Return what the machine lacks of what the module requires."""
    requires = (source.manifest or {}).get("requires", {})
    found = []
    wanted = requires.get("python", "")
    if not python_fits(wanted, facts.python):
        have = ".".join(map(str, facts.python))
        step = "run the installer with another Python"
        found.append(block("python-too-old", "python", have, expected=wanted, next_step=step))
    for key, told in (("commands", block), ("optional_commands", warn)):
        for name in requires.get(key, []):
            if not _is_there(name, facts):
                step = f"install {name}"
                wanted = f"{name} on PATH"
                found.append(
                    told("command-missing", name, "not found", expected=wanted, next_step=step)
                )
    return found


def _is_there(name: str, facts: Facts) -> bool:
    if name == "bash":
        return find_bash(facts.system, facts.which, facts.is_file) is not None
    return facts.which(name) is not None


def room_problems(
    target: Target, layout: Layout, facts: Facts, places: Iterable[str], size_bytes: int
) -> list[Problem]:
    """Return why a target cannot take files at places of it."""
    found: list[Problem] = []
    folders = {layout.runtime_root}
    for place in places:
        folders.add(place.rpartition("/")[0])
        length = len(target.root) + 1 + len(place)
        if facts.system == "nt" and length > LONGEST_WINDOWS_PATH:
            step = "install into a folder nearer to the drive's root"
            most = f"at most {LONGEST_WINDOWS_PATH} characters"
            told = f"{length} characters"
            found.append(block("path-too-long", place, told, expected=most, next_step=step))
    existing = {_nearest(target, folder) for folder in folders}
    for folder in sorted(existing):
        if not facts.can_write(target.at(folder) if folder else target.root):
            step = "give yourself leave to write there"
            path = folder or target.shown
            told = "it takes no new file"
            wanted = "a folder that does"
            found.append(block("not-writable", path, told, expected=wanted, next_step=step))
    free = facts.free_space(target.root)
    if free < 2 * size_bytes:
        told = f"{free} bytes are free"
        wanted = f"{2 * size_bytes} bytes"
        found.append(block("no-space", target.shown, told, expected=wanted, next_step="make room"))
    return found


def _nearest(target: Target, folder: str) -> str:
    """Return the nearest folder that is there, an empty text for the target itself."""
    while folder and not os.path.isdir(target.at(folder)):
        folder = folder.rpartition("/")[0]
    return folder


def is_blocked(problems: Iterable[Problem]) -> bool:
    """Say whether any problem stops what was asked for."""
    return any(problem.severity == BLOCK for problem in problems)
