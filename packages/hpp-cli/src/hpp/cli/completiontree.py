"""What there is to complete: every command, option and choice, as the parsers declare them."""

from __future__ import annotations

from dataclasses import dataclass, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from hpp.core.command import Command

__all__ = ["PROGRAMS", "Node", "is_plain", "tree"]

PROGRAMS = ("hpp", "hpp-cli")
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._")
_ROOT = [
    ("--version", "print the version of hpp-cli"),
    ("--self-test", "check that every mechanism tells good from bad"),
    ("--help", "show this text"),
]
_EVERYWHERE = [
    ("--help", "show this text"),
    ("--traceback", "on an error, show where in the code it arose"),
]


@dataclass(frozen=True)
class Node:
    """What may follow the words of one command.

    Attributes:
        path: The words after the program's name, joined by blanks; empty for the program.
        subcommands: Names with their summaries.
        options: Names with their help.
        valued: Options that are followed by a value.
        choices: The closed lists of such values.

    """

    path: str
    subcommands: list[tuple[str, str]] = field(default_factory=list)
    options: list[tuple[str, str]] = field(default_factory=list)
    valued: list[str] = field(default_factory=list)
    choices: dict[str, tuple[str, ...]] = field(default_factory=dict)


def is_plain(word: str) -> bool:
    """Say whether a word needs no quoting in any shell; others are not offered."""
    return bool(word) and _PLAIN.issuperset(word)


def tree(commands: Iterable[Command]) -> list[Node]:
    """Return the nodes of all commands, each group before what belongs to it."""
    listed = [command for command in commands if is_plain(command.name)]
    nodes = [Node("", [(each.name, _line(each.summary)) for each in listed], list(_ROOT))]
    for command in listed:
        nodes += _nodes(command, command.name)
    return nodes


def _nodes(command: Command, path: str) -> list[Node]:
    if command.subcommands:
        inner = [each for each in command.subcommands.values() if is_plain(each.name)]
        found = [Node(path, [(each.name, _line(each.summary)) for each in inner], _EVERYWHERE[:1])]
        for each in inner:
            found += _nodes(each, f"{path} {each.name}")
        return found
    options = command.arguments().options
    declared = [each for each in options if all(map(is_plain, [each.name, *each.choices]))]
    return [
        Node(
            path,
            options=[(each.name, _line(each.help)) for each in declared] + _EVERYWHERE,
            valued=[each.name for each in declared if each.kind != "flag"],
            choices={
                each.name: tuple(filter(is_plain, each.choices))
                for each in declared
                if each.choices
            },
        )
    ]


def _line(text: str) -> str:
    """Return a text as one line of printable characters, never an empty one."""
    return "".join(each if each.isprintable() else " " for each in text).strip() or "-"
