"""Bring what the board owes to the lanes: reserve, accept, write the message, note it.

Each step is on disk before the next one begins, and each may be repeated: a crash between
two of them loses nothing and tells nobody twice.
"""

from __future__ import annotations

from _lib.board import SCHEMA, Board
from _lib.chain import ChainFile, now_text
from _lib.effect import Ledger, Reservation, open_ledger, owed
from _lib.folder import make_folder
from _lib.mailbox import folder_of, put, quoted

from hpp.core.errors import HppError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from _lib.config import Config
    from _lib.paths import Place

    Event = dict[str, Any]

__all__ = ["deliver", "pending", "reserve", "retry", "sync"]


def read_board(place: Place) -> Board:
    """Return the board as it is on disk."""
    return Board(ChainFile(place.board, SCHEMA).read())


def read_ledger(place: Place) -> Ledger:
    """Return the ledger as it is on disk."""
    return Ledger(open_ledger(place.effects).read())


def pending(place: Place, board: Board | None = None) -> list[Reservation]:
    """Return what is not delivered: reservations, and debts without one."""
    ledger = read_ledger(place)
    debts = owed(read_board(place) if board is None else board)
    missing = [each for each in debts if each.id not in ledger.reservations]
    waiting = [each for each in ledger.reservations.values() if each.state != "delivered"]
    return [*waiting, *missing]


def reserve(place: Place, wanted: list[Reservation], *, accept: bool) -> list[tuple[str, bool]]:
    """Write reservations that are not there; return each name, and whether it was there.

    Args:
        place: The files.
        wanted: What is to be reserved.
        accept: Accept them as well.

    """
    chain = open_ledger(place.effects)
    make_folder(place)
    with chain.held():
        ledger = Ledger(chain.read_held())
        events: list[Event] = []
        seen: list[tuple[str, bool]] = []
        for each in wanted:
            there = ledger.reservations.get(each.id)
            seen.append((each.id, there is not None))
            head = {"kind": "effect", "reservation_id": each.id, **each.about}
            if there is None:
                events.append({**head, "event": "reserved"})
            if accept and (there is None or there.state == "reserved"):
                events.append({**head, "event": "accepted"})
        if events:
            chain.append_held(events, ledger.seq)
    return seen


def sync(place: Place) -> list[str]:
    """Reserve and accept what the board owes and nobody wrote down; return the new names."""
    debts = owed(read_board(place))
    return [name for name, was_there in reserve(place, debts, accept=True) if not was_there]


def step(place: Place, name: str, wanted: str, **more: object) -> Reservation:
    """Write the next step of a reservation, unless it is taken already, and return it.

    Raises:
        Refusal: No such reservation, or it is not there yet.

    """
    chain = open_ledger(place.effects)
    with chain.held():
        ledger = Ledger(chain.read_held())
        found = ledger.known(name)
        if found.state == "delivered" or (found.state, wanted) == ("accepted", "accepted"):
            return found
        if wanted == "delivered" and found.state != "accepted":
            from _lib.refusal import no

            raise no("NOT_ACCEPTED", f"{name} is {found.state}; accept it first")
        for event in chain.append_held([ledger.step(name, wanted, **more)], ledger.seq):
            found.add(event)
    return found


def deliver(place: Place, config: Config, name: str) -> Reservation:
    """Tell the lane of an accepted reservation, and return how far it got.

    Raises:
        HppError: The message cannot be written, which is noted.

    """
    found = step(place, name, "accepted")
    if found.state == "delivered" or not config.flag("mailbox", "notify_on_verdict"):
        return found
    about = found.about
    event = _decision(place, about)
    header = {"to": about["target"], "from": event.get("from", "operator"), "kind": "verdict",
              "item": about["item_id"], "at": now_text(), "id": name}  # fmt: skip
    try:
        message, _ = put(folder_of(place, config), header, _body(about, event))
    except HppError as error:
        step(place, name, "failed", evidence=str(error))
        raise
    return step(place, name, "delivered", evidence=message)


def retry(place: Place, config: Config, name: str | None = None) -> list[Reservation]:
    """Deliver what is pending, or one reservation; return those that were tried."""
    sync(place)
    names = [name] if name else [each.id for each in pending(place)]
    return [deliver(place, config, each) for each in names]


def _decision(place: Place, about: Event) -> Event:
    """Return from whom a decision is, and its words, as the board has them."""
    seq = about.get("board_seq")
    for event in ChainFile(place.board, SCHEMA).read():
        if event["seq"] == seq and event.get("item_id") == about["item_id"]:
            said = [event[key] for key in ("reason", "evidence") if event.get(key)]
            lane = event["by"]["lane"]
            return {"from": lane or "operator", "said": "\n".join(said), "by": event["by"]}
    return {}


def _body(about: Event, event: Event) -> str:
    by = event.get("by", {})
    who = f" by {by['lane']} ({by['model']})" if by.get("lane") else ""
    lines = [f"{about['item_id']}: {about['decision']}{who}\n"]
    if event.get("said"):
        lines.append("\n" + quoted(event["said"]))
    lines.append(f"\nThe whole story: `lane_board.py status {about['item_id']}`\n")
    return "".join(lines)
