"""Add to a person's rules and take out of them; every change is planned before it is made."""

from __future__ import annotations

import json
import os
import time

from _lib.curated import MOST_ENTRIES, entry_fault
from _lib.family import MANUAL, SEVERITY
from _lib.gotchas_store import create
from _lib.ownership import CURATED, FAILURES, tail
from _lib.rotation_store import archive
from _lib.taskkey import normalise

from hpp.core.errors import MachineError
from hpp.core.portable.fsread import read_bounded
from hpp.core.portable.fswrite import COMMAND_WAIT_S, atomic_write, locked
from hpp.core.portable.redact import find_secrets
from hpp.core.strictjson import JsonRefusedError, parse_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from _lib.setting import Settings

__all__ = ["Sorted", "add", "forget", "matching_lines", "read_entries", "sort_out"]

_MOST_BYTES = 4 * 1024 * 1024


class Sorted:
    """What would become of entries.

    Attributes:
        new: They are added.
        present: They are there already.
        refused: Their place, counted from 1, and why.

    """

    __slots__ = ("new", "present", "refused")

    def __init__(self) -> None:
        self.new: list[dict[str, Any]] = []
        self.present: list[dict[str, Any]] = []
        self.refused: list[tuple[int, str]] = []


def read_entries(path: str) -> list[Any]:
    """Return the entries of a list in ``.json``, or of lines in ``.jsonl``.

    Raises:
        RefusedError: It cannot be read, or is neither.

    """
    name = os.path.basename(path)
    data = read_bounded(path, _MOST_BYTES, name, "larger than 4 MiB")
    if not path.endswith(".jsonl"):
        found: list[Any] = parse_bytes(data, name, root=list)
        return found
    return [
        parse_bytes(line, f"{name}: line {number}")
        for number, line in enumerate(data.split(b"\n"), 1)
        if line.strip()
    ]


def sort_out(entries: Iterable[object], known: Sequence[dict[str, Any]], now: float) -> Sorted:
    """Return what is new, present and refused among entries."""
    result = Sorted()
    identities = {(each.get("key"), each.get("prevention")) for each in known}
    for place, entry in enumerate(entries, 1):
        fault = _fault(entry)
        if fault or not isinstance(entry, dict):
            result.refused.append((place, fault or "expected an object"))
            continue
        identity = entry["key"], entry["prevention"]
        if identity in identities:
            result.present.append(entry)
        elif len(identities) >= MOST_ENTRIES:
            result.refused.append((place, f"{MOST_ENTRIES} entries are the most"))
        else:
            identities.add(identity)
            result.new.append(_complete(entry, now))
    return result


def add(settings: Settings, entries: Iterable[object], now: float) -> Sorted:
    """Write what is new among entries, under one lock with the look at what is there."""
    create(settings)
    path = os.path.join(settings.store, CURATED)
    with locked(path, COMMAND_WAIT_S):
        lines = _lines(path)
        result = sort_out(entries, _objects(lines), now)
        if result.new:
            fresh = [
                json.dumps(each, separators=(",", ":"), sort_keys=True, ensure_ascii=False).encode()
                for each in result.new
            ]
            atomic_write(path, b"".join(line + b"\n" for line in [*lines, *fresh]))
    return result


def matching_lines(settings: Settings, key: str) -> tuple[list[bytes], list[bytes]]:
    """Return the lines of the person's rules, and of the failures, that have a key."""
    rules = [
        line
        for line in _lines(os.path.join(settings.store, CURATED))
        if _has(line, ("key",), {key})
    ]
    keys = {key, normalise(key)}
    failures = _lines(os.path.join(settings.store, FAILURES))
    return rules, [line for line in failures if _has(line, ("task_key", "cmd_key"), keys)]


def forget(settings: Settings, key: str) -> tuple[int, int]:
    """Remove the rules with a key and archive its failures; return how many of each."""
    curated = os.path.join(settings.store, CURATED)
    failures = os.path.join(settings.store, FAILURES)
    with locked(curated, COMMAND_WAIT_S), locked(failures, COMMAND_WAIT_S):
        rules, records = matching_lines(settings, key)
        if records:
            archive(settings.store, _joined(records))
            gone = set(records)
            atomic_write(failures, _joined(each for each in _lines(failures) if each not in gone))
        if rules:
            gone = set(rules)
            atomic_write(curated, _joined(each for each in _lines(curated) if each not in gone))
    return len(rules), len(records)


def _fault(entry: object) -> str | None:
    fault = entry_fault(entry)
    if fault or not isinstance(entry, dict):
        return fault
    for name in ("key", "prevention"):
        if find_secrets(entry[name]):
            return f"{name}: it holds secret-like text"
    return None


def _complete(entry: dict[str, Any], now: float) -> dict[str, Any]:
    added = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now))
    return {"family": MANUAL, "severity": SEVERITY[MANUAL], **entry, "added": added}


def _lines(path: str) -> list[bytes]:
    try:
        return tail(path, None)
    except OSError as error:
        name = os.path.basename(path)
        raise MachineError(f"{name}: cannot be read: {error.strerror}") from None


def _objects(lines: Iterable[bytes]) -> list[dict[str, Any]]:
    return [each for each in map(_object, lines) if each is not None]


def _object(line: bytes) -> dict[str, Any] | None:
    try:
        found: dict[str, Any] = parse_bytes(line, "line", root=dict)
    except JsonRefusedError:
        return None
    return found


def _has(line: bytes, fields: Iterable[str], keys: set[str]) -> bool:
    found = _object(line)
    return found is not None and any(
        isinstance(found.get(field), str) and found[field] in keys for field in fields
    )


def _joined(lines: Iterable[bytes]) -> bytes:
    return b"".join(line + b"\n" for line in lines)
