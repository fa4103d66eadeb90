"""Self-test of handoff_guard: held once, released, never before a compaction."""

from __future__ import annotations

import os

from _lib import guarding, place
from _lib.handoff import load
from _lib.selfcheck import event, said

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hpp.core.portable.selftest import Checks

__all__ = ["check"]

_NAME = "handoff-guard"


def check(checks: Checks, root: str) -> None:
    """Check stops and a compaction of a session that never writes a handoff."""
    held = said(guarding.stop(_NAME, event("Stop")))
    checks.equal("the first stop is held", held.get("decision"), "block")
    checks.equal("with a reason and nothing else", sorted(held), ["decision", "reason"])
    released = said(guarding.stop(_NAME, event("Stop", stop_hook_active=True)))
    checks.equal("the second one is released", sorted(released), ["systemMessage"])
    checks.equal("and leaves what was measured", _quality(root), "degraded-auto")
    checks.equal("a third one is silent", said(guarding.stop(_NAME, event("Stop"))), {})

    before = said(guarding.compact(_NAME, event("PreCompact", session="s-2", trigger="auto")))
    checks.equal("a compaction is told of", sorted(before), ["systemMessage"])

    os.remove(place.current(root, "solo"))
    other = said(guarding.stop(_NAME, event("Stop", session="s-3")))
    checks.equal("CONTROL another session is held for itself", other.get("decision"), "block")


def _quality(root: str) -> Any:  # noqa: ANN401 -- a field of a document
    found = load(root, place.current(root, "solo"))
    return (found.document or {}).get("quality") if found else None
