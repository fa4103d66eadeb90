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

    When the first command is a group of the distribution's own word (``evidence`` of
    ``hpp-evidence``), that word may be left out. Every other command keeps its word, and
    the full form always works.

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
    while words and words[0] == "--traceback":
        call.traceback = True
        words = words[1:]
    home = _home(distribution, commands)
    usage = f"usage: {distribution} {'|'.join([*home, *_named(distribution, commands)])} ..."
    if not words:
        raise UsageError("", usage)
    first = words[0]
    if first in ("--help", "-h", "--version"):
        return _answer(distribution, commands, words, usage)
    for command in commands:
        if first == command.name:
            return command.invoke(words[1:], f"{distribution} {first}", call)
    if first in home:
        return home[first].invoke(words[1:], f"{distribution} {first}", call)

    from hpp.core.suggestion import suggestion
    from hpp.core.text import shorten

    kind = "option" if first.startswith("-") else "command"
    known = [*home, *(command.name for command in commands), "--help", "--version"]
    raise UsageError(f"unknown {kind} {shorten(first)}{suggestion(first, known)}", usage)


def _home(distribution: str, commands: Sequence[Command]) -> dict[str, Command]:
    """Return the subcommands whose group's word may be left out."""
    if not commands or distribution != f"hpp-{commands[0].name}":
        return {}
    return commands[0].subcommands


def _named(distribution: str, commands: Sequence[Command]) -> list[str]:
    """Return the words of the commands that keep theirs."""
    kept = commands[1:] if _home(distribution, commands) else commands
    return [command.name for command in kept]


def _answer(
    distribution: str, commands: Sequence[Command], words: Sequence[str], usage: str
) -> int:
    from hpp.core.output import write_text

    if len(words) > 1:
        raise UsageError(f"{words[0]} takes no argument", usage)
    if words[0] == "--version":
        from importlib.metadata import version

        write_text(version(distribution) + "\n")
    else:
        write_text(_help(distribution, commands))
    return 0


def _help(distribution: str, commands: Sequence[Command]) -> str:
    from hpp.core.help import rows

    home = _home(distribution, commands)
    listed = [(name, sub.summary) for name, sub in home.items()]
    for command in commands[1:] if home else commands:
        listed += [
            (f"{command.name} {name}", sub.summary) for name, sub in command.subcommands.items()
        ] or [(command.name, command.summary)]
    summary = f"{commands[0].summary}\n\n" if home else ""
    return f"usage: {distribution} COMMAND ...\n\n{summary}commands:\n{rows(listed)}"
