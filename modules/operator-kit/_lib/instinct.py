"""Criteria that failed again and again in loops, collected from their ledger.

The store remembers how far the ledger was read, in bytes. The ledger holds digests of
criteria and never their output, and so does the store.
"""

from __future__ import annotations

import os

from hpp.core.errors import RefusedError
from hpp.core.strictjson import JsonRefusedError, parse_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["CANDIDATE", "PROMOTED", "REJECTED", "STORE", "entry", "read_store", "scan"]

SCHEMA = "hpp.instincts/v1"
STORE = ".claude/loop-gate/instincts.json"
LEDGER = ".claude/loop-gate/ledger.jsonl"
CANDIDATE, PROMOTED, REJECTED = "candidate", "promoted", "rejected"
_STATES = (CANDIDATE, PROMOTED, REJECTED)
_HEX = frozenset("0123456789abcdef")
_DIGEST, _ID = 64, 12
_MOST = 100


def read_store(path: str) -> dict[str, Any]:
    """Return the store; a new one where there is none.

    Raises:
        RefusedError: It cannot be read or is none; it is left as it is.

    """
    try:
        with open(path, "rb") as file:
            data = file.read()
    except FileNotFoundError:
        return {"schema": SCHEMA, "cursor": 0, "instincts": {}}
    except OSError as error:
        raise RefusedError(f"{STORE}: cannot be read: {error.strerror}") from None
    store: dict[str, Any] = parse_bytes(data, STORE, root=dict)
    cursor, found = store.get("cursor"), store.get("instincts")
    if store.get("schema") != SCHEMA or type(cursor) is not int or cursor < 0:
        raise RefusedError(f"{STORE}: expected {SCHEMA} with a cursor; move it away to begin anew")
    if not isinstance(found, dict) or not all(map(_is_instinct, found.values())):
        raise RefusedError(f"{STORE}: instincts: damaged; move the file away to begin anew")
    return store


def scan(store: dict[str, Any], path: str) -> int:
    """Add what the ledger gained since the last scan; return how many failures that were."""
    try:
        with open(path, "rb") as file:
            size = file.seek(0, os.SEEK_END)
            if size < store["cursor"]:  # it was begun anew
                store["cursor"] = 0
            file.seek(store["cursor"])
            data = file.read()
    except FileNotFoundError:
        store["cursor"] = 0
        return 0
    except OSError as error:
        raise RefusedError(f"{LEDGER}: cannot be read: {error.strerror}") from None
    whole = data[: data.rfind(b"\n") + 1]
    store["cursor"] += len(whole)
    return sum(_add(store["instincts"], line) for line in whole.split(b"\n") if line.strip())


def _add(found: dict[str, Any], line: bytes) -> int:
    try:
        event = parse_bytes(line, "line", root=dict)
    except JsonRefusedError:
        return 0
    failed = event.get("failed")
    if event.get("event") != "gate-failed" or not isinstance(failed, list):
        return 0
    count = 0
    for each in failed:
        digest = each.get("argv_digest") if isinstance(each, dict) else None
        if not isinstance(digest, str) or len(digest) != _DIGEST or not _HEX.issuperset(digest):
            continue
        count += 1
        item = found.setdefault(digest[:_ID], _new(digest))
        item["count"] += 1
        for key, value in (("sessions", event.get("session")), ("goals", event.get("goal"))):
            if isinstance(value, str) and value not in item[key] and len(item[key]) < _MOST:
                item[key].append(value)
        status = each.get("exit")
        if type(status) is int and status not in item["exits"] and len(item["exits"]) < _MOST:
            item["exits"].append(status)
    return count


def _new(digest: str) -> dict[str, Any]:
    return {"argv_digest": digest, "count": 0, "sessions": [], "goals": [], "exits": [],
            "state": CANDIDATE, "note": ""}  # fmt: skip


def _is_instinct(value: object) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("argv_digest"), str)
        and type(value.get("count")) is int
        and all(isinstance(value.get(key), list) for key in ("sessions", "goals", "exits"))
        and value.get("state") in _STATES
        and isinstance(value.get("note"), str)
    )


def entry(instinct_id: str, item: dict[str, Any], day: str, by: str) -> str:
    """Return what is added to a rule for a criterion that kept failing."""
    goals = ", ".join(" ".join(goal.split()) for goal in item["goals"]) or "no goal named"
    exits = ", ".join(map(str, item["exits"]))
    return (
        f"\n## Instinct {instinct_id}\n\n"
        f"- The criterion `{item['argv_digest']}` failed {item['count']} times in "
        f"{len(item['sessions'])} sessions, with exit {exits}. Goals: {goals}.\n"
        f"- Run it before promising that the work is done.\n"
        f"- Promoted {day} by {by}.\n"
    )
