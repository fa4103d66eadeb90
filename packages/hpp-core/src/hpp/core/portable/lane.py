"""Who works: lane, role and model, the key of a session, and where a user's state lives."""

from __future__ import annotations

import os
import sys

from hpp.core.errors import RefusedError
from hpp.core.portable.digest import text_digest
from hpp.core.text import shorten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hpp.core.portable.payload import Payload

    Given = Payload | Mapping[str, Any] | None

__all__ = [
    "SOLO",
    "checked_lane_id",
    "is_lane_id",
    "lane_id",
    "model",
    "raw_lane_id",
    "role",
    "session_key",
    "user_state_dir",
]

SOLO = "solo"
_LONGEST = 40
_HEAD = 31
_FIRST = frozenset("abcdefghijklmnopqrstuvwxyz0123456789")
_REST = _FIRST | {"-"}


def is_lane_id(text: str) -> bool:
    """Say whether a text is a lane id: 1 to 40 of ``a-z 0-9 -``, no ``-`` in front."""
    return 0 < len(text) <= _LONGEST and text[0] in _FIRST and _REST.issuperset(text)


def raw_lane_id(env: Mapping[str, str], payload: Given = None) -> str:
    """Return the lane id as it was given, or ``solo``; it need not be one."""
    return _first(env.get("CLAUDE_LANE_ID"), _field(payload, "lane_id"), SOLO)


def lane_id(env: Mapping[str, str], payload: Given = None) -> str:
    """Return the lane id of a hook's session; what is none is made into one.

    Two different texts stay different: the made id ends in a digest of what was given.
    """
    raw = raw_lane_id(env, payload)
    return raw if is_lane_id(raw) else _made(raw)


def checked_lane_id(text: str, where: str = "lane") -> str:
    """Return a lane id that a command was given.

    Raises:
        RefusedError: It is none.

    """
    if not is_lane_id(text):
        raise RefusedError(
            f"{where}: expected 1 to 40 of a-z, 0-9 and '-', a letter or digit first, "
            f"got {shorten(text)!r}"
        )
    return text


def role(env: Mapping[str, str], payload: Given = None) -> str:
    """Return the role of the session, ``adhoc`` when nobody says."""
    return _first(env.get("CLAUDE_LANE_ROLE"), _field(payload, "role"), "adhoc")


def model(env: Mapping[str, str], payload: Given = None) -> str:
    """Return the model of the session, ``unknown`` when nobody says."""
    named = _field(payload, "model")
    if isinstance(named, dict):
        named = named.get("id")
    return _first(env.get("CLAUDE_LANE_MODEL"), named, "unknown")


def session_key(session_id: str) -> str | None:
    """Return what a file of this session is named after; None for an empty id."""
    return text_digest(session_id)[:16] if session_id else None


def user_state_dir(
    env: Mapping[str, str] | None = None, system: str | None = None, home: str | None = None
) -> str:
    """Return the folder of a user's own state; it may not exist yet.

    Args:
        env: Variables; None for this process's. A relative path in them is passed over.
        system: As `sys.platform`; None for this system's.
        home: The user's folder; None to ask the system.

    """
    given: Mapping[str, str] = os.environ if env is None else env
    kind = sys.platform if system is None else system
    own = given.get("HPP_STATE_DIR", "")
    if _is_absolute(own, kind):
        return own
    base = os.path.expanduser("~") if home is None else home
    if kind == "win32":
        local = given.get("LOCALAPPDATA", "")
        return (local if _is_absolute(local, kind) else base + "\\AppData\\Local") + "\\hpp"
    if kind == "darwin":
        return f"{base}/Library/Application Support/hpp"
    state = given.get("XDG_STATE_HOME", "")
    return (state if _is_absolute(state, kind) else base + "/.local/state") + "/hpp"


def _is_absolute(path: str, kind: str) -> bool:
    if kind == "win32":
        import ntpath

        return ntpath.isabs(path) and bool(ntpath.splitdrive(path)[0])
    return path.startswith("/")


def _field(payload: Given, name: str) -> object:
    if payload is None:
        return None
    # Duck typing, for a plain mapping is given as well.
    data: Mapping[str, Any] | None = getattr(payload, "data", None)
    return (payload if data is None else data).get(name)  # type: ignore[union-attr]  # no payload


def _first(*values: object) -> str:
    return next(value for value in values if isinstance(value, str) and value)


def _made(raw: str) -> str:
    kept: list[str] = []
    for char in raw.lower():
        if char in _FIRST:
            kept.append(char)
        elif kept and kept[-1] != "-":
            kept.append("-")
    head = "".join(kept).strip("-")[:_HEAD]
    digest = text_digest(raw)[:8]
    return f"{head}-{digest}" if head else f"lane-{digest}"
