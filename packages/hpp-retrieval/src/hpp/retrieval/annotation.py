"""Findings as workflow commands of GitHub Actions, which a review shows beside the lines."""

from __future__ import annotations

from hpp.core.text import printable
from hpp.retrieval.finding import BLOCK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hpp.retrieval.citation import Check
    from hpp.retrieval.finding import Finding

__all__ = ["workflow_commands"]


def workflow_commands(checks: Sequence[Check]) -> str:
    """Return a line a finding: ``::error file=...,line=...,title=...::message``."""
    return "".join(_line(check, finding) for check in checks for finding in check.findings)


def _line(check: Check, finding: Finding) -> str:
    command = "error" if finding.severity == BLOCK else "warning"
    places = {"file": check.text.name}
    if finding.line is not None:
        line, column = check.text.line_and_column(finding.place[0])
        places.update(line=str(line), col=str(column))
    places["title"] = finding.code
    shown = ",".join(f"{key}={_property(value)}" for key, value in places.items())
    hint = finding.details.get("hint")
    message = f"{finding.message}; {hint}" if hint else finding.message
    return f"::{command} {shown}::{_data(message)}\n"


def _data(text: str) -> str:
    """Return a message with what would end it, or begin another command, written out."""
    return printable(text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A"))


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
