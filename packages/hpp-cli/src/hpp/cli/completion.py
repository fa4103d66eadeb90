"""``hpp completion``: a script that completes command lines, made from the parsers."""

from __future__ import annotations

from hpp.core.command import Command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hpp.core.arguments import Arguments, Values

__all__ = ["COMMAND", "SHELLS"]

SHELLS = ("bash", "zsh", "fish", "powershell")


def _arguments(declared: Arguments) -> None:
    shells = ", ".join(SHELLS)
    declared.positional("SHELL", help=f"one of {shells}", is_input=False)


def _run(values: Values) -> int:
    from hpp.cli.completionscript import script
    from hpp.cli.completiontree import tree
    from hpp.cli.registry import installed_commands
    from hpp.core.errors import UsageError
    from hpp.core.output import write_text
    from hpp.core.suggestion import suggestion
    from hpp.core.text import shorten

    if values.shell not in SHELLS:
        near = suggestion(values.shell, SHELLS)
        raise UsageError(f"unknown shell {shorten(values.shell)}{near}")
    write_text(script(values.shell, tree(installed_commands())))
    return 0


COMMAND = Command(
    "completion",
    "print a script that completes command lines in a shell",
    arguments=_arguments,
    run=_run,
)
