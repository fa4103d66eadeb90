"""What a hook remembers of a session, so that it says the same thing once.

One small file a hook and session, outside of every project, for its owner alone. What cannot
be read is never taken for empty and never overwritten: then nothing is remembered, and the
hook says so.
"""

from __future__ import annotations

import os
import time

from hpp.core.errors import HppError, RefusedError
from hpp.core.portable.lane import session_key, user_state_dir
from hpp.core.strictjson import parse_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hpp.core.portable.payload import Payload

__all__ = ["MOST", "Memory", "first_time"]

MOST = 500
_VERSION = 1
_LARGEST = 256 * 1024
_AHEAD_S = 60  # a clock that was put back; older marks are not trusted further than this


class Memory:
    """The marks of one hook in one session.

    Args:
        hook: ``module/hook``.
        session_id: As the host gives it; an empty one remembers nothing.
        environ: Where the user's state is looked up.
        lasts_s: Seconds for which a mark counts; None for the whole session.

    Attributes:
        fault: Why nothing could be remembered, or an empty text.

    """

    __slots__ = ("_lasts_s", "_path", "fault")

    def __init__(
        self,
        hook: str,
        session_id: str,
        environ: Mapping[str, str] | None = None,
        *,
        lasts_s: int | None = None,
    ) -> None:
        self.fault = ""
        self._lasts_s = lasts_s
        self._path = ""
        key = session_key(session_id)
        if key is None:
            self.fault = "the session has no id"
            return
        folder = user_state_dir(environ)
        if not os.path.isabs(folder):
            self.fault = "no folder for a user's state is known"
            return
        module, _, name = hook.partition("/")
        self._path = os.path.join(folder, module, f"{name}-{key}.json")

    def new(self, keys: Sequence[str], now: int | None = None) -> list[str]:
        """Return the keys that bear no mark yet, and mark them.

        Of several calls at once exactly one is given a key. When nothing can be remembered,
        all keys are returned and `fault` says why.
        """
        if not self._path or not keys:
            return list(keys)
        moment = int(time.time()) if now is None else now
        try:
            unknown = _unknown(self._read(), keys, moment, self._lasts_s)
            return self._mark(keys, moment) if unknown else []
        except (HppError, OSError, ValueError) as error:
            said = error.strerror if isinstance(error, OSError) else str(error)
            self.fault = f"{os.path.basename(self._path)}: {said}"
            return list(keys)

    def _mark(self, keys: Sequence[str], moment: int) -> list[str]:
        from hpp.core.portable.fswrite import HOOK_WAIT_S, atomic_write, locked

        _make_private(os.path.dirname(self._path))
        with locked(self._path, HOOK_WAIT_S):
            seen = self._read()
            unknown = _unknown(seen, keys, moment, self._lasts_s)
            if unknown:
                seen.update(dict.fromkeys(unknown, moment))
                atomic_write(self._path, _text(_kept(seen, moment, self._lasts_s)))
        return unknown

    def _read(self) -> dict[str, int]:
        try:
            with open(self._path, "rb") as file:
                data = file.read(_LARGEST + 1)
        except FileNotFoundError:
            return {}
        if len(data) > _LARGEST:
            raise RefusedError("larger than 256 KiB")
        document = parse_bytes(data, "memory", root=dict)
        seen = document.get("seen")
        if document.get("v") != _VERSION or type(seen) is not dict:
            raise RefusedError("memory: not what was written here")
        if any(type(moment) is not int for moment in seen.values()):
            raise RefusedError("memory: seen: expected whole seconds")
        return seen


def first_time(hook: str, payload: Payload, keys: Sequence[str]) -> list[str]:
    """Return the keys that a hook has not yet spoken of in this session, and mark them."""
    return Memory(hook, payload.session_id, payload.environ).new(keys)


def _unknown(
    seen: Mapping[str, int], keys: Sequence[str], moment: int, lasts_s: int | None
) -> list[str]:
    wanted = dict.fromkeys(keys)
    return [key for key in wanted if key not in seen or not _counts(seen[key], moment, lasts_s)]


def _counts(marked: int, moment: int, lasts_s: int | None) -> bool:
    return lasts_s is None or -_AHEAD_S <= moment - marked < lasts_s


def _kept(seen: Mapping[str, int], moment: int, lasts_s: int | None) -> dict[str, int]:
    """Return the marks that still count, the newest when there are too many."""
    valid = [(key, at) for key, at in seen.items() if _counts(at, moment, lasts_s)]
    return dict(sorted(valid, key=lambda item: item[1])[-MOST:])


def _text(seen: Mapping[str, int]) -> bytes:
    import json

    return json.dumps({"v": _VERSION, "seen": seen}).encode("ascii")


def _make_private(folder: str) -> None:
    missing = []
    while folder and not os.path.isdir(folder):
        missing.append(folder)
        folder = os.path.dirname(folder)
    for each in reversed(missing):
        try:
            os.mkdir(each, 0o700)
        except FileExistsError:  # noqa: PERF203 -- another hook of the session was quicker
            continue
