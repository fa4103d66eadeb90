"""A handoff as it lies on disk: read, trusted or not, fresh or not, stale or not.

Trust is in git's own folder, where nothing that is cloned or pulled arrives: a document of
another origin is not allowed to speak to a session.
"""

from __future__ import annotations

import os

from _lib import place
from _lib.instant import parse

from hpp.core.errors import RefusedError
from hpp.core.portable import anchor
from hpp.core.strictjson import JsonRefusedError, parse_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Document = dict[str, Any]

__all__ = ["ID", "Handoff", "archived", "is_expired", "load", "parsed", "staleness", "within"]

_ID_HEAD = len("HO-20260101-0000-")
_LOWER = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-")
_DIGITS = frozenset("0123456789")
_HEX = frozenset("0123456789abcdef")
_SHORTEST_COMMIT = 7
_CLOCK_S = 300
_LONGEST_ID = 80


class Handoff:
    """A document that was found.

    Attributes:
        path: Where it lies.
        document: What it says; None when it cannot be read as a handoff.
        is_trusted: Whether this clone wrote these bytes, or there is no git to tell.

    """

    __slots__ = ("document", "is_trusted", "path")

    def __init__(self, path: str, document: Document | None, *, is_trusted: bool) -> None:
        self.path = path
        self.document = document
        self.is_trusted = is_trusted

    @property
    def handoff_id(self) -> str:
        """Return its id, or ``unknown``."""
        given = (self.document or {}).get("handoff_id")
        return given if type(given) is str and ID(given) else "unknown"

    @property
    def created(self) -> float | None:
        """Return when it was written, in seconds since 1970."""
        return parse((self.document or {}).get("created_at"))


def ID(text: str) -> bool:  # noqa: N802 -- a predicate that reads as the name of the form
    """Say whether a text is the id of a handoff: ``HO-<date>-<HHMM>-<lane>[-N]``."""
    return (
        _ID_HEAD < len(text) <= _LONGEST_ID
        and text[:3] == "HO-"
        and _DIGITS.issuperset(text[3:11])
        and text[11] == "-"
        and _DIGITS.issuperset(text[12:16])
        and text[16] == "-"
        and _LOWER.issuperset(text[_ID_HEAD:])
    )


def parsed(data: bytes) -> Document | None:
    """Return the object in bytes; None when it is no strict JSON object."""
    try:
        found: Document = parse_bytes(data, "handoff", root=dict)
    except JsonRefusedError:
        return None
    return found


def load(root: str, path: str) -> Handoff | None:
    """Return the handoff at a place; None when there is none.

    Raises:
        RefusedError: What is there is no regular file, or cannot be read.

    """
    data = place.read(path)
    if data is None:
        return None
    document = parsed(data)
    if document is None:
        return Handoff(path, None, is_trusted=False)
    try:
        trust = anchor.read(root)
    except RefusedError:
        return Handoff(path, document, is_trusted=False)
    if trust is None:
        return _unanchored(path, document)
    from hpp.core.portable.digest import text_digest

    known = trust["handoffs"].get(document.get("handoff_id"))
    return Handoff(path, document, is_trusted=known == text_digest(data.decode()))


def _unanchored(path: str, document: Document) -> Handoff:
    """Return a document that nothing vouches for but its form."""
    from _lib.docschema import faults, handoff_schema

    sound = not faults(document, handoff_schema())
    return Handoff(path, document if sound else None, is_trusted=sound)


def archived(root: str, lane: str) -> list[str]:
    """Return the ids of a lane's earlier documents, oldest first."""
    try:
        names = os.listdir(place.archive(root))
    except (FileNotFoundError, NotADirectoryError):
        return []
    found = []
    for name in names:
        handoff_id = name[: -len(".json")]
        number = _number_of(handoff_id, lane) if name.endswith(".json") else None
        if number is not None:
            found.append((handoff_id[:_ID_HEAD], number, handoff_id))
    return [handoff_id for _, _, handoff_id in sorted(found)]


def _number_of(handoff_id: str, lane: str) -> int | None:
    """Return which of a minute's documents of a lane an id means; None for another lane."""
    if not ID(handoff_id):
        return None
    rest = handoff_id[_ID_HEAD:]
    if rest == lane:
        return 1
    tail = rest[len(lane) + 1 :]
    is_numbered = rest.startswith(f"{lane}-") and bool(tail) and _DIGITS.issuperset(tail)
    return int(tail) if is_numbered else None


def within(handoff: Handoff | None, now: float, seconds: float, since: float | None) -> bool:
    """Say whether a document is of the last seconds, and not from before a session began."""
    if handoff is None or not handoff.is_trusted or handoff.created is None:
        return False
    return 0 <= now - handoff.created <= seconds and (since is None or handoff.created >= since)


def is_expired(document: Document, now: float) -> bool:
    """Say whether a document says that it holds no longer; an unreadable date counts so."""
    until = parse(document.get("valid_until"))
    return until is None or until < now


def staleness(document: Document, now: float, head: str | None) -> str | None:
    """Return why a document may no longer describe the project, or None."""
    until, created = parse(document.get("valid_until")), parse(document.get("created_at"))
    if until is None:
        return "valid_until cannot be read"
    if until < now:
        return "expired"
    if created is None or created - now > _CLOCK_S:
        return "clock"
    rules = document.get("stale_when")
    is_bound = not isinstance(rules, dict) or rules.get("head_moved") is not False
    return _moved(document, head) if is_bound else None


def _moved(document: Document, head: str | None) -> str | None:
    git = document.get("git")
    recorded = git.get("head") if isinstance(git, dict) else None
    if not isinstance(recorded, str) or head is None:
        return None
    if not _is_commit(recorded) or not _is_commit(head):
        return None
    if head.startswith(recorded) or recorded.startswith(head):
        return None
    return f"head moved: it was written at {recorded[:12]}, this is {head[:12]}"


def _is_commit(text: str) -> bool:
    return len(text) >= _SHORTEST_COMMIT and _HEX.issuperset(text)
