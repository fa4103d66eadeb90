"""What a person wants to see of the lanes: who can do what next, and who waits for whom."""

from __future__ import annotations

from _lib.board import TERMINAL
from _lib.registry import PRESENT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _lib.board import Board, Item
    from _lib.identity import Scene

__all__ = ["PERSON", "REVIEWER", "Wait", "waits"]

PERSON = "a person"
REVIEWER = "a reviewer"
_ANYBODY = "--lane your-lane --model your-model"
_BOARD = "python3 scripts/lane_board.py"


class Wait:
    """One open step.

    Attributes:
        item: What waits, an item or a competition.
        who: Lane, role or person that can take the step.
        why: What the step is, in a few words.
        command: What they run.
        is_stuck: The lane that could take the step is gone.

    """

    __slots__ = ("command", "is_lane", "is_stuck", "item", "who", "why")

    def __init__(
        self, item: str, who: str, why: str, command: str, *, is_lane: bool = False
    ) -> None:
        self.item = item
        self.who = who
        self.why = why
        self.command = f"{_BOARD} {command}"
        self.is_lane = is_lane
        self.is_stuck = False


def waits(board: Board, scene: Scene) -> list[Wait]:
    """Return every open step, in the order of the items."""
    found = [
        _wait(scene, item)
        for _, item in sorted(board.items.items())
        if item.state not in TERMINAL and not _is_in_choice(board, item)
    ]
    for task in board.competitions.values():
        if task.is_open:
            rest = [board.known(each) for each in task.remaining]
            families = [family for each in rest for family in each.families]
            command = f"select --task {task.id} --winner {rest[0].id} {_ANYBODY}"
            found.append(Wait(task.id, REVIEWER, f"choose the winner{_but(families)}", command))
    for wait in found:
        word = scene.liveness(wait.who) if wait.is_lane else ""
        wait.is_stuck = wait.is_lane and word not in PRESENT
    return found


def _is_in_choice(board: Board, item: Item) -> bool:
    """Say whether all that an item waits for is the choice in its competition."""
    task = board.task_of(item.id)
    return task is not None and task.is_open and item.state in ("CHECKPOINT-READY", "VERIFIED")


# By state: which of the item's lanes can act, what it does, and the verb with its options.
_OWN = {
    "CLAIMED": ("begin", "build {}"),
    "BUILDING": ("show what was run", "checkpoint {} --evidence TEXT"),
    "NEEDS-FIX": ("mend it", "build {}"),
    "FIX-QUEUED": ("mend it", "build {}"),
}


def _wait(scene: Scene, item: Item) -> Wait:
    but, state = _but(item.families), item.state
    if state in _OWN:
        why, verb = _OWN[state]
        return _for_lane(scene, item, item.target or item.owner, why, verb.format(item.id))
    if state == "UNDER-REVIEW":
        command = f"verdict VERIFIED {item.id}"
        if item.target:
            return _for_lane(scene, item, item.target, "judge it", command)
        return Wait(item.id, REVIEWER, f"judge it{but}", f"{command} {_ANYBODY}")
    if state in ("CHECKPOINT-READY", "DEFERRED"):
        return Wait(item.id, REVIEWER, f"review it{but}", f"review {item.id} {_ANYBODY}")
    if state == "RELEASED":
        return Wait(item.id, "any builder", "take it", f"claim {item.id} {_ANYBODY}")
    return _closing(item)


def _closing(item: Item) -> Wait:
    if item.is_red and item.state == "VERIFIED":
        command = f"approve {item.id} --operator NAME --reason TEXT"
        return Wait(item.id, PERSON, "approve it", command)
    commit = (item.current("VERIFIED") or {}).get("commit")
    tail = f" --commit {commit}" if commit else ""
    return Wait(item.id, "whoever merges", "merge it", f"merge {item.id} {_ANYBODY}{tail}")


def _for_lane(scene: Scene, item: Item, lane: str, why: str, command: str) -> Wait:
    known = scene.registry.lanes.get(lane)
    model = known.model if known is not None else next(
        (model for name, model, _ in reversed(item.builders) if name == lane), "your-model"
    )  # fmt: skip
    # A model's name is free text; only a plain one goes into a line that a person copies.
    plain = model if model.replace("-", "").replace(".", "").isalnum() else "your-model"
    return Wait(item.id, lane, why, f"{command} --lane {lane} --model {plain}", is_lane=True)


def _but(families: list[str | None]) -> str:
    named = sorted({family for family in families if family})
    return f", not a {' or '.join(named)} model" if named else ""
