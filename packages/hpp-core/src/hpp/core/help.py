"""Help texts, made from the same declaration that reads the command line."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hpp.core.arguments import Arguments
    from hpp.core.command import Command

__all__ = ["command_help", "rows"]

_UNIVERSAL = [
    ("--help", "show this text"),
    ("--traceback", "on an error, show where in the code it arose"),
]


def command_help(command: Command, program: str) -> str:
    """Return the help of a command or of a group, ending in a line break."""
    if command.subcommands:
        listed = [(name, sub.summary) for name, sub in command.subcommands.items()]
        head = f"usage: {program} SUBCOMMAND ...\n\n{command.summary}\n\nsubcommands:\n"
        return head + rows(listed)
    declared = command.arguments()
    return f"{declared.usage(program)}\n\n{command.summary}\n\n{_arguments(declared)}"


def rows(pairs: list[tuple[str, str]]) -> str:
    """Return two aligned columns, one pair a line."""
    width = max((len(left) for left, _ in pairs), default=0) + 2
    return "".join(f"  {left:<{width}}{right}".rstrip() + "\n" for left, right in pairs)


def _arguments(declared: Arguments) -> str:
    pairs = [(positional.metavar, positional.help) for positional in declared.positionals]
    for option in declared.options:
        left = option.name if option.kind == "flag" else f"{option.name} {option.shown_value()}"
        notes = [option.help]
        if option.required:
            notes.append("(required)")
        elif option.default not in (None, False):
            notes.append(f"(default {option.default})")
        if option.repeat:
            notes.append("(repeatable)")
        pairs.append((left, " ".join(notes)))
    if declared.rest is not None:
        pairs.append((f"-- {declared.rest}", declared.rest_help))
    return rows(pairs + _UNIVERSAL)
