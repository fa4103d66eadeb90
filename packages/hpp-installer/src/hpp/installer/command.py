"""The program ``hpp-installer``: each command keeps its word, as under ``hpp``."""

from __future__ import annotations

from hpp.core.family import run_family
from hpp.installer.forge_command import FORGE
from hpp.installer.init_command import INIT
from hpp.installer.install_command import INSTALL
from hpp.installer.kit.command import KIT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hpp.core.command import Command

__all__ = ["COMMANDS", "main"]

COMMANDS: list[Command] = [FORGE, INIT, INSTALL, KIT]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program ``hpp-installer`` and return its exit status."""
    return run_family("hpp-installer", COMMANDS, argv)
