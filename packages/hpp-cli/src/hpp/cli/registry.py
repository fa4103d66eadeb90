"""Where the commands are: a table of our own, then what installed distributions offer.

`importlib.metadata` is the authority and costs four to six interpreter starts. A
command of a family is therefore first looked for in the ``entry_points.txt`` of
installed distributions whose name begins with ``hpp``.
"""

from __future__ import annotations

import os
import sys

from hpp.core.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from hpp.core.command import Command

__all__ = ["COMMANDS", "find_command", "installed_commands"]

GROUP = "hpp.commands"

# Name, module that holds COMMAND. The summary is the command's own.
COMMANDS = {
    "benchmark": "hpp.cli.benchmark",
    "completion": "hpp.cli.completion",
    "context": "hpp.cli.context",
    "doctor": "hpp.cli.doctor",
    "eval": "hpp.cli.eval",
    "event": "hpp.cli.event",
    "gate": "hpp.cli.gate",
    "graph": "hpp.cli.graph",
    "map": "hpp.cli.map",
    "policy": "hpp.cli.policy",
    "resume": "hpp.cli.resume",
    "schema": "hpp.cli.schema",
    "status": "hpp.cli.status",
    "tour": "hpp.cli.tour",
    "work": "hpp.cli.work",
}

# Which distribution a command comes with; it only decides what the advice says.
KNOWN_FAMILIES = {
    "attest": "hpp-evidence",
    "cite": "hpp-retrieval",
    "decide": "hpp-decide",
    "deliberate": "hpp-decide",
    "evidence": "hpp-evidence",
    "findings": "hpp-decide",
    "forge": "hpp-installer",
    "init": "hpp-installer",
    "install": "hpp-installer",
    "kit": "hpp-installer",
    "retrieval": "hpp-retrieval",
    "route": "hpp-decide",
}


def find_command(name: str) -> Command:
    """Return the command `name`.

    Raises:
        UsageError: No installed distribution offers it; the message says what to do.

    """
    module = COMMANDS.get(name)
    if module is not None:
        return _attribute(module, "COMMAND")
    for offered, value in _quick_entries():
        if offered == name:
            path, _, attribute = value.partition(":")
            return _attribute(path, attribute)
    from importlib.metadata import entry_points

    for point in entry_points(group=GROUP, name=name):
        found: Command = point.load()
        return found
    raise _unknown(name)


def installed_commands() -> list[Command]:
    """Return every command of every installed distribution, sorted by name."""
    from importlib.metadata import entry_points

    names = {*COMMANDS, *(point.name for point in entry_points(group=GROUP))}
    return [_listed(name) for name in sorted(names)]


def _listed(name: str) -> Command:
    """Return a command, or one that says why it is none: one broken family hides no other."""
    try:
        return find_command(name)
    except Exception as error:  # noqa: BLE001 -- whatever the code of another family raises
        from hpp.core.command import Command
        from hpp.core.text import shorten

        return Command(name, f"cannot be loaded: {type(error).__name__}: {shorten(str(error))}")


def _unknown(name: str) -> UsageError:
    from hpp.core.service import install_line
    from hpp.core.text import shorten

    distribution = KNOWN_FAMILIES.get(name)
    if distribution is not None:
        return UsageError(
            f"{name}: it comes with {distribution}, which is not installed; install it with: "
            f"{install_line(distribution)} (PATH: where `nox -s forge` wrote its tree)"
        )
    from hpp.core.suggestion import suggestion

    known = {*COMMANDS, *KNOWN_FAMILIES}
    return UsageError(
        f"unknown command {shorten(name)}{suggestion(name, known)}", "usage: hpp COMMAND ..."
    )


def _attribute(module: str, name: str) -> Command:
    """Return what an entry point names; `name` may be dotted."""
    __import__(module)
    found: Any = sys.modules[module]
    for part in name.split("."):
        found = getattr(found, part)
    command: Command = found
    return command


def _quick_entries() -> Iterator[tuple[str, str]]:
    for folder in sys.path:
        try:
            names = os.listdir(folder or ".")
        except OSError:
            continue
        for name in names:
            if name.startswith("hpp") and name.endswith(".dist-info"):
                yield from _group(os.path.join(folder, name, "entry_points.txt"))


def _group(path: str) -> Iterator[tuple[str, str]]:
    try:
        with open(path, encoding="utf-8") as stream:
            lines = stream.read().splitlines()
    except OSError:
        return
    inside = False
    for line in lines:
        if line.startswith("["):
            inside = line.strip() == f"[{GROUP}]"
        elif inside and "=" in line:
            name, _, value = line.partition("=")
            yield name.strip(), value.split("[", 1)[0].strip()
