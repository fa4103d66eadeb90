"""What the board says now: items and competitions, replayed from its events.

The order of events is their number; their times are shown and decide nothing, so a clock
that goes back changes no state.
"""

from __future__ import annotations

from _lib.refusal import no

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    Event = dict[str, Any]

__all__ = [
    "BUILD_STATES", "OWING", "SCHEMA", "STATES", "TERMINAL", "Board", "Competition", "Item",
    "checked_id", "is_owing",
]  # fmt: skip

SCHEMA = "hpp.lane-board/v1"
STATES = (
    "CLAIMED", "BUILDING", "CHECKPOINT-READY", "UNDER-REVIEW", "VERIFIED", "NEEDS-FIX",
    "FIX-QUEUED", "DEFERRED", "APPROVED", "MERGED", "NOT-SELECTED", "WITHDRAWN", "RELEASED",
)  # fmt: skip
TERMINAL = frozenset({"MERGED", "NOT-SELECTED", "WITHDRAWN"})
BUILD_STATES = frozenset({"CLAIMED", "BUILDING", "CHECKPOINT-READY"})
_ENDS_VERDICT = frozenset({"BUILDING", "CHECKPOINT-READY", "UNDER-REVIEW"})
OWING = frozenset({"VERIFIED", "NEEDS-FIX", "DEFERRED", "NOT-SELECTED", "WITHDRAWN"})
_COMPETITION_STATES = ("DECLARED", "SELECTED", "DEFERRED", "WITHDRAWN")
_FIRST = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
_REST = _FIRST | frozenset("._-")
_LONGEST = 64


def checked_id(text: str, what: str = "item") -> str:
    """Return the id of an item or a task.

    Raises:
        Refusal: ``ID_INVALID``; it is none.

    """
    if 0 < len(text) <= _LONGEST and text[0] in _FIRST and _REST.issuperset(text):
        return text
    from hpp.core.text import shorten

    raise no(
        "ID_INVALID",
        f"{what}: expected 1 to 64 letters, digits, '.', '_' or '-', the first a letter or digit, "
        f"got {shorten(text)!r}",
    )


class Item:
    """One work item.

    Attributes:
        id: As it was first spelled.
        events: All of them, in order.
        builders: ``(lane, model, family)`` of everyone who ever built it, in order.

    """

    __slots__ = ("_owner", "builders", "events", "id", "is_red")

    def __init__(self, item: str) -> None:
        self.id = item
        self.events: list[Event] = []
        self.builders: list[tuple[str, str, str | None]] = []
        self.is_red = False
        self._owner = ""

    def add(self, event: Event) -> None:
        """Take in the next event."""
        self.events.append(event)
        self.is_red = self.is_red or event.get("tag") == "red"
        joined = event.get("joined") is True
        if joined or event["state"] in BUILD_STATES:
            by = event["by"]
            builder = (by["lane"], by["model"], by["family"])
            if builder not in self.builders:
                self.builders.append(builder)
            if not joined:
                self._owner = by["lane"]

    @property
    def last(self) -> Event:
        """Return the latest event."""
        return self.events[-1]

    @property
    def state(self) -> str:
        """Return the state it is in."""
        state: str = self.last["state"]
        return state

    @property
    def owner(self) -> str:
        """Return the lane of the latest build event, joins left out."""
        return self._owner

    @property
    def lanes(self) -> list[str]:
        """Return the lanes that ever built it, each once."""
        return list(dict.fromkeys(lane for lane, _, _ in self.builders))

    @property
    def families(self) -> list[str | None]:
        """Return the families that ever built it, each once."""
        return list(dict.fromkeys(family for _, _, family in self.builders))

    @property
    def target(self) -> str | None:
        """Return the lane that a fix or a review is queued for, while it is."""
        return self.last.get("target_lane")

    @property
    def checkpoint(self) -> Event | None:
        """Return the latest checkpoint."""
        found = (each for each in reversed(self.events) if each["state"] == "CHECKPOINT-READY")
        return next(found, None)

    @property
    def round(self) -> int:
        """Return how many events so far owed the builder a message."""
        return sum(is_owing(event) for event in self.events)

    def current(self, state: str) -> Event | None:
        """Return the latest verdict or approval of this kind that nothing has overtaken."""
        for event in reversed(self.events):
            if event["state"] == state and not event.get("joined"):
                return event
            if event["state"] in _ENDS_VERDICT:
                return None
        return None


class Competition:
    """Several candidates for one task.

    Attributes:
        id: Of the task.
        candidates: Items, in order, withdrawn ones included.
        withdrawn: Those that were taken out.
        winner: The item selected, or None.
        state: Of the latest event.
        events: All of them.

    """

    __slots__ = ("candidates", "events", "id", "state", "winner", "withdrawn")

    def __init__(self, task: str) -> None:
        self.id = task
        self.candidates: list[str] = []
        self.withdrawn: list[str] = []
        self.winner: str | None = None
        self.state = ""
        self.events: list[Event] = []

    def add(self, event: Event) -> None:
        """Take in the next event."""
        self.events.append(event)
        self.state = event["state"]
        if self.state == "DECLARED":
            self.candidates = list(event["candidates"])
        elif self.state == "SELECTED":
            self.winner = event["winner"]
        elif self.state == "WITHDRAWN":
            self.withdrawn.append(event["item"])

    @property
    def remaining(self) -> list[str]:
        """Return the candidates that were not withdrawn."""
        return [item for item in self.candidates if item not in self.withdrawn]

    @property
    def is_open(self) -> bool:
        """Say whether no winner is selected yet."""
        return self.winner is None


class Board:
    """Items and competitions by their id, without regard to case.

    Args:
        events: From the board's file, checked as a chain.

    Raises:
        Refusal: ``CORRUPT``; an event is not of the shape that the board writes.

    """

    def __init__(self, events: Iterable[Event]) -> None:
        self.items: dict[str, Item] = {}
        self.competitions: dict[str, Competition] = {}
        self._tasks: dict[str, Competition] = {}
        self.seq = 0
        for event in events:
            self.add(event)

    def add(self, event: Event) -> None:
        """Take in the next event."""
        self.seq += 1
        fault = _fault(event)
        if fault:
            raise no("CORRUPT", f"board.jsonl line {self.seq + 1}: {fault}; nothing was written")
        if event["kind"] == "item":
            key = event["item_id"].lower()
            self.items.setdefault(key, Item(event["item_id"])).add(event)
        elif event["kind"] == "competition":
            key = event["task_id"].lower()
            task = self.competitions.setdefault(key, Competition(event["task_id"]))
            task.add(event)
            for item in task.candidates:
                self._tasks[item.lower()] = task

    def item(self, item: str) -> Item | None:
        """Return an item, or None."""
        return self.items.get(item.lower())

    def task(self, task: str) -> Competition | None:
        """Return a competition, or None."""
        return self.competitions.get(task.lower())

    def task_of(self, item: str) -> Competition | None:
        """Return the competition that an item is or was a candidate of, or None."""
        return self._tasks.get(item.lower())

    def known(self, item: str) -> Item:
        """Return an item.

        Raises:
            Refusal: ``UNKNOWN_ITEM``; it has no event.

        """
        found = self.item(item)
        if found is None:
            raise no("UNKNOWN_ITEM", f"{item} has no event on the board; claim it first")
        return found


def is_owing(event: Event) -> bool:
    """Say whether an event owes the item's builder a message."""
    return event["kind"] == "item" and event["state"] in OWING and not event.get("joined")


def _fault(event: Event) -> str:
    kind = event.get("kind")
    if kind == "note":
        return ""
    if kind not in ("item", "competition"):
        return "its kind is none that the board writes"
    by = event.get("by")
    if not isinstance(by, dict) or not all(
        isinstance(by.get(key), str) for key in ("lane", "model")
    ):
        return "by: expected lane and model"
    if not isinstance(by.get("family", ""), (str, type(None))) or "family" not in by:
        return "by.family: expected a text or null"
    return _item_fault(event) if kind == "item" else _task_fault(event)


def _item_fault(event: Event) -> str:
    if not isinstance(event.get("item_id"), str):
        return "item_id: expected a text"
    if event.get("state") not in STATES:
        return "state: it is none that the board writes"
    for key in ("evidence", "reason", "commit", "branch", "target_lane", "tag", "task_id"):
        if not isinstance(event.get(key, ""), str):
            return f"{key}: expected a text"
    return ""


def _task_fault(event: Event) -> str:
    if not isinstance(event.get("task_id"), str):
        return "task_id: expected a text"
    if event.get("state") not in _COMPETITION_STATES:
        return "state: it is none that the board writes"
    listed = event.get("candidates")
    if not isinstance(listed, list) or not all(isinstance(each, str) for each in listed):
        return "candidates: expected a list of texts"
    needed = {"SELECTED": "winner", "WITHDRAWN": "item"}.get(event["state"])
    if needed and not isinstance(event.get(needed), str):
        return f"{needed}: expected a text"
    return ""
