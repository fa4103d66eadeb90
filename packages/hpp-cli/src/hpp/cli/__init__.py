"""The program `hpp`: finds the one command that is asked for, and loads nothing else.

At module level only `sys` is imported, because ``hpp policy check`` runs before every
tool call of an agent.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main"]

# Commands that stand guard before a call of a tool: what fails there must block the call.
_GUARDS = ("policy hook",)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line of `hpp` and return its exit status.

    Args:
        argv: The words after the program's name; None means those of this process.

    """
    words = sys.argv[1:] if argv is None else list(argv)
    from hpp.core.command import run_program

    # Known by its words alone, so that a command that cannot even be loaded blocks as well.
    called = " ".join(word for word in words[:3] if word != "--traceback")
    guard = next((each for each in _GUARDS if f"{called} ".startswith(f"{each} ")), "")
    return run_program(lambda call: _run(words, call), guard=guard)


def _run(words: Sequence[str], call: object) -> int:
    if not words or words[0].startswith("-"):
        from hpp.cli.program import run_option

        return run_option(words)
    from hpp.cli.registry import find_command

    command = find_command(words[0])
    return command.invoke(words[1:], f"hpp {words[0]}", call)  # type: ignore[arg-type]
