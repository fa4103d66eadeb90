"""``hpp event``: append to the event log, and verify its chain."""

from __future__ import annotations

import os

from hpp.core.command import Command
from hpp.core.errors import RefusedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hpp.core.arguments import Arguments, Values

__all__ = ["COMMAND"]

_SHA256_LENGTH = 64


def _append_arguments(declared: Arguments) -> None:
    declared.option("--type", "T", help="type of the event", required=True)
    declared.option("--data", "JSON", help="what it says, a JSON object", default="{}")
    declared.option("--work", "NAME", help="piece of work it belongs to")
    declared.option("--manifest", "FILE", help="manifest whose loop judges it")


def _append(values: Values) -> int:
    from hpp.cli.view import work_view
    from hpp.core.journal import Journal
    from hpp.core.loop import Loop
    from hpp.core.manifest import find_manifest, load_manifest
    from hpp.core.output import write_json

    data = _data(values)
    loop = Loop.of(load_manifest(find_manifest(values.manifest)))
    appended = Journal(os.getcwd()).append(loop, values.type, data)
    event = {"seq": appended.seq, "id": f"event:{appended.seq}"}
    write_json({"event": event, **work_view(appended.work, loop)})
    return 0


def _data(values: Values) -> dict[str, object]:
    from hpp.core.strictjson import parse_text

    data: dict[str, object] = parse_text(values.data, "--data", root=dict)
    if values.work is not None:
        if data.get("work", values.work) != values.work:
            raise RefusedError("--work: --data names another piece of work")
        data["work"] = values.work
    return data


def _verify_arguments(declared: Arguments) -> None:
    declared.option("--head", "SHA256", help="the head that was kept elsewhere")


def _verify(values: Values) -> int:
    from hpp.core.journal import Journal
    from hpp.core.output import write_json
    from hpp.core.text import utf8_path

    _check_head(values.head)
    journal = Journal(os.getcwd())
    chain, breach = journal.chain()
    status, divergent = chain.status, None
    if breach is not None:
        status, divergent = "broken", breach.event or f"line {breach.line}"
    elif values.head is not None and values.head != chain.head:
        status, divergent = "broken", "head"
    write_json(
        {
            "schema": "hpp.event-chain/v1",
            "log": utf8_path(journal.path),
            "status": status,
            "events": chain.events,
            "chained": chain.chained,
            "legacy": chain.legacy,
            "first_divergent": divergent,
            "head_sha256": chain.head,
        }
    )
    if status != "broken":
        return 0
    from hpp.core.command import say

    say(str(breach) if breach else "--head: it is not the hash of the last event")
    return 2


def _check_head(head: str | None) -> None:
    if head is None:
        return
    if len(head) != _SHA256_LENGTH or not set(head) <= set("0123456789abcdef"):
        raise RefusedError("--head: expected 64 lower-case hexadecimal digits")


COMMAND = Command(
    "event",
    "append to the event log, verify its chain",
    subcommands=[
        Command("append", "judge an event and record it", arguments=_append_arguments, run=_append),
        Command(
            "verify",
            "say whether the log is what was appended",
            arguments=_verify_arguments,
            run=_verify,
        ),
    ],
)
