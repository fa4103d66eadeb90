"""Everything that continuity-kit writes about handoffs: documents, archive, ledger."""

from __future__ import annotations

import os
import time

from _lib import ledger, place
from _lib.instant import compact, stamp

from hpp.core.errors import HppError, RefusedError
from hpp.core.portable.anchor_write import add_handoff
from hpp.core.portable.digest import text_digest
from hpp.core.portable.fswrite import (
    COMMAND_WAIT_S,
    append_jsonl,
    atomic_write,
    locked,
    replace_patiently,
    state_dir,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Document = dict[str, Any]

__all__ = ["KEPT_DOCUMENTS", "note", "prepared", "put", "session_name"]

KEPT_DOCUMENTS = 20
_LONGEST_SESSION = 200
_SHORTEST_LINE = 100


def prepared(root: str) -> str:
    """Make the state folder, which git leaves alone, and return its path."""
    os.makedirs(os.path.dirname(place.folder(root)), exist_ok=True)
    return state_dir(place.folder(root))


def session_name(session: str) -> str:
    """Return a session's id as it is kept: short, and of one line."""
    plain = session if session.isprintable() else ascii(session)
    if len(plain) <= _LONGEST_SESSION:
        return plain or "unknown"
    return f"{plain[:160]}-{text_digest(session)[:8]}"


def note(  # noqa: PLR0913 -- the fields of a line
    root: str,
    event: str,
    lane: str,
    *,
    session: str = "",
    handoff_id: str = "",
    details: Document | None = None,
    timeout: float = COMMAND_WAIT_S,
) -> None:
    """Add a line to the ledger; one that has grown long is put aside first.

    Raises:
        HppError: It cannot be written; nothing was.

    """
    prepared(root)
    path = place.ledger(root)
    _rotate(root, path, timeout)
    line = {
        "ts": stamp(time.time()), "event": event, "handoff_id": handoff_id, "lane_id": lane,
        "by_session": session_name(session), "details": details or {},
    }  # fmt: skip
    append_jsonl(path, line, timeout)


def put(  # noqa: PLR0913 -- where it goes, and what has to hold for it
    root: str,
    lane: str,
    document: Document,
    *,
    choose: Callable[[], str],
    settle: Callable[[Document], None],
    timeout: float = COMMAND_WAIT_S,
) -> tuple[str, list[str]]:
    """Write a handoff under its lane's lock; what it replaces goes to the archive.

    Args:
        root: The project.
        lane: Whose it is.
        document: The handoff; complete after `settle`.
        choose: Returns the place, once the lock is held.
        settle: Gives it its id, or refuses it, once the lock is held.
        timeout: Seconds to wait for a lock.

    Returns:
        The place, and what did not work although the document was written.

    """
    prepared(root)
    with locked(place.current(root, lane), timeout):
        settle(document)
        data = encoded(document)
        path = choose()
        session = document["session"]["session_id"]
        _keep_old(root, path, lane, session, timeout)
        # Trusted first: a document without its entry would be withheld, an entry without
        # its document harms nobody.
        add_handoff(root, document["handoff_id"], text_digest(data.decode()), timeout)
        atomic_write(path, data)
        troubles = []
        try:
            note(
                root, "written", lane, session=session, handoff_id=document["handoff_id"],
                details={"quality": document["quality"], "trigger": document["trigger"]},
                timeout=timeout,
            )  # fmt: skip
        except HppError as error:
            troubles.append(f"the ledger has no line for it: {error}")
        return path, troubles


def encoded(document: Document) -> bytes:
    """Return the bytes of a document: compact JSON and a line feed.

    Raises:
        RefusedError: It is too large.

    """
    import json

    text = json.dumps(document, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    data = text.encode()
    if len(data) > place.LARGEST_DOCUMENT:
        raise RefusedError(
            f"handoff: {len(data)} bytes, at most {place.LARGEST_DOCUMENT} are allowed"
        )
    return data


def _keep_old(root: str, path: str, lane: str, session: str, timeout: float) -> None:
    data = place.read(path, 16 * place.LARGEST_DOCUMENT)
    if data is None:
        return
    from _lib.handoff import ID, parsed

    document = parsed(data)
    old_id = document.get("handoff_id") if document else None
    if type(old_id) is not str or not ID(old_id):
        old_id = f"unreadable-{lane}-{text_digest(data.decode('latin-1'))[:16]}"
    state_dir(place.archive(root))
    atomic_write(place.archive(root, old_id), data)
    note(root, "superseded", lane, session=session, handoff_id=old_id, timeout=timeout)
    _thin(root, lane)


def _thin(root: str, lane: str) -> None:
    """Keep the newest documents of a lane in the archive."""
    from _lib.handoff import archived

    for name in archived(root, lane)[:-KEPT_DOCUMENTS]:
        _remove(place.archive(root, name))


def _rotate(root: str, path: str, timeout: float) -> None:
    try:
        if os.path.getsize(path) < ledger.MOST_LINES * _SHORTEST_LINE:
            return
    except OSError:
        return
    with locked(path, timeout):
        data = place.read(path, 64 * 1024 * 1024)
        if data is None or data.count(b"\n") <= ledger.MOST_LINES:
            return
        aside = place.file(root, f"HANDOFF-LEDGER-{compact(time.time())}.jsonl")
        if os.path.lexists(aside):
            return  # in the next second, then
        replace_patiently(lambda: os.replace(path, aside))
    for old in ledger.rotated(root)[: -ledger.KEPT]:
        _remove(old)


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        return
