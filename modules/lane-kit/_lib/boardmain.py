"""The board as a command: one call from its words to its status."""

from __future__ import annotations

from _lib.boardline import board_parser

from hpp.core.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence

__all__ = ["NAME", "main"]

NAME = "lane_board"


def main(words: Sequence[str] | None = None, self_test: Callable[[], int] | None = None) -> int:
    """Answer one command line and return its status."""
    from hpp.core.portable.scriptcli import run_script

    return run_script(board_parser(), _run, words, self_test)


def _run(args: argparse.Namespace) -> int:
    from _lib.boardread import READERS, refuse_select
    from _lib.workplace import open_workplace

    if args.verb == "select":
        fault = refuse_select(args)
        if fault:
            raise UsageError(fault)
    work = open_workplace(args, NAME)
    if args.verb in READERS:
        return READERS[args.verb](work, args)
    from _lib.boardwrite import WRITERS

    return WRITERS[args.verb](work, args)
