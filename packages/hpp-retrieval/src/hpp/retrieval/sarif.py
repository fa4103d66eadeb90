"""Findings as SARIF 2.1.0 (OASIS standard), which code review takes from any checker."""

from __future__ import annotations

from hpp.core.canonical import sha256_hex
from hpp.retrieval.finding import BLOCK, RULES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from hpp.retrieval.citation import Check
    from hpp.retrieval.finding import Finding

__all__ = ["sarif_log"]

_SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)


def sarif_log(checks: Sequence[Check], version: str) -> dict[str, Any]:
    """Return one run with the findings of every text.

    Args:
        checks: What was found; a text is named as it was on the command line.
        version: Of this distribution.

    """
    results = [_result(check, finding) for check in checks for finding in check.findings]
    driver = {"name": "hpp-retrieval", "semanticVersion": version, "rules": _rules()}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "artifacts": [{"location": {"uri": _uri(check.text.name)}} for check in checks],
        "results": results,
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _rules() -> list[dict[str, Any]]:
    return [
        {
            "id": rule.code,
            "shortDescription": {"text": rule.summary},
            "help": {"text": rule.advice},
            "defaultConfiguration": {"level": _level(rule.severity)},
        }
        for rule in RULES.values()
    ]


def _result(check: Check, finding: Finding) -> dict[str, Any]:
    hint = finding.details.get("hint")
    message = f"{finding.message}; {hint}" if hint else finding.message
    physical: dict[str, Any] = {"artifactLocation": {"uri": _uri(check.text.name)}}
    if finding.line is not None:
        physical["region"] = _region(check, finding)
    return {
        "ruleId": finding.code,
        "ruleIndex": list(RULES).index(finding.code),
        "level": _level(finding.severity),
        "message": {"text": message},
        "locations": [{"physicalLocation": physical}],
        # The same finding after lines above it came or went.
        "partialFingerprints": {"sentence/v1": _fingerprint(finding)},
    }


def _region(check: Check, finding: Finding) -> dict[str, int]:
    start_line, start_column = check.text.line_and_column(finding.place[0])
    end_line, end_column = check.text.line_and_column(finding.place[1])
    return {
        "startLine": start_line,
        "startColumn": start_column,
        "endLine": end_line,
        "endColumn": end_column,
    }


def _fingerprint(finding: Finding) -> str:
    parts = (finding.code, finding.excerpt, str(finding.details.get("marker", "")))
    return sha256_hex("\0".join(parts).encode())


def _level(severity: str) -> str:
    return "error" if severity == BLOCK else "warning"


def _uri(name: str) -> str:
    r"""Return a path as a relative or ``file:`` reference of RFC 3986."""
    from urllib.parse import quote

    plain = name.replace("\\", "/") if _is_windows() else name
    quoted = quote(plain.encode("utf-8", "surrogateescape"), safe="/~!$&'()*+,;=:@")
    first = quoted.partition("/")[0]
    if plain.startswith("/"):
        return f"file://{quoted}"
    if len(first) == 2 and first[1] == ":" and _is_windows():  # noqa: PLR2004 -- a drive
        return f"file:///{quoted}"
    return f"./{quoted}" if ":" in first else quoted


def _is_windows() -> bool:
    import os

    return os.name == "nt"
