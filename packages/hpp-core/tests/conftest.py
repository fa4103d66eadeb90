"""Fixtures of the tests of hpp-core."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings

from hpp.core.loop import Loop
from hpp.core.manifest import packaged_manifest_path

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

# A slow machine is not a fault: no test is held to a time.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

MOVES = [
    ("planned", "work_started", "active"),
    ("active", "evidence_recorded", "evidenced"),
    ("evidenced", "evidence_recorded", "evidenced"),
    ("evidenced", "check_passed", "checked"),
    ("evidenced", "check_failed", "active"),
    ("checked", "human_approved", "approved"),
    ("checked", "changes_requested", "active"),
    ("approved", "changes_requested", "active"),
    ("approved", "verified", "verified"),
]


@pytest.fixture
def loop() -> Loop:
    """Return the loop of the packaged manifest, written out."""
    return Loop("planned", MOVES)


@pytest.fixture(scope="session")
def make_log() -> Callable[..., list[bytes]]:
    """Return a writer of chained log lines that shares no code with the one under test."""

    def make(events: Sequence[tuple[str, dict[str, Any]]]) -> list[bytes]:
        lines: list[bytes] = []
        previous = hashlib.sha256(b"").hexdigest()
        for seq, (kind, data) in enumerate(events, 1):
            event = {
                "seq": seq,
                "id": f"event:{seq}",
                "type": kind,
                "data": data,
                "prev_sha256": previous,
            }
            text = json.dumps(event, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
            lines.append(text.encode())
            previous = hashlib.sha256(lines[-1]).hexdigest()
        return lines

    return make


@pytest.fixture
def packaged() -> dict[str, Any]:
    """Return the packaged manifest as a document of one's own."""
    with open(packaged_manifest_path(), encoding="utf-8") as stream:
        document: dict[str, Any] = json.load(stream)
    return document
