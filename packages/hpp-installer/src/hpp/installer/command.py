"""The program ``hpp-installer``: each command keeps its word, as under ``hpp``."""

from __future__ import annotations

from hpp.core.family import run_family

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hpp.core.command import Command

__all__ = ["COMMANDS", "main"]

COMMANDS: list[Command] = []


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program ``hpp-installer`` and return its exit status."""
    return run_family("hpp-installer", COMMANDS, argv)
