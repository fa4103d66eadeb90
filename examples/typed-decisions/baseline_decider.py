"""The least that a model has to beat: choose an option by words that stand in the text.

Reads questions from standard input, one JSON object a line, and answers each with one
line, a record ``hpp.decision/v1``. So it serves `hpp decide eval` in both protocols::

    hpp decide eval gotcha-family-suite.json --decider-command '["python", "baseline_decider.py"]'

It abstains when no word stands in the text, or words of two families do.
"""

from __future__ import annotations

import hashlib
import json
import sys
from typing import Any

SIGNALS = {
    "instrument": ("broken pipe", "not in sorted order", "unexpected end of file"),
    "lock": ("index.lock", "database is locked", "resource busy", "another git process"),
    "ratelimit": ("too many requests", "quota exceeded", "overloaded", "retry-after"),
    "transient": ("timed out", "connection refused", "bad gateway", "service unavailable"),
    "state": ("merge conflict", "checksum mismatch", "non-fast-forward", "no space left"),
    "config": ("permission denied", "unrecognized arguments", "unknown option", "unauthorized"),
    "dependency": ("no module named", "command not found", "no such file or directory"),
    "fatal": ("out of memory", "segmentation fault", "core dumped", "stack overflow"),
}


def outcome(state: str) -> dict[str, Any]:
    """Return a recommendation when the signals agree on one family, else an abstention."""
    text = state.casefold()
    found = [family for family, words in SIGNALS.items() if any(word in text for word in words)]
    if len(found) == 1:
        return {"status": "recommendation", "value": found[0]}
    return {"status": "abstention"}


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Return the record that answers one request."""
    return {
        "schema": "hpp.decision/v1",
        "question": request["question"],
        "state_sha256": hashlib.sha256(request["state"].encode()).hexdigest(),
        "method": "lexical",
        "authority": "advisory",
        "direction": "informational",
        "outcome": outcome(request["state"]),
    }


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)
