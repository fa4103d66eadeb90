"""The record that a hook writes when nobody wrote a handoff: measured facts, no judgement."""

from __future__ import annotations

import time

from _lib import handoff_store, place
from _lib.document import new_id
from _lib.gitfact import commits, measured, porcelain
from _lib.handoff import ID, is_expired, load
from _lib.instant import DAY_S, stamp

from hpp.core.errors import RefusedError
from hpp.core.portable import redact
from hpp.core.portable.fswrite import HOOK_WAIT_S

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Document = dict[str, Any]

__all__ = ["made", "newest", "write"]

_SUMMARY = (
    "No session wrote this. A hook measured git because a turn or a context ended without a "
    "handoff; what was decided and why is not in it."
)
_PROHIBITION = "Do not take this record for complete: it knows git and nothing of the work."
_COMMITS = 5


def newest(root: str, lane: str) -> float | None:
    """Return when the newest degraded document of a lane was written."""
    times = []
    for path in (place.current(root, lane), place.degraded(root, lane)):
        try:
            found = load(root, path)
        except RefusedError:
            continue
        if found and found.is_trusted and (found.document or {}).get("quality") == "degraded-auto":
            times.append(found.created)
    known = [one for one in times if one is not None]
    return max(known) if known else None


def made(
    root: str, lane: str, session: str, checkpoint: Document | None, deadline: float
) -> Document:
    """Return the document; its id is given when it is written."""
    now = time.time()
    git = {**measured(root, deadline), "porcelain": porcelain(root, deadline)}
    if checkpoint and checkpoint.get("ref"):
        git["checkpoint_ref"] = checkpoint["ref"]
        git["checkpoint_commit"] = checkpoint["commit"]
    git["branch"] = redact.redact(git["branch"].encode("utf-8", "replace").decode())
    return {
        "schema_version": "2.0", "created_at": stamp(now), "trigger": "degraded-auto",
        "quality": "degraded-auto", "session": {"session_id": session, "lane_id": lane},
        "state": {"summary": _SUMMARY}, "git": git, "valid_until": stamp(now + DAY_S),
        "prohibitions": [_PROHIBITION], "next_step": [],
        "evidence": [
            {"type": "commit", "ref": commit, "value": subject}
            for commit, subject in commits(root, _COMMITS, deadline)
        ],
    }  # fmt: skip


def write(root: str, lane: str, document: Document) -> str:
    """Write the document where it replaces no full one that still holds; return the place.

    Raises:
        HppError: It cannot be written.

    """

    def choose() -> str:
        return place.degraded(root, lane) if _has_full(root, lane) else place.current(root, lane)

    def settle(subject: Document) -> None:
        subject["handoff_id"] = new_id(root, lane, time.time())
        if not ID(subject["handoff_id"]):
            raise RefusedError("handoff: no id can be made")

    session = handoff_store.session_name(document["session"]["session_id"])
    document["session"]["session_id"] = redact.redact(session)
    path, _ = handoff_store.put(
        root, lane, document, choose=choose, settle=settle, timeout=HOOK_WAIT_S
    )
    return path


def _has_full(root: str, lane: str) -> bool:
    found = load(root, place.current(root, lane))
    if found is None or found.document is None:
        return False
    return found.document.get("quality") == "full" and not is_expired(found.document, time.time())
