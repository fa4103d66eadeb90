"""What a session is given when it begins."""

from __future__ import annotations

import time

from _lib import handoff_store, place
from _lib.handoff import load
from _lib.rendering import NOTICE, fitted, pointers, render

from hpp.core.errors import HppError, RefusedError
from hpp.core.portable import anchor, hookio
from hpp.core.portable.fswrite import HOOK_WAIT_S

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _lib.handoff import Handoff

    from hpp.core.portable.answer import Answer
    from hpp.core.portable.payload import Payload

__all__ = ["MOST", "begin"]

MOST = 3900  # of the 4,000 bytes of an answer; the hook's name stands before it
_MOST_POINTERS = 3
_MOST_SOURCE = 40


def begin(name: str, payload: Payload) -> Answer | None:
    """Note that a session began and return what it is given."""
    root = hookio.project_root(payload)
    lane = hookio.lane_of(payload)
    session = payload.session_id
    source = payload.text("source")
    trouble = _noted(root, lane, session, "booted", handoff_id="", details=_details(root, source))
    text, given = _text(root, lane, session, source)
    config, more = _configured(payload, root, len(text.encode()))
    if given is not None:
        trouble = trouble or _noted(
            root, lane, session, "consumed", handoff_id=given.handoff_id, details={}
        )
    said = "\n\n".join(part for part in (text, more) if part)
    person = "; ".join(part for part in (trouble, config) if part)
    if said and person:
        return hookio.warn(payload.event, name, person, said)
    if said:
        return hookio.context(payload.event, name, said)
    return hookio.message(name, person) if person else None


def _text(root: str, lane: str, session: str, source: str) -> tuple[str, Handoff | None]:
    """Return what there is to say, and the handoff that was handed over in full."""
    now = time.time()
    found = load(root, place.current(root, lane))
    later = _later(root, lane, found)
    if found is None:
        others = pointers(root, _others(root, lane), now)
        if others:
            others = ["This lane has no handoff. Those of other lanes are theirs to read:", *others]
        lines = [*others, *later]
        return (fitted([NOTICE], lines[:-1], lines[-1], MOST) if lines else ""), None
    is_brief = source == "resume"
    room = MOST - sum(len(line.encode()) + 1 for line in later)
    text = render(
        root, found, lane, most=room, now=now, head=anchor.head(root),
        session=handoff_store.session_name(session), brief=is_brief,
    )  # fmt: skip
    # The place of the full file stays the last line.
    head, _, last = text.rpartition("\n")
    handed = found if found.is_trusted and found.document and not is_brief else None
    return "\n".join([head, *later, last]), handed


def _later(root: str, lane: str, found: Handoff | None) -> list[str]:
    """Return a line for an emergency record that is newer than the handoff."""
    path = place.degraded(root, lane)
    try:
        other = load(root, path)
    except RefusedError:
        return []
    if other is None or not other.is_trusted or other.created is None:
        return []
    if found is not None and found.created is not None and other.created <= found.created:
        return []
    return [f"newer, measured by a hook and not complete: {place.shown(root, path)}"]


def _others(root: str, lane: str) -> list[tuple[str, Handoff]]:
    found = []
    for other in place.lanes(root):
        if other == lane:
            continue
        try:
            handoff = load(root, place.current(root, other))
        except RefusedError:
            continue
        # A name can speak as well: only what this clone wrote is named.
        if handoff is not None and handoff.is_trusted and handoff.created is not None:
            found.append((other, handoff))
    found.sort(key=lambda pair: -(pair[1].created or 0))
    return found[:_MOST_POINTERS]


def _details(root: str, source: str) -> dict[str, str]:
    shown = source if source.isprintable() else ""
    return {"head": anchor.head(root) or "unknown", "source": shown[:_MOST_SOURCE] or "startup"}


def _noted(  # noqa: PLR0913 -- the fields of a line
    root: str, lane: str, session: str, event: str, *, handoff_id: str, details: dict[str, str]
) -> str:
    """Add a line to the ledger; return what went wrong."""
    try:
        handoff_store.note(
            root, event, lane, session=session, handoff_id=handoff_id, details=details,
            timeout=HOOK_WAIT_S,
        )  # fmt: skip
    except (HppError, OSError) as error:
        return f"the ledger cannot be written ({error})"
    return ""


def _configured(payload: Payload, root: str, used: int) -> tuple[str, str]:
    """Return what is wrong with the profile, and the excerpt of the state document."""
    from hpp.core.portable.profile_loader import find

    try:
        if find(payload.cwd or root, root, payload.environ) is None:
            return "", ""
    except HppError as error:
        return f"{error}; the defaults are used", ""
    from _lib.config import read

    config = read(payload.cwd, root, payload.environ)
    if config.fault:
        return f"{config.fault}; the defaults are used", ""
    if not config.boot_state:
        return "", ""
    from _lib.boot import block

    return "", block(root, config.state_doc, time.time(), MOST - used - 2)
