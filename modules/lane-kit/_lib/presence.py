"""A session comes, works and goes: what the registry is told, and what the session is told."""

from __future__ import annotations

import os
import time

from _lib.config import Config, read_config
from _lib.families import family_of
from _lib.folder import make_folder
from _lib.paths import find_place
from _lib.refusal import Refusal
from _lib.registry import DEAD, PRESENT, SKEW, Lane, liveness, overlap, read_registry
from _lib.registrywrite import change

from hpp.core.errors import HppError, RefusedError
from hpp.core.portable import hookio
from hpp.core.portable import lane as identity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from _lib.paths import Place
    from _lib.registry import Registry

    from hpp.core.portable.payload import Payload

__all__ = ["Presence"]

_WAIT_S = 2.0
_RESCUE_S = 10.0
_ROLES = ("executor", "reviewer", "coordinator", "operator", "adhoc")


class Presence:
    """One session in its lane.

    Attributes:
        lane: Its lane.
        faults: What is wrong, for the person and the model.

    """

    def __init__(self, payload: Payload, now: int | None = None) -> None:
        self.payload = payload
        self.now = int(time.time()) if now is None else now
        self.place: Place = find_place(hookio.project_root(payload), payload.environ)
        self.faults: list[str] = []
        try:
            self.config = read_config(self.place.config)
        except Refusal as error:
            self.config = Config()
            self.faults.append(f"{error}; the defaults are used")
        self.raw = identity.raw_lane_id(payload.environ, payload)
        self.lane = identity.lane_id(payload.environ, payload)
        if self.raw != self.lane:
            self.faults.append(f"the lane id was made into {self.lane}")
        self.session = identity.session_key(payload.session_id) or ""
        self.gone: list[Lane] = []

    def arrive(self) -> Lane:
        """Register the lane with this session, and mark lanes that are dead."""
        make_folder(self.place)
        return self._change(self._arrive)

    def beat(self) -> Lane:
        """Note that the session is at work; a lane that nobody knows is registered fully."""
        make_folder(self.place)

        def apply(registry: Registry) -> Lane:
            lane = registry.lanes.get(self.lane)
            if lane is None:
                return self._arrive(registry)
            lane.beat(self.session, self.now)
            return lane

        return self._change(apply)

    def leave(self) -> None:
        """Take the session out; the lane ends with its last one."""
        if not os.path.lexists(self.place.registry):
            return

        def apply(registry: Registry) -> None:
            lane = registry.lanes.get(self.lane)
            if lane is None:
                return
            lane.sessions.pop(self.session, None)
            if not lane.live_sessions(self.now, self.config):
                lane.status = "closed"
                lane.sessions = {}

        change(self.place.registry, apply, timeout_s=_WAIT_S, now=self.now, config=self.config)

    def rescued(self) -> list[str]:
        """Rescue what lanes left that turned dead just now; return what is to be said of it."""
        from _lib.rescue import capture

        deadline = time.monotonic() + _RESCUE_S
        told = []
        for lane in self.gone:
            left = deadline - time.monotonic()
            if left <= 0:
                self.faults.append(f"lane {lane.id}: no time was left to rescue its work")
                continue
            try:
                path = capture(self.place, lane.id, lane.worktree, limit_s=left)
            except (HppError, OSError) as error:
                self.faults.append(f"lane {lane.id}: its work was not rescued ({error})")
                continue
            if path is not None:
                told.append(f"work of lane {lane.id}, which is dead: {os.path.basename(path)}")
        return told

    def report(self, lane: Lane) -> str:
        """Return what the session is told about itself and the others."""
        registry = read_registry(self.place.registry)
        owned = ", ".join(lane.territory) or "none"
        lines = [f"lane {lane.id}, role {lane.role}, model {lane.model}, territory {owned}"]
        others = []
        for other in registry.lanes.values():
            word = liveness(other, self.now, self.config)
            if other.id != lane.id and word in PRESENT:
                age = max(0, self.now - (other.heartbeat_at or 0))
                paths = f", owns {', '.join(other.territory)}" if other.territory else ""
                others.append(f"{other.id} ({word}, {other.role}, {age} s ago{paths})")
            elif word == SKEW:
                self.faults.append(f"lane {other.id}: its heartbeat lies in the future")
        lines.append(f"here as well: {'; '.join(others)}" if others else "nobody else is here")
        twins = [key for key in lane.live_sessions(self.now, self.config) if key != self.session]
        if twins:
            lines.append(
                f"{len(twins)} other live session{'s' * (len(twins) > 1)} of this lane: set "
                "CLAUDE_LANE_ID to keep them apart; role and model of the first one stand"
            )
        if lane.family is None:
            lines.append(f"model {lane.model} has no known family: it may neither build nor judge")
        return "\n".join(lines)

    def _change(self, apply: Callable[[Registry], Lane]) -> Lane:
        return change(
            self.place.registry,
            apply,
            timeout_s=_WAIT_S,
            now=self.now,
            config=self.config,
        )

    def _arrive(self, registry: Registry) -> Lane:
        for other in registry.lanes.values():
            is_gone = other.status == "active" and liveness(other, self.now, self.config) == DEAD
            if is_gone and other.id != self.lane:
                other.status = "dead"
                self.gone += [other] if other.worktree else []
        lane = registry.lanes.setdefault(self.lane, Lane(self.lane))
        live = lane.live_sessions(self.now, self.config)
        if not any(key != self.session for key in live):
            self._describe(lane)
            if self.session not in live:
                lane.started_at = self.now
                lane.sessions = {}
            lane.territory = self._territory(registry, lane)
        lane.beat(self.session, self.now)
        return lane

    def _describe(self, lane: Lane) -> None:
        payload = self.payload
        role = identity.role(payload.environ, payload)
        model = identity.model(payload.environ, payload)
        # What a session does not say, its lane said before.
        lane.role = role if role in _ROLES and role != "adhoc" else lane.role
        lane.model = model if model != "unknown" else lane.model
        lane.family = family_of(lane.model, self.config.families)
        host = payload.host
        lane.host = host if host != "other" else "codex" if "turn_id" in payload.data else "other"
        lane.worktree = self.place.project
        lane.branch = self._branch()

    def _branch(self) -> str:
        from hpp.core.portable.anchor import branch

        try:
            return branch(self.place.project) or ""
        except RefusedError:
            return ""

    def _territory(self, registry: Registry, lane: Lane) -> list[str]:
        from _lib.registry import clean_territory

        paths = lane.territory
        if not paths:
            try:
                listed = self.config.territories.get(lane.id, [])
                paths = [clean_territory(path, self.place.root) for path in listed]
            except RefusedError as error:
                self.faults.append(str(error))
        kept = []
        for path in paths:
            owner = self._owner(registry, lane, path)
            if owner is None:
                kept.append(path)
            else:
                self.faults.append(f"{path} is owned by lane {owner} meanwhile")
        return kept

    def _owner(self, registry: Registry, lane: Lane, path: str) -> str | None:
        for other in registry.lanes.values():
            if other.id == lane.id or liveness(other, self.now, self.config) not in PRESENT:
                continue
            if (lane.exclusive or other.exclusive) and any(
                overlap(path, owned) for owned in other.territory
            ):
                return other.id
        return None
