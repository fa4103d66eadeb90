"""The ledger of effects: a decision and telling somebody about it are two facts.

A reservation's name follows from what it is about, so asking twice is asking once; a second
decision on the same item is another round and another name.
"""

from __future__ import annotations

from hashlib import sha256

from _lib.board import is_owing
from _lib.chain import ChainFile
from _lib.refusal import no

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from _lib.board import Board

    Event = dict[str, Any]

__all__ = ["SCHEMA", "Ledger", "Reservation", "open_ledger", "owed", "reservation_id"]

SCHEMA = "hpp.lane-effects/v1"
_STEPS = ("reserved", "accepted", "delivered", "failed")
_ABOUT = ("item_id", "decision", "target", "effect", "round", "board_seq")


def reservation_id(item: str, decision: str, target: str, effect: str, number: int) -> str:
    """Return the name of a reservation: 16 hexadecimal digits."""
    from hpp.core.canonical import canonical_bytes

    return sha256(canonical_bytes([item, decision, target, effect, number])).hexdigest()[:16]


class Reservation:
    """What is to be told to whom, and how far it got.

    Attributes:
        id: Its name.
        about: ``item_id``, ``decision``, ``target``, ``effect``, ``round``, ``board_seq``.
        state: ``reserved``, ``accepted`` or ``delivered``.
        events: All of its events.

    """

    __slots__ = ("about", "events", "id", "state")

    def __init__(self, name: str, about: Event) -> None:
        self.id = name
        self.about = about
        self.state = ""
        self.events: list[Event] = []

    def add(self, event: Event) -> None:
        """Take in the next event; a failure leaves the state as it was."""
        self.events.append(event)
        if event["event"] != "failed":
            self.state = event["event"]

    def document(self) -> Event:
        """Return the reservation as one JSON object."""
        last = self.events[-1] if self.events else {}
        shown: Event = {key: last[key] for key in ("evidence", "doorbell") if key in last}
        return {"reservation_id": self.id, "state": self.state or "missing", **self.about, **shown}


class Ledger:
    """All reservations, replayed.

    Raises:
        Refusal: ``CORRUPT``; an event is not of the shape that the ledger writes.

    """

    def __init__(self, events: Iterable[Event]) -> None:
        self.reservations: dict[str, Reservation] = {}
        self.seq = 0
        for event in events:
            self.add(event)

    def add(self, event: Event) -> None:
        """Take in the next event."""
        self.seq += 1
        if event.get("kind") == "note":
            return
        name = event.get("reservation_id")
        is_sound = (
            isinstance(name, str)
            and event.get("event") in _STEPS
            and all(isinstance(event.get(key), str) for key in _ABOUT[:4])
            and type(event.get("round")) is int
        )
        if not is_sound or not isinstance(name, str):
            raise no("CORRUPT", f"effects.jsonl line {self.seq + 1}: it is no effect")
        about = {key: event[key] for key in _ABOUT if key in event}
        self.reservations.setdefault(name, Reservation(name, about)).add(event)

    def known(self, name: str) -> Reservation:
        """Return a reservation.

        Raises:
            Refusal: ``UNKNOWN_EFFECT``; there is none of this name.

        """
        found = self.reservations.get(name)
        if found is None:
            raise no("UNKNOWN_EFFECT", f"no reservation {name}")
        return found

    def step(self, name: str, step: str, **more: object) -> Event:
        """Return the event of the next step of a reservation."""
        about = self.reservations[name].about
        return {"kind": "effect", "event": step, "reservation_id": name, **about, **more}


def open_ledger(path: str) -> ChainFile:
    """Return the ledger's file."""
    return ChainFile(path, SCHEMA)


def owed(board: Board) -> list[Reservation]:
    """Return what the board's events owe, in their order, none of it written anywhere yet.

    The one who is owed is the lane of the latest build event before the decision.
    """
    found: list[Reservation] = []
    for item in board.items.values():
        target, number = "", 0
        for event in item.events:
            if is_owing(event):
                if target:
                    found.append(_owed(item.id, event, target, number))
                number += 1
            elif event["state"] in ("CLAIMED", "BUILDING", "CHECKPOINT-READY"):
                target = event["by"]["lane"]
    return sorted(found, key=lambda each: each.about["board_seq"])


def _owed(item: str, event: Event, target: str, number: int) -> Reservation:
    about = {"item_id": item, "decision": event["state"], "target": target, "effect": "mailbox",
             "round": number, "board_seq": event["seq"]}  # fmt: skip
    return Reservation(reservation_id(item, event["state"], target, "mailbox", number), about)
