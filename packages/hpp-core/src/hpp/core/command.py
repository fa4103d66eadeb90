"""The command protocol: what a distribution registers under ``hpp.commands``.

A command is a name, a one-line summary, a function that declares arguments and a
function that runs. A command with subcommands has those in place of the functions.
Anything heavier than this is imported inside `run`.
"""

from __future__ import annotations

import sys

from hpp.core.arguments import Arguments, Values
from hpp.core.errors import HppError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["Command", "Invocation", "run_program", "say"]

OK, WARN, BLOCK, ERROR = 0, 1, 2, 3


class Command:
    """One command, or a group of subcommands.

    Args:
        name: The word a person types.
        summary: One line, no final full stop.
        arguments: Declares what the command accepts.
        run: Takes the values, writes the result, returns the exit status.
        subcommands: In place of `arguments` and `run`.

    """

    def __init__(
        self,
        name: str,
        summary: str,
        *,
        arguments: Callable[[Arguments], None] | None = None,
        run: Callable[[Values], int] | None = None,
        subcommands: Sequence[Command] = (),
    ) -> None:
        self.name = name
        self.summary = summary
        self._declare = arguments
        self._run = run
        self.subcommands = {command.name: command for command in subcommands}

    def arguments(self) -> Arguments:
        """Return the declaration of what this command accepts."""
        declared = Arguments()
        if self._declare is not None:
            self._declare(declared)
        return declared

    def invoke(self, words: Sequence[str], program: str, call: Invocation) -> int:
        """Run with the words that follow the command's name.

        Raises:
            HppError: The expected failures, each with its exit status.

        """
        if self.subcommands:
            return self._dispatch(words, program, call)
        declared = self.arguments()
        words = call.take_traceback(words, declared)
        if _asks_for_help(words, declared):
            self._show_help(program)
            return OK
        assert self._run is not None  # noqa: S101 -- a command has subcommands or this
        try:
            return self._run(declared.parse(words))
        except UsageError as error:
            error.usage = error.usage or declared.usage(program)
            raise

    def _dispatch(self, words: Sequence[str], program: str, call: Invocation) -> int:
        while words and words[0] == "--traceback":
            call.traceback = True
            words = words[1:]
        usage = f"usage: {program} {'|'.join(self.subcommands)} ..."
        if not words:
            raise UsageError(f"{self.name}: a subcommand is required", usage)
        if words[0] in ("--help", "-h"):
            self._show_help(program)
            return OK
        chosen = self.subcommands.get(words[0])
        if chosen is None:
            from hpp.core.suggestion import suggestion
            from hpp.core.text import shorten

            near = suggestion(words[0], self.subcommands)
            raise UsageError(f"{self.name}: unknown subcommand {shorten(words[0])}{near}", usage)
        return chosen.invoke(words[1:], f"{program} {chosen.name}", call)

    def _show_help(self, program: str) -> None:
        from hpp.core.help import command_help
        from hpp.core.output import write_text

        write_text(command_help(self, program))


class Invocation:
    """What one run of a program keeps apart from its command: only the wish for a traceback."""

    def __init__(self) -> None:
        self.traceback = False

    def take_traceback(self, words: Sequence[str], declared: Arguments) -> list[str]:
        """Return the words without a ``--traceback`` that stands where an option may stand."""
        kept: list[str] = []
        for word, is_value in _with_roles(words, declared):
            if word == "--traceback" and not is_value:
                self.traceback = True
            else:
                kept.append(word)
        return kept


def run_program(action: Callable[[Invocation], int], *, guard: str = "") -> int:
    """Run a program to its exit status; the one place where an error becomes one.

    Nothing but `HppError` is expected: whatever else arrives is a fault of ours and is
    told in one line with status 3. No traceback is shown unless it was asked for.

    Args:
        action: Does the work.
        guard: Name of a guard, or an empty text. Hosts stop at status 2 alone, so whatever
            keeps a guard from its answer ends in 2, and the line says so.

    """
    call = Invocation()
    status, message, usage = ERROR, "", ""
    try:
        status = action(call)
    except HppError as error:
        status, message, usage = error.exit_code, str(error), getattr(error, "usage", "")
        _show_traceback(call)
    except KeyboardInterrupt:
        message = "interrupted"
    except MemoryError:
        message = "out of memory"
    except Exception as error:  # noqa: BLE001 -- the boundary
        message = _unexpected(error)
        _show_traceback(call)
    if guard and status not in (OK, BLOCK):
        status = BLOCK
    if guard and (message or status):
        message = f"{guard} gave no answer, so the call is blocked: {message or usage}"
    if message or usage:
        say(message, usage)
    return status


def _unexpected(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        place = f"{error.filename}: " if isinstance(error.filename, str) else ""
        return f"{place}{error.strerror}"
    hint = "run it again with --traceback after the command name"
    return f"internal error: {type(error).__name__}: {error} ({hint})"


def _asks_for_help(words: Sequence[str], declared: Arguments) -> bool:
    return any(
        word in ("--help", "-h") and not is_value for word, is_value in _with_roles(words, declared)
    )


def _with_roles(words: Sequence[str], declared: Arguments) -> list[tuple[str, bool]]:
    """Pair each word with whether it is a value: an option's, or one that follows ``--``."""
    valued = {option.name for option in declared.options if option.kind != "flag"}
    roles: list[tuple[str, bool]] = []
    is_value = after_dashes = False
    for word in words:
        roles.append((word, is_value or after_dashes))
        if not is_value and word == "--":
            after_dashes = True
        is_value = not is_value and not after_dashes and word in valued
    return roles


def say(message: str, usage: str = "") -> None:
    """Write one line to standard error, free of control characters and of secrets."""
    from hpp.core.secretmark import may_hold_secret
    from hpp.core.text import printable

    stream = sys.stderr
    if stream is None:
        return
    if may_hold_secret(message):
        message = _without_secrets(message)
    line = f"hpp: {printable(message)}\n" if message else ""
    line += f"{usage}\n" if usage else ""
    try:
        stream.flush()
        stream.buffer.write(line.encode("utf-8", "backslashreplace"))
        stream.buffer.flush()
    except (OSError, ValueError, AttributeError):
        return


def _without_secrets(message: str) -> str:
    try:
        from hpp.core.secret import redact

        return redact(message)
    except Exception as error:  # noqa: BLE001 -- a fault here must not cost the status
        return f"a message that is not shown, as it may hold a secret ({type(error).__name__})"


def _show_traceback(call: Invocation) -> None:
    """Show the traceback of the error that is being handled, if it was asked for."""
    if call.traceback:
        import traceback

        traceback.print_exc()
