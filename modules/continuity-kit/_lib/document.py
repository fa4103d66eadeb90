"""A handoff before it is written: what is filled in, and everything that is wrong with it."""

from __future__ import annotations

import shlex
import time

from _lib import ledger, place
from _lib.docschema import faults, handoff_schema, pointer
from _lib.gitfact import measured
from _lib.handoff import archived
from _lib.instant import DAY_S, parse, stamp

from hpp.core.errors import RefusedError
from hpp.core.portable import redact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    Document = dict[str, Any]

__all__ = ["Problem", "checked", "filled", "named", "new_id"]

DEFAULT_DAYS = 7
_FARTHEST_DAYS = 90
_MOST_IDS = 100_000
_EMPTY_COMMANDS = (["true"], [":"], ["exit", "0"], ["/bin/true"], ["/usr/bin/true"])


class Problem:
    """Something about a document.

    Attributes:
        code: Stable name, for the ledger.
        at: JSON pointer.
        reason: What is wrong.
        is_fatal: Whether it refuses the document.

    """

    __slots__ = ("at", "code", "is_fatal", "reason")

    def __init__(self, code: str, at: str, reason: str, *, is_fatal: bool = True) -> None:
        self.code = code
        self.at = at
        self.reason = reason
        self.is_fatal = is_fatal

    def __str__(self) -> str:
        word = "REFUSED" if self.is_fatal else "WARN"
        return redact.shown(f"{word} {self.at or '/'}: {self.reason}")


def filled(root: str, lane: str, given: Document, now: float) -> tuple[Document, list[Problem]]:
    """Return a document with what is absent filled in, and what was replaced.

    Time and git are always measured here: what a session remembers of them is no fact.
    """
    document = {"schema_version": "2.0", "trigger": "manual", "quality": "full", **given}
    problems = []
    session = document.setdefault("session", {})
    if isinstance(session, dict):
        session = document["session"] = dict(session)
        session.setdefault("lane_id", lane)
        session.setdefault("session_id", _session(root, lane))
        if session["lane_id"] != lane:
            said = f"it says {session['lane_id']!r}, the lane is {lane!r}"
            problems.append(Problem("lane", "/session/lane_id", said))
    created = stamp(now)
    if document.get("created_at", created) != created:
        problems.append(_replaced("/created_at"))
    document["created_at"] = created
    document["git"], more = _git(root, document.get("git"))
    problems += more
    document.setdefault("valid_until", stamp(now + _days(document) * DAY_S))
    return document, problems


def checked(document: Document, now: float) -> list[Problem]:
    """Return everything that is wrong with a filled document, the fatal and the rest."""
    subject = {"handoff_id": "HO-20260101-0000-x", **document}
    problems = [Problem("schema", at, why) for at, why in faults(subject, handoff_schema())]
    problems += _commands(document)
    problems += _orders(document)
    problems += _porcelain(document)
    problems += _validity(document, now)
    problems += _secrets(document, "")
    return problems


def named(root: str, lane: str, document: Document, now: float) -> None:
    """Give a document its id; call it while the lane's lock is held.

    Raises:
        RefusedError: The id that it brings was used before.

    """
    given = document.get("handoff_id")
    if given is None:
        document["handoff_id"] = new_id(root, lane, now)
    elif ledger.is_known(root, given) or given in archived(root, lane):
        raise RefusedError("/handoff_id: this id was used before; leave it out to get a new one")


def new_id(root: str, lane: str, now: float) -> str:
    """Return an id that no document of the ledger or the archive has."""
    base = time.strftime(f"HO-%Y%m%d-%H%M-{lane}", time.gmtime(now))
    used = ledger.taken(root, base) | set(archived(root, lane))
    current = place.read(place.current(root, lane))
    for number in range(1, _MOST_IDS):
        name = base if number == 1 else f"{base}-{number}"
        if name not in used and (current is None or f'"{name}"'.encode() not in current):
            return name
    raise RefusedError("/handoff_id: no free id in this minute")


def _session(root: str, lane: str) -> str:
    """Return who works in a lane: the session that last began there."""
    for one in reversed(ledger.events(root, "booted", lane)):
        if one["event"] == "booted" and one.get("lane_id") == lane:
            return str(one.get("by_session") or "unknown")
    return "unknown"


def _days(document: Document) -> int:
    rules = document.get("stale_when")
    days = rules.get("days") if isinstance(rules, dict) else None
    return days if type(days) is int and 1 <= days <= _FARTHEST_DAYS else DEFAULT_DAYS


def _git(root: str, given: object) -> tuple[object, list[Problem]]:
    if given is not None and not isinstance(given, dict):
        return given, []  # the schema says what is wrong with it
    given = given or {}
    facts = measured(root)
    problems = [
        _replaced(pointer("/git", key))
        for key, value in facts.items()
        if key in given and given[key] != value
    ]
    return {**given, **facts}, problems


def _replaced(at: str) -> Problem:
    return Problem("replaced", at, "replaced by what was measured", is_fatal=False)


def _commands(document: Document) -> Iterator[Problem]:
    state = document.get("state")
    numbers = state.get("numbers") if isinstance(state, dict) else None
    rules = (
        ("/state/numbers", numbers, "re_derive_cmd", "a number carries the command that makes it"),
        ("/next_step", document.get("next_step"), "verify_first_cmd", "a step carries its check"),
    )
    for at, entries, key, why in rules:
        for number, entry in enumerate(entries if isinstance(entries, list) else ()):
            command = entry.get(key) if isinstance(entry, dict) else None
            where = pointer(pointer(at, number), key)
            if isinstance(command, str) and command and not command.strip():
                yield Problem("no-command", where, why)
            elif isinstance(command, str) and _proves_nothing(command):
                yield Problem("vacuous", where, "this command proves nothing", is_fatal=False)


def _proves_nothing(command: str) -> bool:
    text = command.strip().rstrip(";").strip()
    if any(mark in text for mark in ("$(", "`", "|", "&", ";", "\n", "<", ">", "$")):
        return False
    try:
        words = shlex.split(text)
    except ValueError:
        return False
    return words in _EMPTY_COMMANDS or words[:1] == ["echo"]


def _orders(document: Document) -> Iterator[Problem]:
    seen: set[object] = set()
    steps = document.get("next_step")
    for number, step in enumerate(steps if isinstance(steps, list) else ()):
        order = step.get("order") if isinstance(step, dict) else None
        if isinstance(order, int) and order in seen:
            at = pointer(pointer("/next_step", number), "order")
            yield Problem("order", at, f"{order} is there twice")
        if isinstance(order, int):
            seen.add(order)


def _porcelain(document: Document) -> Iterator[Problem]:
    git = document.get("git")
    is_degraded = document.get("quality") == "degraded-auto"
    if is_degraded and isinstance(git, dict) and "porcelain" not in git:
        yield Problem("schema", "/git/porcelain", "missing")


def _validity(document: Document, now: float) -> Iterator[Problem]:
    until = parse(document.get("valid_until"))
    if until is None:
        return
    if until < now:
        yield Problem("expired", "/valid_until", "it has passed already", is_fatal=False)
    elif until > now + _FARTHEST_DAYS * DAY_S:
        said = f"more than {_FARTHEST_DAYS} days ahead"
        yield Problem("far", "/valid_until", said, is_fatal=False)


def _secrets(value: object, at: str) -> Iterator[Problem]:
    """Yield what looks like a secret: in a value, in a key, or made one by its key."""
    if isinstance(value, dict):
        for key, inner in value.items():
            where = pointer(at, key)
            hits = redact.find_secrets(key)
            if isinstance(inner, str) and not redact.find_secrets(inner):
                hits = hits or redact.find_secrets(f'"{key}": "{inner}"')
            for kind, length in hits:
                yield Problem("secret", where, f"secret-like text ({kind}, {length} characters)")
            yield from _secrets(inner, where)
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _secrets(inner, pointer(at, number))
    elif isinstance(value, str):
        for kind, length in redact.find_secrets(value):
            yield Problem("secret", at, f"secret-like text ({kind}, {length} characters)")
