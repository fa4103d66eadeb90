"""The loop of a piece of work, and the replay of events over it.

A log holds any number of pieces of work; the loop runs once for each. An event finds its
piece by ``data.work``, or without one by the rules in `Replay._unnamed`.
"""

from __future__ import annotations

from hpp.core.errors import RefusedError
from hpp.core.text import shorten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from hpp.core.manifest import Manifest

__all__ = ["EVIDENCE", "VERIFIED", "Loop", "Replay", "Work", "check_work_name"]

EVIDENCE = "evidence_recorded"
VERIFIED = "verified"
_LONGEST_NAME = 200
_NEXT = {
    "planned": "start work",
    "active": "record fresh evidence",
    "evidenced": "run read-only checker",
    "checked": "request human gate",
    "approved": "verify closure",
    "verified": "no-op",
}


class Loop:
    """States and the events that move between them.

    Args:
        initial: State of a piece of work before its first event.
        transitions: (from, event, to), each (from, event) once.

    """

    __slots__ = ("initial", "moves", "opening")

    def __init__(self, initial: str, transitions: Iterable[tuple[str, str, str]]) -> None:
        self.initial = initial
        self.moves: dict[str, dict[str, str]] = {}
        for state, event, target in transitions:
            self.moves.setdefault(state, {})[event] = target
        self.opening = frozenset(self.moves.get(initial, ()))

    @classmethod
    def of(cls, manifest: Manifest) -> Loop:
        """Return the loop that a manifest declares."""
        declared = manifest.loop
        return cls(
            declared.initial,
            [(move.from_state, move.event, move.to_state) for move in declared.transitions],
        )

    def allowed(self, state: str) -> list[str]:
        """Return the event types that leave a state, sorted."""
        return sorted(self.moves.get(state, ()))

    def next_step(self, state: str) -> str:
        """Return what a person does next in a state."""
        known = _NEXT.get(state)
        if known is not None:
            return known
        allowed = self.allowed(state)
        return "append one of: " + ", ".join(allowed) if allowed else "no-op"


class Work:
    """One piece of work as its events left it."""

    __slots__ = ("actors", "evidence_count", "history", "last_seq", "name", "state")

    def __init__(self, name: str | None, state: str) -> None:
        self.name = name
        self.state = state
        self.history: list[str] = []
        self.evidence_count = 0
        self.last_seq = 0
        self.actors: list[str] = []

    @property
    def shown(self) -> str:
        """Return the name for a message."""
        return "the piece of work without a name" if self.name is None else shorten(self.name)


class Replay:
    """The pieces of work of a log, event by event.

    Attributes:
        works: In order of their first event.

    """

    def __init__(self, loop: Loop) -> None:
        self.loop = loop
        self.works: list[Work] = []
        self._named: dict[str, Work] = {}
        self._unnamed: Work | None = None
        self._open: dict[int, Work] = {}
        self._last: Work | None = None

    def step(self, seq: int, kind: str, data: dict[str, Any]) -> Work:
        """Apply one event and return the piece of work it moved.

        Raises:
            RefusedError: The loop does not allow it; this replay is of no further use.

        """
        if "work" in data:
            name = data["work"]
            work = self._named.get(name) if type(name) is str else None
            if work is None:
                work = self._name(name, kind)
        else:
            work = self._without_name(kind)
        target = self.loop.moves.get(work.state, _NOWHERE).get(kind)
        if target is None:
            raise self._not_allowed(seq, kind, work)
        if kind == EVIDENCE:
            work.evidence_count += 1
        elif kind == VERIFIED and not work.evidence_count:
            raise RefusedError(
                f"event:{seq}: {work.shown} has no {EVIDENCE}, so it cannot be verified"
            )
        self._move(work, seq, kind, target)
        if "actor" in data:
            actor = data["actor"]
            if isinstance(actor, str) and actor not in work.actors:
                work.actors.append(actor)
        return work

    def current(self) -> Work:
        """Return the open piece touched last; else the piece touched last; else a new one."""
        if self._open:
            return max(self._open.values(), key=_last_seq)
        return self._last or Work(None, self.loop.initial)

    def open_works(self) -> list[Work]:
        """Return the pieces that an event can still move, in order of their first event."""
        return [work for work in self.works if id(work) in self._open]

    def _move(self, work: Work, seq: int, kind: str, target: str) -> None:
        if not work.history:
            self._admit(work)
        work.state = target
        work.history.append(kind)
        work.last_seq = seq
        self._last = work
        if target not in self.loop.moves:
            self._open.pop(id(work), None)

    def _admit(self, work: Work) -> None:
        self.works.append(work)
        self._open[id(work)] = work
        if work.name is None:
            self._unnamed = work
        else:
            self._named[work.name] = work

    def _name(self, name: object, kind: str) -> Work:
        """Find the piece of an event that carries a name no piece has yet."""
        checked = check_work_name(name)
        if kind not in self.loop.opening:
            unnamed = self._unnamed
            if unnamed is not None and id(unnamed) in self._open:
                # Only taken over by an event that the loop allows: a refused one names nothing.
                if kind in self.loop.moves.get(unnamed.state, _NOWHERE):
                    unnamed.name = checked
                    self._named[checked] = unnamed
                    self._unnamed = None
                return unnamed
        return Work(checked, self.loop.initial)

    def _without_name(self, kind: str) -> Work:
        unnamed = self._unnamed
        if unnamed is not None and id(unnamed) in self._open:
            return unnamed
        if unnamed is None and kind in self.loop.opening:
            return Work(None, self.loop.initial)
        if len(self._open) == 1:
            return next(iter(self._open.values()))
        if self._open:
            names = ", ".join(work.shown for work in self.open_works())
            raise RefusedError(f"several pieces of work are open ({names}); name one in data.work")
        return self._last or Work(None, self.loop.initial)

    def _not_allowed(self, seq: int, kind: str, work: Work) -> RefusedError:
        allowed = ", ".join(self.loop.allowed(work.state)) or "nothing: it is finished"
        return RefusedError(
            f"event:{seq}: {shorten(kind)} is not allowed in state {shorten(work.state)} "
            f"of {work.shown}; allowed: {allowed}"
        )


def check_work_name(name: object) -> str:
    """Return the name of a piece of work.

    Raises:
        RefusedError: It is no text of 1 to 200 characters without control characters and
            without blanks at its ends.

    """
    if not isinstance(name, str):
        raise RefusedError("data.work: expected a text")
    if not 1 <= len(name) <= _LONGEST_NAME:
        raise RefusedError(f"data.work: expected 1 to {_LONGEST_NAME} characters, got {len(name)}")
    if name != name.strip():
        raise RefusedError("data.work: it begins or ends with a blank")
    if any(ord(char) < 0x20 or 0x7F <= ord(char) < 0xA0 for char in name):  # noqa: PLR2004 -- C0, C1
        raise RefusedError("data.work: it holds a control character")
    return name


_NOWHERE: dict[str, str] = {}


def _last_seq(work: Work) -> int:
    return work.last_seq
