"""Self-tests of the module: a project of their own, counted checks, a closing line."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from hpp.core.portable.answer import Answer
    from hpp.core.portable.payload import Payload
    from hpp.core.portable.selftest import Checks

__all__ = ["check_itself", "event", "said", "sample"]


def check_itself(check: Callable[[Checks, str], None]) -> int:
    """Run checks in a fresh project that goes away; return the exit status."""
    from hpp.core.portable.selftest import Checks, Project

    sys.dont_write_bytecode = True
    checks = Checks(closing=True)
    with Project() as project:
        check(checks, project.root)
    return checks.finish()


def event(name: str, session: str = "s-1", **fields: object) -> Payload:
    """Return an event as a host sends it."""
    from hpp.core.portable.payload import Payload

    return Payload({"hook_event_name": name, "session_id": session, **fields})


def said(answer: Answer | None) -> dict[str, Any]:
    """Return what an answer says; empty for none."""
    from hpp.core.strictjson import parse_text

    if answer is None or not answer.stdout:
        return {}
    found: dict[str, Any] = parse_text(answer.stdout, "answer", root=dict)
    return found


def sample(lane: str = "solo", **fields: object) -> dict[str, Any]:
    """Return a complete handoff without facts of git."""
    import time

    from _lib.instant import DAY_S, stamp

    now = time.time()
    return {
        "schema_version": "2.0", "handoff_id": "HO-20260501-1200-solo",
        "created_at": stamp(now), "trigger": "manual", "quality": "full",
        "session": {"session_id": "s-0", "lane_id": lane},
        "state": {"summary": "The parser reads every fixture."},
        "git": {"head": "unknown", "branch": "unknown", "dirty": False, "untracked": 0},
        "valid_until": stamp(now + DAY_S), "prohibitions": ["Leave the schema alone."],
        "next_step": [
            {"order": 1, "description": "Write the printer.",
             "verify_first_cmd": "test -f printer.py"}
        ], **fields,
    }  # fmt: skip
