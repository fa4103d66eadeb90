"""Evidence records as a JUnit XML report, which every CI service shows.

A record is a suite: one case for the program, and one for each declared artifact pattern.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

__all__ = ["junit_report"]

_ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\t": "&#9;", "\n": "&#10;",
            "\r": "&#13;"}  # fmt: skip
# What an attribute needs escaped, and every character that XML 1.0 has no way to write.
_UNSAFE = re.compile('[&<>"\t\n\r\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]')
_ENDINGS = {"failed": "failure", "timeout": "error", "could-not-start": "error"}


def junit_report(records: Sequence[dict[str, Any]]) -> str:
    """Return the report of some records, in their order."""
    suites = [_Suite(record) for record in records]
    totals = {
        "name": "hpp-evidence",
        "tests": sum(suite.count for suite in suites),
        "failures": sum(suite.failures for suite in suites),
        "errors": sum(suite.errors for suite in suites),
        "time": _seconds(sum(record["duration_s"] for record in records)),
    }
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f"<testsuites{_attributes(totals)}>"]
    for suite in suites:
        lines += suite.lines()
    return "\n".join([*lines, "</testsuites>", ""])


class _Suite:
    """One record."""

    def __init__(self, record: dict[str, Any]) -> None:
        self._record = record
        ending = _ENDINGS.get(record["verdict"])
        missing = len(record["missing"])
        self.count = 1 + len(record["artifacts"])
        self.failures = missing + (ending == "failure")
        self.errors = int(ending == "error")

    def lines(self) -> list[str]:
        record = self._record
        head = {
            "name": record["id"],
            "tests": self.count,
            "failures": self.failures,
            "errors": self.errors,
            "skipped": 0,
            "time": _seconds(record["duration_s"]),
            "timestamp": record["started_at"].removesuffix("Z"),
        }
        lines = [f"  <testsuite{_attributes(head)}>", "    <properties>"]
        for name in ("base_commit", "record_path", "record_sha256"):
            shown = {"name": name, "value": record[name] or ""}
            lines.append(f"      <property{_attributes(shown)}/>")
        lines.append("    </properties>")
        lines += _case("hpp.evidence", record["id"], record["duration_s"], _fault(record))
        for group in record["artifacts"]:
            fault = None
            if not group["files"]:
                fault = ("failure", "missing-artifacts", "the run wrote no file that matches")
            lines += _case(f"hpp.evidence.{record['id']}", group["pattern"], 0, fault)
        return [*lines, "  </testsuite>"]


def _fault(record: dict[str, Any]) -> tuple[str, str, str] | None:
    """Return element, type and message of what became of the program, or None."""
    verdict, code = record["verdict"], record["exit_code"]
    if verdict not in _ENDINGS:
        return None
    messages = {
        "failed": f"ended by signal {-code}" if code and code < 0 else f"exit code {code}",
        "timeout": f"not over after {record['timeout_s']:g} s",
        "could-not-start": "the program could not be started",
    }
    return _ENDINGS[verdict], verdict, messages[verdict]


def _case(
    classname: str, name: str, duration_s: float, fault: tuple[str, str, str] | None
) -> list[str]:
    head = _attributes({"classname": classname, "name": name, "time": _seconds(duration_s)})
    if fault is None:
        return [f"    <testcase{head}/>"]
    element, kind, message = fault
    inner = _attributes({"message": message, "type": kind})
    return [f"    <testcase{head}>", f"      <{element}{inner}/>", "    </testcase>"]


def _seconds(value: float) -> str:
    return f"{value:.3f}"


def _attributes(values: dict[str, Any]) -> str:
    return "".join(
        f' {name}="{_UNSAFE.sub(_escaped, str(value))}"' for name, value in values.items()
    )


def _escaped(found: re.Match[str]) -> str:
    char = found[0]
    return _ESCAPES.get(char) or f"\\u{ord(char):04x}"
