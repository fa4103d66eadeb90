"""Which lanes there are, who is alive, and which paths each one owns.

Liveness is the age of a heartbeat and nothing else: no process id is looked at. A heartbeat
of the future is a wrong clock and never counts as alive.
"""

from __future__ import annotations

import os

from _lib.refusal import no

from hpp.core.errors import RefusedError
from hpp.core.strictjson import JsonRefusedError, parse_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeVar

    from _lib.config import Config

    T = TypeVar("T")

__all__ = [
    "ALIVE",
    "DEAD",
    "PRESENT",
    "SKEW",
    "SUSPECT",
    "Lane",
    "Registry",
    "clean_territory",
    "lies_in",
    "liveness",
    "overlap",
    "read_registry",
]  # fmt: skip

SCHEMA = "hpp.lane-registry/v1"
ALIVE, SUSPECT, DEAD, SKEW, UNKNOWN, CLOSED = (
    "alive", "suspect", "dead", "skew", "unknown", "closed",
)  # fmt: skip
PRESENT = (ALIVE, SUSPECT)
_STATUS = ("active", "closed", "dead")
_LARGEST = 4 * 1024 * 1024
_TEXTS = ("role", "model", "host", "worktree", "branch")


class Lane:
    """One lane as the registry has it.

    Attributes:
        id, role, model, family, host, worktree, branch: Texts; no family is None.
        territory: Paths relative to the repository, with ``/``.
        exclusive: No other lane may own what it owns.
        status: ``active``, ``closed`` or ``dead``.
        started_at, heartbeat_at: Unix seconds; a lane without a heartbeat has None.
        sessions: Heartbeats by session.

    """

    __slots__ = (
        "branch", "exclusive", "family", "heartbeat_at", "host", "id", "model", "role", "sessions",
        "started_at", "status", "territory", "worktree",
    )  # fmt: skip

    def __init__(self, lane: str) -> None:
        self.id = lane
        self.role = "adhoc"
        self.model = "unknown"
        self.family: str | None = None
        self.host = "other"
        self.territory: list[str] = []
        self.exclusive = True
        self.status = "active"
        self.started_at = 0
        self.heartbeat_at: int | None = None
        self.worktree = ""
        self.branch = ""
        self.sessions: dict[str, int] = {}

    def document(self) -> dict[str, Any]:
        """Return the lane as the registry holds it."""
        return {name: getattr(self, name) for name in sorted(self.__slots__)}

    def beat(self, session: str, now: int) -> None:
        """Note that a session of the lane is at work; what had ended begins again."""
        self.status = "active"
        if session:
            self.sessions[session] = now
        self.heartbeat_at = now

    def live_sessions(self, now: int, config: Config) -> dict[str, str]:
        """Return the liveness of each session that is present."""
        if self.status != "active":
            return {}
        words = {key: _word(beat, now, config) for key, beat in self.sessions.items()}
        return {key: word for key, word in words.items() if word in PRESENT}


class Registry:
    """All lanes, in the order in which they came."""

    __slots__ = ("lanes",)

    def __init__(self) -> None:
        self.lanes: dict[str, Lane] = {}

    def data(self) -> bytes:
        """Return the registry's file."""
        from hpp.core.output import pretty_json

        lanes = [lane.document() for lane in self.lanes.values()]
        return pretty_json({"schema": SCHEMA, "lanes": lanes})

    def forget(self, now: int, config: Config) -> None:
        """Leave out what ended long ago, and sessions that are dead."""
        limit = config.seconds("forget_after")
        for lane in list(self.lanes.values()):
            word = liveness(lane, now, config)
            beat = lane.heartbeat_at or 0
            if word in (DEAD, CLOSED) and now - beat > limit:
                del self.lanes[lane.id]
            dead = [key for key, at in lane.sessions.items() if _word(at, now, config) == DEAD]
            for key in dead:
                if len(lane.sessions) > 1:
                    del lane.sessions[key]


def liveness(lane: Lane, now: int, config: Config) -> str:
    """Return ``alive``, ``suspect``, ``dead``, ``skew``, ``unknown`` or ``closed``."""
    if lane.status != "active":
        return lane.status
    return UNKNOWN if lane.heartbeat_at is None else _word(lane.heartbeat_at, now, config)


def _word(beat: int, now: int, config: Config) -> str:
    age = now - beat
    if age < -config.seconds("skew_tolerance"):
        return SKEW
    if age <= config.seconds("suspect_after"):
        return ALIVE
    return SUSPECT if age <= config.seconds("dead_after") else DEAD


def read_registry(path: str) -> Registry:
    """Return the registry; a file that is absent has no lanes.

    Raises:
        Refusal: ``CORRUPT``; what is there is no registry, and is not taken for an empty one.

    """
    registry = Registry()
    try:
        with open(path, "rb") as file:
            data = file.read(_LARGEST + 1)
    except FileNotFoundError:
        return registry
    except OSError as error:
        raise _corrupt(f"it cannot be read: {error.strerror}") from None
    if len(data) > _LARGEST:
        raise _corrupt("larger than 4 MiB")
    try:
        found = parse_bytes(data, "registry.json", root=dict)
    except JsonRefusedError as error:
        raise _corrupt(error.reason) from None
    if found.get("schema") != SCHEMA or not isinstance(found.get("lanes"), list):
        raise _corrupt(f"expected schema {SCHEMA} and a list of lanes")
    for number, raw in enumerate(found["lanes"]):
        lane = _lane(raw, f"lanes[{number}]")
        if lane.id in registry.lanes:
            raise _corrupt(f"lanes[{number}].id: {lane.id} is repeated")
        registry.lanes[lane.id] = lane
    return registry


def _lane(raw: Any, where: str) -> Lane:  # noqa: ANN401 -- any JSON value
    from hpp.core.portable.lane import is_lane_id

    if not isinstance(raw, dict) or not isinstance(raw.get("id"), str):
        raise _corrupt(f"{where}: expected an object with an id")
    if not is_lane_id(raw["id"]):
        raise _corrupt(f"{where}.id: it is no lane id")
    lane = Lane(raw["id"])
    for name in _TEXTS:
        setattr(lane, name, _kind(raw, name, str, getattr(lane, name), where))
    lane.family = _kind(raw, "family", str, None, where)
    lane.exclusive = _kind(raw, "exclusive", bool, default=True, where=where)
    lane.started_at = _kind(raw, "started_at", int, 0, where)
    lane.heartbeat_at = _kind(raw, "heartbeat_at", int, None, where)
    lane.status = _kind(raw, "status", str, "active", where)
    if lane.status not in _STATUS:
        raise _corrupt(f"{where}.status: expected active, closed or dead")
    territory = _kind(raw, "territory", list, [], where)
    if not all(isinstance(each, str) for each in territory):
        raise _corrupt(f"{where}.territory: expected a list of texts")
    lane.territory = list(territory)
    sessions = _kind(raw, "sessions", dict, {}, where)
    if not all(type(each) is int for each in sessions.values()):
        raise _corrupt(f"{where}.sessions: expected whole numbers")
    lane.sessions = dict(sessions)
    return lane


def _kind(raw: dict[str, Any], name: str, kind: type[T], default: Any, where: str) -> Any:  # noqa: ANN401 -- of its kind
    value = raw.get(name)
    if value is None:
        return default
    if type(value) is not kind:
        raise _corrupt(f"{where}.{name}: expected a value of another kind")
    return value


def _corrupt(why: str) -> Exception:
    return no("CORRUPT", f"registry.json: {why}; `lanes.py repair` shows what can be done")


def clean_territory(path: str, root: str) -> str:
    """Return a path of a territory, relative to the repository, with ``/``.

    Raises:
        RefusedError: Empty, outside of the repository, climbing, or a pattern.

    """
    from hpp.core.territory import territory_path

    plain = path.replace("\\", "/")
    if os.path.isabs(path) or plain.startswith("/") or plain[1:2] == ":":
        from hpp.core.portable.fsread import inside

        found = inside(path, root) if os.path.isabs(path) else None
        if found is None:
            raise RefusedError(f"territory: {path!r} lies outside of the repository")
        plain = found
    if not plain.strip() or ".." in plain.split("/") or not {"*", "?", "["}.isdisjoint(plain):
        raise RefusedError(f"territory: expected a path inside of the repository, got {path!r}")
    try:
        return territory_path(plain)
    except ValueError as error:
        raise RefusedError(f"territory: {path!r}: {error}") from None


def lies_in(path: str, folder: str) -> bool:
    """Say whether a path is another one or lies below it, by components."""
    return folder in (".", path) or path.startswith(folder + "/")


def overlap(one: str, other: str) -> bool:
    """Say whether one path is the other or a folder above it."""
    return lies_in(one, other) or lies_in(other, one)
