#!/usr/bin/env python3
"""Check a folder of architecture decision records.

Records are `NNNN-title.md`, numbered from 0001 without a gap, and listed in `README.md`
beside them. One that supersedes another is named there as well.
"""

from __future__ import annotations

import os
import sys

if sys.pycache_prefix is None:
    sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "_vendor"), ROOT]

import re

from hpp.core.portable.report import WARN, ToolRefusedError, problem, report
from hpp.core.portable.toolscript import Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hpp.core.arguments import Arguments, Values
    from hpp.core.portable.selftest import Checks

__all__ = ["TOOL"]

SCHEMA = "hpp.adr-report/v1"
INDEX = "README.md"
SECTIONS = ("Status", "Context", "Decision", "Alternatives", "Consequences")
STATUSES = ("proposed", "accepted", "rejected", "deprecated", "superseded")
_FILE = re.compile(r"(\d{4})-[a-z0-9]+(?:-[a-z0-9]+)*\.md")
_HEADING = re.compile(r"^##[ \t]+(.+?)[ \t]*$", re.MULTILINE)
_REJECTED = re.compile(r"^[ \t]*[-*][ \t]+.*\brejected\b", re.MULTILINE | re.IGNORECASE)
_SUPERSEDES = re.compile(r"\bsupersedes\b[^\n]*?\b(\d{4})\b", re.IGNORECASE)
_SUPERSEDED = re.compile(r"\bsuperseded by\b[^\n]*?\b(\d{4})\b", re.IGNORECASE)
_LINK = re.compile(r"\]\((?:\./)?([^)#]+\.md)\)")


class _Record:
    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.number = name[:4]
        parts = _HEADING.split(text)
        self.sections = dict(zip(parts[1::2], parts[2::2], strict=True))
        status = self.sections.get("Status", "")
        self.status = (status.split() or [""])[0].strip(".:*_").lower()
        self.supersedes = set(_SUPERSEDES.findall(status))
        self.superseded = set(_SUPERSEDED.findall(status))


def _declare(arguments: Arguments) -> None:
    arguments.positional("DIR", help="the folder of the records, docs/adr")


def _run(values: Values) -> dict[str, Any]:
    return check(values.dir)


def check(folder: str) -> dict[str, Any]:
    """Return the report of a folder."""
    try:
        names = sorted(os.listdir(folder))
    except OSError as error:
        raise ToolRefusedError(_problem(folder, f"cannot be read: {error.strerror}")) from None
    records = [_Record(name, _text(folder, name)) for name in names if _FILE.fullmatch(name)]
    problems = [_problem(f"{folder}/{name}", "a name unlike 0001-title.md")
                for name in names if name.endswith(".md") and name != INDEX
                and not _FILE.fullmatch(name)]  # fmt: skip
    if not records:
        problems.append(_problem(folder, "no record in it"))
    problems += [_problem(f"{folder}/{name}", what) for name, what in _faults(records)]
    problems += _index(folder, names, records)
    waiting = [record.name for record in records if record.status == "proposed"]
    problems += [{**_problem(f"{folder}/{name}", "still proposed"), "severity": WARN}
                 for name in waiting]  # fmt: skip
    return report(SCHEMA, problems, records=[record.name for record in records])


def _faults(records: list[_Record]) -> list[tuple[str, str]]:
    found = []
    for place, record in enumerate(records, 1):
        if int(record.number) != place:
            found.append((record.name, f"its number is {record.number}, want {place:04}"))
            break  # all behind it are off by the same
    for record in records:
        found += [(record.name, f"no section ## {each}") for each in SECTIONS
                  if not record.sections.get(each, "").strip()]  # fmt: skip
        if record.status and record.status not in STATUSES:
            found.append((record.name, f"the status is none of {', '.join(STATUSES)}"))
        alternatives = record.sections.get("Alternatives", "")
        if alternatives.strip() and not _REJECTED.search(alternatives):
            found.append((record.name, "no bullet under Alternatives says what was rejected"))
    return found + _links(records)


def _links(records: list[_Record]) -> list[tuple[str, str]]:
    by_number = {record.number: record for record in records}
    found = []
    for record in records:
        for number in sorted(record.supersedes):
            other = by_number.get(number)
            if other is None or record.number not in other.superseded:
                found.append((record.name, f"{number} does not say that this supersedes it"))
        for number in sorted(record.superseded):
            other = by_number.get(number)
            if other is None or record.number not in other.supersedes:
                found.append((record.name, f"{number} does not say that it supersedes this"))
        if (record.status == "superseded") != bool(record.superseded):
            found.append((record.name, "superseded, and by which record, go together"))
    return found


def _index(folder: str, names: list[str], records: list[_Record]) -> list[dict[str, str]]:
    if INDEX not in names:
        return [_problem(f"{folder}/{INDEX}", "there is no index")]
    listed = _LINK.findall(_text(folder, INDEX))
    files = [record.name for record in records]
    told = [f"{name} is not listed" for name in files if name not in listed]
    told += [f"{name} is listed and not there" for name in listed
             if "/" not in name and name not in names]  # fmt: skip
    told += [f"{name} is listed twice" for name in sorted(set(listed)) if listed.count(name) > 1]
    return [_problem(f"{folder}/{INDEX}", what) for what in told]


def _text(folder: str, name: str) -> str:
    path = os.path.join(folder, name)
    try:
        with open(path, encoding="utf-8") as stream:
            return stream.read()
    except (OSError, UnicodeDecodeError):
        raise ToolRefusedError(_problem(path, "cannot be read as UTF-8")) from None


def _problem(path: str, measured: str) -> dict[str, str]:
    return problem(
        "answer-invalid", path=path, measured=measured,
        expected="records from 0001 on, each with its sections, all in the index",
        following="mend the record; a decision that changed gets a new one",
    )  # fmt: skip


def _human(made: dict[str, Any]) -> str:
    return f"{made['status']}: {len(made['records'])} records\n" if "records" in made else ""


_GOOD = """# {number}: a choice

## Status
{status}

## Context
Two ways were open.

## Decision
The first.

## Alternatives
- The second: rejected, it costs more.

## Consequences
One way to maintain.
"""


def _self_test(checks: Checks, folder: str) -> None:
    blocked = 2

    def code(*statuses: str, text: str = _GOOD, index: str | None = None) -> int:
        for name in os.listdir(folder):
            os.unlink(os.path.join(folder, name))
        names = [f"{number:04}-a-choice.md" for number in range(1, len(statuses) + 1)]
        for name, status in zip(names, statuses, strict=True):
            _put(folder, name, text.format(number=name[:4], status=status))
        listed = "".join(f"- [{name}]({name})\n" for name in names)
        _put(folder, INDEX, listed if index is None else index)
        status_code: int = check(folder)["exit_code"]
        return status_code

    checks.check("two sound records pass", code("Accepted.", "Accepted.") == 0)
    checks.check("a chain that both ends name passes",
                code("Superseded by 0002.", "Accepted. Supersedes 0001.") == 0)  # fmt: skip
    checks.check("a chain that one end names is refused",
                code("Superseded by 0002.", "Accepted.") == blocked)  # fmt: skip
    checks.check("a proposed record is a warning", code("Proposed") == 1)
    checks.check("an unknown status is refused", code("Maybe") == blocked)
    checks.check("an index with a missing record is refused", code("Accepted", index="") == blocked)
    without = _GOOD.replace("rejected, ", "")
    checks.check("no rejected alternative is refused", code("Accepted", text=without) == blocked)
    short = _GOOD.replace("## Context\n", "")
    checks.check("a missing section is refused", code("Accepted", text=short) == blocked)
    code("Accepted", "Accepted")
    os.rename(os.path.join(folder, "0002-a-choice.md"), os.path.join(folder, "0003-a-choice.md"))
    checks.check("a gap in the numbers is refused", check(folder)["exit_code"] == blocked)


def _put(folder: str, name: str, text: str) -> None:
    with open(os.path.join(folder, name), "w", encoding="utf-8") as stream:
        stream.write(text)


TOOL = Tool(
    "adr_check.py",
    "Check a folder of architecture decision records.",
    schema=SCHEMA,
    declare=_declare,
    run=_run,
    self_test=_self_test,
    human=_human,
)

if __name__ == "__main__":
    raise SystemExit(TOOL.main(sys.argv[1:]))
