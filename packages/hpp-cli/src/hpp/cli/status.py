"""``hpp status``: where every piece of work stands."""

from __future__ import annotations

import os

from hpp.cli.view import manifest_argument, read_history, work_view
from hpp.core.command import Command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hpp.core.arguments import Arguments, Values
    from hpp.core.journal import History
    from hpp.core.loop import Loop, Work

__all__ = ["COMMAND"]


def _arguments(declared: Arguments) -> None:
    declared.flag("--json", help="print everything that is known, as JSON")
    manifest_argument(declared)


def _run(values: Values) -> int:
    from hpp.core.output import write_json, write_text

    root = os.getcwd()
    history, loop = read_history(values, root)
    if values.json:
        write_json(_document(history, loop, root))
    else:
        write_text(_lines(history, loop))
    return 0


def _document(history: History, loop: Loop, root: str) -> dict[str, Any]:
    from hpp.core.eventlog import LOG
    from hpp.core.text import utf8_path

    chain = history.chain
    return {
        **work_view(history.replay.current(), loop),
        "total_events": chain.events,
        "event_log": utf8_path(os.path.join(root, LOG)),
        "chain": {
            "status": chain.status,
            "chained": chain.chained,
            "legacy": chain.legacy,
            "head_sha256": chain.head,
        },
        "works": [
            {**work_view(work, loop), "actors": work.actors} for work in history.replay.works
        ],
    }


def _lines(history: History, loop: Loop) -> str:
    current = history.replay.current()
    others = [work for work in history.replay.open_works() if work is not current]
    first = f"{_line(current, loop)} chain={history.chain.status}\n"
    return first + "".join(f"{_line(work, loop)}\n" for work in others)


def _line(work: Work, loop: Loop) -> str:
    from hpp.core.text import printable

    name = f"work={printable(work.name)} " if work.name is not None else ""
    step = printable(loop.next_step(work.state))
    return f'{name}state={printable(work.state)} events={len(work.history)} next="{step}"'


COMMAND = Command("status", "show where the work stands", arguments=_arguments, run=_run)
