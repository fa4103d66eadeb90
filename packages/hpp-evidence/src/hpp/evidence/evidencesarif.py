"""Evidence records as SARIF 2.1.0 (OASIS standard): a result for each thing that is amiss."""

from __future__ import annotations

from urllib.parse import quote

from hpp.core.canonical import sha256_hex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

__all__ = ["sarif_log"]

_SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
# The verdicts that are no pass, then the warnings a record can hold.
_RULES = {
    "failed": ("error", "The criterion exited with another status than 0."),
    "timeout": ("error", "The criterion was not over in time and was stopped."),
    "could-not-start": ("error", "The criterion could not be started."),
    "missing-artifacts": ("error", "The run wrote no file for a declared pattern."),
    "PIPELINE_WITHOUT_PIPEFAIL": ("warning", "A pipe without pipefail hides a failure."),
    "LINK_OUTSIDE": ("warning", "A match leads out of the workspace and was not counted."),
    "UNREADABLE": ("warning", "A match could not be read."),
}


def sarif_log(records: Sequence[dict[str, Any]], version: str) -> dict[str, Any]:
    """Return one run with the results of every record.

    Args:
        records: Evidence records; each result points at the path of its record.
        version: Of this distribution.

    """
    driver = {"name": "hpp-evidence", "semanticVersion": version, "rules": _rules()}
    run = {
        "tool": {"driver": driver},
        "artifacts": [{"location": {"uri": _uri(record["record_path"])}} for record in records],
        "results": [result for record in records for result in _results(record)],
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _rules() -> list[dict[str, Any]]:
    return [
        {
            "id": name,
            "shortDescription": {"text": text},
            "defaultConfiguration": {"level": level},
        }
        for name, (level, text) in _RULES.items()
    ]


def _results(record: dict[str, Any]) -> Iterator[dict[str, Any]]:
    identity, verdict = record["id"], record["verdict"]
    if verdict == "failed":
        yield _result(record, verdict, f"{identity}: exit code {record['exit_code']}")
    elif verdict == "timeout":
        yield _result(record, verdict, f"{identity}: not over after {record['timeout_s']:g} s")
    elif verdict == "could-not-start":
        yield _result(record, verdict, f"{identity}: the program could not be started")
    for pattern in record["missing"]:
        what = f"{identity}: no file of this run matches {pattern}"
        yield _result(record, "missing-artifacts", what, pattern)
    for warning in record["warnings"]:
        if warning["code"] in _RULES:
            what = f"{identity}: {warning['message']}"
            yield _result(record, warning["code"], what, warning["message"])


def _result(record: dict[str, Any], rule: str, message: str, detail: str = "") -> dict[str, Any]:
    mark = "\0".join((rule, record["id"], detail))
    place = {"artifactLocation": {"uri": _uri(record["record_path"])}}
    return {
        "ruleId": rule,
        "ruleIndex": list(_RULES).index(rule),
        "level": _RULES[rule][0],
        "message": {"text": message},
        "locations": [{"physicalLocation": place}],
        # The same finding in the record of a later run.
        "partialFingerprints": {"criterion/v1": sha256_hex(mark.encode())},
    }


def _uri(path: str) -> str:
    """Return a path with ``/`` as a relative reference of RFC 3986."""
    quoted = quote(path.encode(), safe="/~!$&'()*+,;=:@")
    return f"./{quoted}" if ":" in quoted.partition("/")[0] else quoted
