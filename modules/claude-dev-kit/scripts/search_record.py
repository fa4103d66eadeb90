#!/usr/bin/env python3
"""Check a record of a search that was made before something new was built.

A record names every channel, what was asked there and what came back. What could not be
reached was not searched: with such a gap nobody can know that a thing has to be built.
"""

from __future__ import annotations

import os
import sys

if sys.pycache_prefix is None:
    sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "_vendor"), ROOT]

from hpp.core.document import read_document
from hpp.core.errors import RefusedError
from hpp.core.fault import Faults
from hpp.core.portable.report import WARN, ToolRefusedError, problem, report
from hpp.core.portable.toolscript import Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hpp.core.arguments import Arguments, Values
    from hpp.core.portable.selftest import Checks

__all__ = ["TOOL"]

SCHEMA = "hpp.search-report/v1"
RECORD = "hpp.search-record/v1"
CHANNELS = ("repository", "package-index", "protocol-servers", "public-code")
OUTCOMES = ("found", "nothing", "unreachable")
DECISIONS = ("adopt", "extend", "compose", "build")
_KEYS = ("schema", "need", "channels", "decision", "subjects", "why")
_CHANNEL_KEYS = ("name", "asked", "outcome", "results", "reason")
_FEWEST_COMPOSED = 2


def _declare(arguments: Arguments) -> None:
    arguments.positional("RECORD", help="the record, hpp.search-record/v1")


def _run(values: Values) -> dict[str, Any]:
    try:
        document = read_document(values.record, root=dict)
    except RefusedError as error:
        raise ToolRefusedError(_problem(values.record, str(error))) from None
    return check(document, values.record)


def check(document: dict[str, Any], name: str) -> dict[str, Any]:
    """Return the report of a record."""
    found = Faults(document)
    _keys(found, document, (), _KEYS)
    found.exactly(document, ("schema",), RECORD, f'the text "{RECORD}"')
    found.text(document, ("need",))
    found.text(document, ("why",))
    found.choice(document, ("decision",), DECISIONS)
    channels = dict(_channels(found, document))
    for channel in CHANNELS:
        if channel not in channels:
            found.add(("channels",), f"{channel} is missing; what was not asked is not told")
    _decision(found, document, channels)
    problems = [_problem(f"{name}: {each.split(': ')[0]}", each.partition(": ")[2])
                for each in found.in_order()]  # fmt: skip
    gaps = sorted(name for name, outcome in channels.items() if outcome == "unreachable")
    if gaps and not problems:
        problems.append(
            {**_problem(f"{name}: channels", f"not reached: {', '.join(gaps)}"), "severity": WARN}
        )
    decision = document.get("decision")
    return report(SCHEMA, problems, decision=decision if isinstance(decision, str) else None,
                  not_reached=gaps)  # fmt: skip


def _channels(found: Faults, document: dict[str, Any]) -> list[tuple[str, str]]:
    sound: dict[str, str] = {}
    for number, channel in found.objects(document, ("channels",)):
        path = ("channels", number)
        _keys(found, channel, path, _CHANNEL_KEYS)
        found.choice(channel, (*path, "name"), CHANNELS)
        found.text(channel, (*path, "asked"))
        found.choice(channel, (*path, "outcome"), OUTCOMES)
        name, outcome = channel.get("name"), channel.get("outcome")
        if outcome == "found":
            found.texts(channel, (*path, "results"))
        elif channel.get("results"):
            found.add((*path, "results"), f"expected none with the outcome {outcome}")
        if outcome == "unreachable":
            found.text(channel, (*path, "reason"))
        if isinstance(name, str) and isinstance(outcome, str):
            if name in sound:
                found.add((*path, "name"), f"{name} stands twice")
            sound[name] = outcome
    return list(sound.items())


def _decision(found: Faults, document: dict[str, Any], channels: dict[str, str]) -> None:
    decision = document.get("decision")
    if decision == "build":
        for name in sorted(name for name, outcome in channels.items() if outcome == "unreachable"):
            found.add(("decision",), f"build is refused: {name} was not consulted")
        if document.get("subjects"):
            found.add(("subjects",), "expected none when something new is built")
    elif decision in DECISIONS:
        subjects = found.texts(document, ("subjects",))
        if decision == "compose" and 0 < len(subjects) < _FEWEST_COMPOSED:
            found.add(("subjects",), "compose joins two or more")
        listed = _results(document)
        for subject in subjects:
            if subject not in listed:
                found.add(("subjects",), f"{subject} is among no channel's results")


def _results(document: dict[str, Any]) -> set[str]:
    channels = document.get("channels")
    lists = [each.get("results") for each in channels or () if isinstance(each, dict)]
    return {each for found in lists if isinstance(found, list) for each in found
            if isinstance(each, str)}  # fmt: skip


def _keys(
    found: Faults, value: dict[str, Any], path: tuple[Any, ...], keys: tuple[str, ...]
) -> None:
    for key in value:
        if key not in keys:
            found.add((*path, key), "an unknown key; there are " + ", ".join(keys))


def _problem(path: str, measured: str) -> dict[str, str]:
    return problem(
        "answer-invalid", path=path, measured=measured, expected=f"a record of {RECORD}",
        following="ask the channel, or write down why it could not be reached",
    )  # fmt: skip


def _human(made: dict[str, Any]) -> str:
    return f"{made['status']}: {made['decision']}\n" if "decision" in made else ""


def _self_test(checks: Checks, folder: str) -> None:
    del folder

    def record(decision: str, subjects: list[str], **outcomes: str) -> dict[str, Any]:
        channels = []
        for name in CHANNELS:
            outcome = outcomes.get(name.replace("-", "_"), "nothing")
            more: dict[str, Any] = {"results": ["lib"]} if outcome == "found" else {}
            more.update({"reason": "no network"} if outcome == "unreachable" else {})
            channels.append({"name": name, "asked": "a retry helper", "outcome": outcome, **more})
        return {"schema": RECORD, "need": "retry", "channels": channels, "decision": decision,
                "subjects": subjects, "why": "it fits"}  # fmt: skip

    def code(document: dict[str, Any]) -> int:
        status: int = check(document, "r.json")["exit_code"]
        return status

    blocked = 2
    checks.check("build after four empty channels", code(record("build", [])) == 0)
    checks.check("adopt what was found", code(record("adopt", ["lib"], package_index="found")) == 0)
    gap = record("build", [], public_code="unreachable")
    checks.check("build with a channel that was not reached is refused", code(gap) == blocked)
    used = record("extend", ["lib"], repository="found", public_code="unreachable")
    checks.check("a gap beside another decision is a warning", code(used) == 1)
    checks.check("adopt what nobody found is refused", code(record("adopt", ["x"])) == blocked)
    short = record("build", [])
    short["channels"].pop()
    checks.check("a missing channel is refused", code(short) == blocked)
    checks.check("compose needs two",
                code(record("compose", ["lib"], repository="found")) == blocked)  # fmt: skip


TOOL = Tool(
    "search_record.py",
    "Check the record of a search that was made before something was built.",
    schema=SCHEMA,
    declare=_declare,
    run=_run,
    self_test=_self_test,
    human=_human,
)

if __name__ == "__main__":
    raise SystemExit(TOOL.main(sys.argv[1:]))
