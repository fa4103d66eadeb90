"""What a hook has said in this session, so that it says it once."""

from __future__ import annotations

import os

from hpp.core.errors import HppError, RefusedError
from hpp.core.portable.lane import session_key, user_state_dir
from hpp.core.strictjson import parse_bytes

__all__ = ["first_time"]

_MOST = 400
_LARGEST = 256 * 1024
_WAIT_S = 2.0


def first_time(hook: str, session_id: str, subjects: list[str]) -> list[bool]:
    """Return, for each subject, whether this session meets it for the first time.

    A session without an id remembers nothing, and neither does one whose memory cannot be
    read or written: a warning twice is better than none.
    """
    key = session_key(session_id)
    if key is None or not subjects:
        return [True] * len(subjects)
    folder = os.path.join(user_state_dir(), "lane-kit")
    path = os.path.join(folder, f"{hook}-{key}.json")
    from hpp.core.portable.fswrite import atomic_write, locked

    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        with locked(path, _WAIT_S):
            seen = _read(path)
            fresh = [subject not in seen for subject in subjects]
            if any(fresh):
                kept = [*seen, *(each for each in subjects if each not in seen)][-_MOST:]
                atomic_write(path, _data(kept))
    except (HppError, OSError):
        return [True] * len(subjects)
    return fresh


def _read(path: str) -> list[str]:
    try:
        with open(path, "rb") as file:
            found = parse_bytes(file.read(_LARGEST), "memory", root=list)
    except FileNotFoundError:
        return []
    if not all(isinstance(each, str) for each in found):
        raise RefusedError("memory: expected a list of texts")
    return list(found)


def _data(kept: list[str]) -> bytes:
    from hpp.core.output import pretty_json

    return pretty_json(kept)
