"""Put failures of no known family into a suite, for a person to label and a decider to answer.

Nothing here reads a decision: a new signal is a reviewed change of `error_strategy`.
"""

from __future__ import annotations

import json
import os
from hashlib import sha256

from _lib.family import FAMILIES, MEANING, UNKNOWN
from _lib.ownership import ARCHIVE, FAILURES, tail

from hpp.core.portable.fswrite import write_new
from hpp.core.portable.redact import redact
from hpp.core.strictjson import JsonRefusedError, parse_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from _lib.setting import Settings

__all__ = ["Export", "collect", "write_exclusively"]

_HEADER = "-----BEGIN "
_MASK = "[REDACTED:"


class Export:
    """What there is to label.

    Attributes:
        document: The suite; its `cases` are empty when there is nothing.
        skipped_secret: Texts that held something secret, and are left out.
        skipped_blank: Texts that say nothing.

    """

    __slots__ = ("document", "skipped_blank", "skipped_secret")

    def __init__(self, document: dict[str, Any], skipped_secret: int, skipped_blank: int) -> None:
        self.document = document
        self.skipped_secret = skipped_secret
        self.skipped_blank = skipped_blank


def collect(settings: Settings) -> Export:
    """Return the unknown failures of archive and live file as a suite, each text once."""
    counts: dict[str, int] = {}
    secret = blank = 0
    for text in _unknown(settings):
        safe = redact(text).strip()
        if not safe:
            blank += 1
        elif _MASK in safe or _HEADER in safe:
            secret += 1
        else:
            counts[safe] = counts.get(safe, 0) + 1
    cases = [
        {
            "id": f"unknown-{sha256(text.encode('utf-8', 'replace')).hexdigest()[:12]}",
            "stratum": "store-unknown",
            "expected": None,
            "count": count,
            "state": text,
        }
        for text, count in counts.items()
    ]
    cases.sort(key=lambda case: str(case["id"]))
    return Export(_document(cases), secret, blank)


def write_exclusively(path: str, document: dict[str, Any]) -> None:
    """Write the suite to a new file.

    Raises:
        RefusedError: There is something of that name, which holds a person's labels, or it
            cannot be written; nothing of it is left.

    """
    data = (json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode()
    write_new(path, data, "it is there already, and may hold labels")


def _document(cases: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "schema": "hpp.decision-suite/v1",
        "name": "gotcha-unknown-relabel",
        "note": "Set expected to one of the options, or to abstain; then `hpp decide eval`.",
        "question": {
            "id": "gotcha.family",
            "kind": "choice",
            "ladder": False,
            "options": list(FAMILIES),
            "instructions": "Of which family is this failure of a command?",
            "criteria": {family: MEANING[family] for family in FAMILIES},
        },
        "confidence_floor": 0.6,
        "cases": cases,
    }


def _unknown(settings: Settings) -> Iterator[str]:
    """Yield the texts of unknown failures; a record in both files counts once."""
    seen: set[str] = set()
    for name in (ARCHIVE, FAILURES):
        for line in tail(os.path.join(settings.store, name), None):
            try:
                found = parse_bytes(line, name, root=dict)
            except JsonRefusedError:
                continue
            own, text = found.get("id"), found.get("error")
            if found.get("family") != UNKNOWN or not isinstance(text, str):
                continue
            if isinstance(own, str):
                if own in seen:
                    continue
                seen.add(own)
            yield text
