"""When a session's heartbeat was last written, in one small file that a quick look reads."""

from __future__ import annotations

import os

from hpp.core.portable.lane import session_key, user_state_dir

__all__ = ["is_young", "leave_stamp"]

_LARGEST = 512


def _path(session_id: str) -> str | None:
    key = session_key(session_id)
    return None if key is None else os.path.join(user_state_dir(), "lane-kit", f"beat-{key}")


def is_young(session_id: str, lane: str, now: float) -> bool:
    """Say whether this session's heartbeat in this lane is younger than the throttle.

    A stamp of the future is none: the clock went back.
    """
    path = _path(session_id)
    if path is None:
        return False
    try:
        with open(path, "rb") as file:
            words = file.read(_LARGEST).split()
    except OSError:
        return False
    if len(words) != 3 or not (words[1].isdigit() and words[2].isdigit()):  # noqa: PLR2004 -- its three words
        return False
    return words[0].decode("ascii", "replace") == lane and 0 <= now - int(words[1]) < int(words[2])


def leave_stamp(session_id: str, lane: str, now: int, throttle_s: int) -> None:
    """Note a heartbeat; without a session id nothing is noted."""
    path = _path(session_id)
    if path is None:
        return
    from hpp.core.portable.fswrite import atomic_write

    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    atomic_write(path, f"{lane} {now} {throttle_s}\n".encode())
