"""The program of one distribution: ``hpp-evidence run`` is ``hpp evidence run``."""

from __future__ import annotations

import sys

from hpp.core.command import Invocation, run_program
from hpp.core.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hpp.core.command import Command

__all__ = ["run_family"]


def run_family(
    distribution: str, commands: Sequence[Command], argv: Sequence[str] | None = None
) -> int:
    """Run the console script of a distribution and return its exit status.

    The word that the distribution is named for may be left out; its other commands
    keep theirs, and the full form works too.

    Args:
        distribution: Its name, e.g. ``hpp-evidence``; also the program's name.
        commands: Its commands, the one it is named for first.
        argv: The words after the program's name; None means those of this process.

    """
    words = sys.argv[1:] if argv is None else list(argv)
    return run_program(lambda call: _run(distribution, commands, words, call))


def _run(
    distribution: str, commands: Sequence[Command], words: Sequence[str], call: Invocation
) -> int:
    from hpp.core.output import write_text

    home = commands[0]
    usage = f"usage: {distribution} {'|'.join(home.subcommands)} ..."
    if not words:
        raise UsageError("", usage)
    if words[0] in ("--help", "-h"):
        write_text(_help(distribution, commands))
        return 0
    if words[0] == "--version":
        from importlib.metadata import version

        write_text(version(distribution) + "\n")
        return 0
    for command in commands:
        if words[0] == command.name:
            return command.invoke(words[1:], f"{distribution} {command.name}", call)
    return home.invoke(words, distribution, call)


def _help(distribution: str, commands: Sequence[Command]) -> str:
    from hpp.core.help import rows

    home = commands[0]
    listed = [(name, sub.summary) for name, sub in home.subcommands.items()]
    for command in commands[1:]:
        listed += [
            (f"{command.name} {name}", sub.summary) for name, sub in command.subcommands.items()
        ] or [(command.name, command.summary)]
    return f"usage: {distribution} COMMAND ...\n\n{home.summary}\n\ncommands:\n{rows(listed)}"
