"""Best of several: declare candidates for a task, select one, or take one out."""

from __future__ import annotations

from _lib.board import TERMINAL, checked_id
from _lib.move import check_independence
from _lib.refusal import no

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from _lib.board import Board, Competition, Item
    from _lib.identity import Actor
    from _lib.move import Wish

    Event = dict[str, Any]

__all__ = ["compete", "select", "withdraw"]

_FEWEST, _MOST = 2, 16


def compete(board: Board, task: str, items: list[str], actor: Actor) -> list[Event]:
    """Return the event that makes claimed items the candidates of a task."""
    checked_id(task, "task")
    for item in items:
        checked_id(item)
    if board.task(task) is not None or board.item(task) is not None:
        raise no("TASK_EXISTS", f"{task} is used already")
    if len({item.lower() for item in items}) != len(items):
        raise no("DUPLICATE_ITEM", "an item is named twice")
    if not _FEWEST <= len(items) <= _MOST:
        raise no("TOO_FEW", f"a competition has 2 to 16 items, not {len(items)}")
    found = [_candidate(board, item) for item in items]
    _check_builders(found)
    return [
        {"kind": "competition", "event": "compete", "task_id": task, "state": "DECLARED",
         "candidates": [item.id for item in found], "by": actor.document()}
    ]  # fmt: skip


def _candidate(board: Board, item: str) -> Item:
    found = board.item(item)
    if found is None or found.state == "RELEASED":
        raise no("NEVER_CLAIMED", f"{item} is claimed by nobody")
    if found.state in TERMINAL or found.state == "APPROVED":
        raise no("FINISHED_ITEM", f"{found.id} is {found.state}")
    other = board.task_of(item)
    if other is not None:
        raise no("IN_OTHER_TASK", f"{found.id} is a candidate of {other.id}")
    return found


def _check_builders(items: list[Item]) -> None:
    seen: dict[str, str] = {}
    for item in items:
        for lane in item.lanes:
            if seen.setdefault(lane, item.id) != item.id:
                raise no("SHARED_BUILDER", f"lane {lane} built {seen[lane]} and {item.id}")


def _open_task(board: Board, task: str) -> Competition:
    found = board.task(task)
    if found is None:
        raise no("TASK_UNKNOWN", f"no competition {task} was declared")
    if not found.is_open:
        raise no("TASK_DECIDED", f"{found.id} was won by {found.winner}")
    return found


def select(board: Board, task: str, winner: str, wish: Wish) -> list[Event]:
    """Return the events of a selection, or of a selection that could not be made.

    Args:
        board: The board.
        task: The competition.
        winner: The item, or an empty text with ``checker_unavailable``.
        wish: The reviewer, and what else it carries.

    """
    found, actor = _open_task(board, task), wish.actor
    head = {"kind": "competition", "event": "select", "task_id": found.id,
            "candidates": found.candidates, "withdrawn": found.withdrawn}  # fmt: skip
    if wish.checker_unavailable:
        if winner:
            raise no("CHECKER_UNAVAILABLE", "without a checker there is no winner")
        return [{**head, "state": "DEFERRED", "by": actor.document(), **wish.carried()}]
    chosen = _remaining(board, found, winner)
    if actor.role != "reviewer":
        raise no("ROLE", f"a selection is a reviewer's, not the {actor.role}'s")
    rest = [board.known(item) for item in found.remaining]
    for item in rest:
        if not _is_ready(item):
            raise no(
                "CANDIDATE_NOT_READY", f"{item.id} is {item.state}; each has its checkpoint first"
            )
    families = list(dict.fromkeys(family for item in rest for family in item.families))
    check_independence(actor, [board.known(item) for item in found.candidates], families)
    losers = [item for item in rest if item.id != chosen.id]
    decided = {
        **head,
        "state": "SELECTED",
        "winner": chosen.id,
        "not_selected": [item.id for item in losers],
        "compared": [_compared(item) for item in rest],
        "by": actor.document(),
        **wish.carried(),
    }
    return [decided, *(_lost(item, found, chosen, actor) for item in losers)]


def _is_ready(item: Item) -> bool:
    if item.state == "VERIFIED":
        return True
    last = item.checkpoint
    return item.state == "CHECKPOINT-READY" and last is not None and bool(
        last.get("evidence") or last.get("evidence_record")
    )  # fmt: skip


def _remaining(board: Board, task: Competition, item: str) -> Item:
    found = board.item(item)
    if found is None or found.id not in task.candidates:
        raise no("NOT_CANDIDATE", f"{item} is no candidate of {task.id}")
    if found.id in task.withdrawn:
        raise no("ALREADY_WITHDRAWN", f"{found.id} was withdrawn from {task.id}")
    return found


def _compared(item: Item) -> Event:
    last = item.checkpoint or {}
    keys = ("evidence", "evidence_record", "commit")
    return {"item": item.id, "state": item.state, **{key: last[key] for key in keys if key in last}}


def _lost(item: Item, task: Competition, chosen: Item, actor: Actor) -> Event:
    return {"kind": "item", "event": "select", "item_id": item.id, "state": "NOT-SELECTED",
            "task_id": task.id, "winner": chosen.id, "by": actor.document()}  # fmt: skip


def withdraw(board: Board, task: str, item: str, wish: Wish) -> list[Event]:
    """Return the events that take a candidate out of an undecided competition."""
    found, actor = _open_task(board, task), wish.actor
    chosen = _remaining(board, found, item)
    if not wish.reason.strip():
        raise no("REASON_MISSING", "a withdrawal needs --reason")
    if chosen.state in TERMINAL:
        raise no("TERMINAL", f"{chosen.id} is {chosen.state}, which is the end of it")
    if len(found.remaining) == 1:
        raise no("LAST_CANDIDATE", f"{chosen.id} is the last candidate of {found.id}")
    for other in found.remaining:
        if other != chosen.id and actor.lane in board.known(other).lanes:
            raise no("RIVAL_BUILDER", f"lane {actor.lane} built {other}, a rival of {chosen.id}")
    both = {"by": actor.document(), **wish.carried()}
    return [
        {"kind": "competition", "event": "withdraw", "task_id": found.id, "state": "WITHDRAWN",
         "candidates": found.candidates, "withdrawn": [*found.withdrawn, chosen.id],
         "item": chosen.id, **both},
        {"kind": "item", "event": "withdraw", "item_id": chosen.id, "state": "WITHDRAWN",
         "task_id": found.id, **both},
    ]  # fmt: skip
