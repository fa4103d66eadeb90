"""``hpp resume``: the next step after an interruption, and what else is open."""

from __future__ import annotations

import os

from hpp.cli.view import manifest_argument, read_history
from hpp.core.command import Command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hpp.core.arguments import Values

__all__ = ["COMMAND"]


def _run(values: Values) -> int:
    from hpp.core.output import write_json

    history, loop = read_history(values, os.getcwd())
    current = history.replay.current()
    open_works = [
        {"work": work.name, "state": work.state, "next_step": loop.next_step(work.state)}
        for work in history.replay.open_works()
    ]
    write_json(
        {
            "state": current.state,
            "next_step": loop.next_step(current.state),
            "event_count": len(current.history),
            "work": current.name,
            "open": open_works,
        }
    )
    return 0


COMMAND = Command(
    "resume", "print the next step after an interruption", arguments=manifest_argument, run=_run
)
