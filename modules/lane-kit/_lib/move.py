"""The moves of one item: which state may follow which, by whom, and under what conditions.

Each function judges a request against the board and returns the event to write, or raises
the refusal with its reason.
"""

from __future__ import annotations

from _lib.board import TERMINAL
from _lib.identity import human_gate
from _lib.refusal import no

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from _lib.board import Board, Competition, Item
    from _lib.identity import Actor, Scene

    Event = dict[str, Any]

__all__ = [
    "VERB_ONLY",
    "Wish",
    "approve",
    "claim",
    "move",
    "release",
    "release_fix",
    "start_review",
]

VERB_ONLY = {
    "FIX-QUEUED": "release-fix",
    "APPROVED": "approve",
    "NOT-SELECTED": "select",
    "WITHDRAWN": "withdraw",
    "RELEASED": "release",
}
# What `set` may do from a state; the other verbs are named where a pair is refused.
_NEXT = {
    "CLAIMED": ("BUILDING",),
    "BUILDING": ("BUILDING", "CHECKPOINT-READY"),
    "CHECKPOINT-READY": ("BUILDING", "UNDER-REVIEW"),
    "UNDER-REVIEW": ("VERIFIED", "NEEDS-FIX", "DEFERRED"),
    "DEFERRED": ("UNDER-REVIEW",),
    "NEEDS-FIX": ("BUILDING",),
    "FIX-QUEUED": ("BUILDING",),
    "VERIFIED": ("UNDER-REVIEW", "MERGED"),
    "APPROVED": ("UNDER-REVIEW", "MERGED"),
    "RELEASED": (),
}
_EVENT = {
    "BUILDING": "build",
    "CHECKPOINT-READY": "checkpoint",
    "UNDER-REVIEW": "review",
    "VERIFIED": "verdict",
    "NEEDS-FIX": "verdict",
    "DEFERRED": "verdict",
    "MERGED": "merge",
}
_JOINABLE = ("CLAIMED", "BUILDING", "NEEDS-FIX")
_TAKEABLE = ("CLAIMED", "BUILDING", "FIX-QUEUED")
_RELEASABLE = ("CLAIMED", "BUILDING", "NEEDS-FIX", "FIX-QUEUED")
_GONE = ("dead", "closed", "absent")
_VERDICTS = ("VERIFIED", "NEEDS-FIX")


class Wish:
    """Who asks, and what the request carries.

    Attributes:
        actor: Who asks.
        evidence, reason, branch, commit, tag, operator: Texts, empty when not given.
        record: ``{path, id, record_sha256}`` of a record that was verified, or None.
        checker_unavailable, human_approved: What the flags say.

    """

    __slots__ = (
        "actor",
        "branch", "checker_unavailable", "commit", "evidence", "human_approved", "operator",
        "reason", "record", "tag",
    )  # fmt: skip

    actor: Actor

    def __init__(self) -> None:
        self.branch = self.commit = self.evidence = self.operator = self.reason = self.tag = ""
        self.record: dict[str, str] | None = None
        self.checker_unavailable = self.human_approved = False

    def carried(self) -> Event:
        """Return what an event keeps of it."""
        kept: Event = {}
        for name in ("tag", "branch", "commit", "evidence", "reason", "operator"):
            if getattr(self, name):
                kept[name] = getattr(self, name)
        if self.record is not None:
            kept["evidence_record"] = self.record
        return kept


def claim(board: Board, scene: Scene, item: str, wish: Wish, *, how: str = "") -> Event | None:
    """Return the event of a claim; None when the owner claims again and nothing changes.

    Args:
        board: The board.
        scene: What it is judged in.
        item: Id of the item.
        wish: Who asks, and what it carries.
        how: ``join``, ``takeover`` or empty.

    """
    found, actor = board.item(item), wish.actor
    if board.task(item) is not None:
        raise no("TASK_EXISTS", f"{item} is the name of a competition")
    if found is not None and found.state in TERMINAL:
        raise _terminal(found)
    _check_executor(actor, "CLAIMED")
    if found is not None and found.owner == actor.lane and not how and found.state != "RELEASED":
        return None
    actor.check_family()
    _check_rivals(board, item, actor.lane)
    event = {"kind": "item", "event": how or "claim", "item_id": found.id if found else item}
    if found is None or found.state == "RELEASED":
        if how:
            raise no("TRANSITION", f"{item} is held by nobody; claim it without --{how}")
        return {**event, "state": "CLAIMED", "by": actor.document(), **wish.carried()}
    if not how:
        holder = found.target if found.state == "FIX-QUEUED" else found.owner
        raise no(
            "ALREADY_CLAIMED",
            f"{found.id} is held by lane {holder} ({scene.liveness(holder or '')}), state "
            f"{found.state}; --join builds along, --takeover follows a lane that is gone",
        )
    if how == "join":
        return {**event, **_join(found, actor), "by": actor.document(), **wish.carried()}
    return {**event, **_takeover(found, scene, actor, wish), "by": actor.document(),
            **wish.carried()}  # fmt: skip


def _join(item: Item, actor: Actor) -> Event:
    if item.state not in _JOINABLE:
        raise no("TRANSITION", f"{item.id} is {item.state}; it can be joined in {_or(_JOINABLE)}")
    if actor.lane in item.lanes:
        raise no("ALREADY_CLAIMED", f"lane {actor.lane} builds {item.id} already")
    return {"state": item.state, "joined": True}


def _takeover(item: Item, scene: Scene, actor: Actor, wish: Wish) -> Event:
    if item.state not in _TAKEABLE:
        raise no(
            "TRANSITION", f"{item.id} is {item.state}; it can be taken over in {_or(_TAKEABLE)}"
        )
    holder = (item.target or "") if item.state == "FIX-QUEUED" else item.owner
    if holder == actor.lane:
        raise no("ALREADY_CLAIMED", f"lane {actor.lane} holds {item.id} itself")
    _check_reason(wish, "a takeover")
    word = scene.liveness(holder)
    if word not in _GONE:
        raise no("HOLDER_ALIVE", f"lane {holder} holds {item.id} and is {word}, not gone")
    return {"state": "CLAIMED", "takeover_of": holder}


def move(board: Board, scene: Scene, item: str, state: str, wish: Wish) -> Event:
    """Return the event of ``set``, and of the verbs that mean the same."""
    if state in VERB_ONLY:
        raise no("VERB_ONLY", f"{state} is written by `{VERB_ONLY[state]}` alone")
    found = board.known(item)
    if found.state in TERMINAL:
        raise _terminal(found)
    if state == "MERGED" and found.current("VERIFIED") is None:
        raise no("NOT_VERIFIED", f"{found.id} is {found.state} and has no current verdict VERIFIED")
    if state not in _NEXT[found.state]:
        raise no("TRANSITION", f"{found.id}: {found.state} to {state}; {_allowed(found.state)}")
    _check_move(board, scene, found, state, wish)
    event = _event(_EVENT[state], found, state, wish)
    if state in _VERDICTS:
        actor = wish.actor
        event["verdict_by"] = {"lane": actor.lane, "model": actor.model, "family": actor.family}
    return event


def _check_move(board: Board, scene: Scene, item: Item, state: str, wish: Wish) -> None:
    if state == "BUILDING":
        _check_building(board, item, wish)
    elif state == "CHECKPOINT-READY":
        _check_checkpoint(scene, item, wish)
    elif state == "UNDER-REVIEW":
        _check_review(item, wish)
    elif state in _VERDICTS:
        _check_verdict(scene, item, wish)
        if state == "NEEDS-FIX" and not wish.reason.strip() and not wish.evidence.strip():
            raise no("REASON_MISSING", "NEEDS-FIX says what to fix: --reason or --evidence")
    elif state == "DEFERRED":
        if not wish.checker_unavailable:
            raise no(
                "DEFERRED_FLAG", "DEFERRED says that no review happened: --checker-unavailable"
            )
    else:
        _check_merge(scene, item, board.task_of(item.id), wish)


def _check_building(board: Board, item: Item, wish: Wish) -> None:
    actor, task = wish.actor, board.task_of(item.id)
    _check_executor(actor, "BUILDING")
    actor.check_family()
    if item.state == "FIX-QUEUED":
        if actor.lane != item.target:
            raise no("NOT_TARGET", f"the fix of {item.id} is queued for lane {item.target}")
        _check_rivals(board, item.id, actor.lane)
        return
    if item.state == "CHECKPOINT-READY":
        _check_owner(item, actor, "takes its checkpoint back")
        _check_reason(wish, "taking a checkpoint back")
        if task is not None and not task.is_open:
            raise no(
                "TASK_DECIDED", f"{task.id} is decided; its candidates stay as they were judged"
            )
        return
    if actor.lane not in item.lanes:
        raise no(
            "NOT_BUILDER",
            f"lane {actor.lane} builds {item.id} not; its builders are {_and(item.lanes)} "
            "(claim --join makes one more)",
        )
    _check_rivals(board, item.id, actor.lane)


def _check_checkpoint(scene: Scene, item: Item, wish: Wish) -> None:
    actor = wish.actor
    _check_executor(actor, "CHECKPOINT-READY")
    _check_owner(item, actor, "makes a checkpoint")
    actor.check_family()
    if not wish.evidence.strip() and wish.record is None:
        raise no(
            "EVIDENCE_MISSING", "a checkpoint shows what was run: --evidence or --evidence-record"
        )
    if scene.config.flag("board", "require_commit") and not wish.commit:
        raise no("COMMIT_REQUIRED", "board.require_commit asks for --commit at a checkpoint")


def _check_review(item: Item, wish: Wish) -> None:
    actor = wish.actor
    if item.state in ("VERIFIED", "APPROVED"):
        if actor.role not in ("reviewer", "operator"):
            raise no("ROLE", f"a reviewer or an operator reopens {item.id}, not the {actor.role}")
        _check_reason(wish, "reopening")


def _check_verdict(scene: Scene, item: Item, wish: Wish) -> None:
    actor = wish.actor
    if actor.role != "reviewer":
        raise no("ROLE", f"a verdict is a reviewer's, not the {actor.role}'s")
    if wish.checker_unavailable:
        raise no("CHECKER_UNAVAILABLE", "without a checker there is no verdict; set DEFERRED")
    check_independence(actor, [item], item.families)
    checkpoint = item.checkpoint
    wanted = checkpoint.get("commit", "") if checkpoint is not None else ""
    if wanted and wish.commit != wanted:
        if not wish.commit:
            raise no(
                "COMMIT_REQUIRED", f"the checkpoint is commit {wanted}; --commit says the same"
            )
        raise no("COMMIT_DIFFERS", f"the checkpoint is commit {wanted}, the verdict {wish.commit}")
    if scene.config.flag("board", "require_commit") and not wish.commit:
        raise no("COMMIT_REQUIRED", "board.require_commit asks for --commit at a verdict")


def check_independence(actor: Actor, built: list[Item], families: list[str | None]) -> None:
    """Refuse a reviewer who built it, or whose model is of a builder's family.

    Args:
        actor: The reviewer.
        built: Items of which the reviewer may have built none.
        families: Of the builders whose work is judged.

    """
    for item in built:
        if actor.lane in item.lanes:
            raise no("SAME_LANE", f"{item.id} was built by the SAME lane, {actor.lane}")
    actor.check_family()
    if None in families:
        models = [model for item in built for _, model, family in item.builders if family is None]
        raise no("FAMILY_UNKNOWN", f"a builder's model has no known family: {_and(models)}")
    if actor.family in families:
        raise no(
            "SAME_FAMILY",
            f"{actor.model} is of the SAME model family as a builder: {actor.family}",
        )


def _check_merge(scene: Scene, item: Item, task: Competition | None, wish: Wish) -> None:
    _check_decided(item, task)
    if item.is_red and item.current("APPROVED") is None:
        if not wish.human_approved:
            raise no("HUMAN_GATE", f"{item.id} is red; a person approves it first")
        human_gate(scene.env, wish.operator)
    verified = item.current("VERIFIED")
    commit = verified.get("commit", "") if verified is not None else ""
    if not commit:
        return
    if not wish.commit:
        raise no("COMMIT_REQUIRED", f"VERIFIED is about commit {commit}; --commit names the merge")
    from _lib.gitfact import is_ancestor

    if not is_ancestor(scene.project, commit, wish.commit):
        raise no("COMMIT_NOT_MERGED", f"commit {wish.commit} does not contain {commit}")


def _check_decided(item: Item, task: Competition | None) -> None:
    if task is None:
        return
    if task.is_open:
        raise no("COMPETITION_OPEN", f"{item.id} is a candidate of {task.id}, which is undecided")
    if task.winner != item.id:
        raise no("NOT_WINNER", f"{task.id} was won by {task.winner}")


def approve(board: Board, scene: Scene, item: str, wish: Wish) -> Event:
    """Return the event of a person's approval of a red item."""
    found = board.known(item)
    if found.state in TERMINAL:
        raise _terminal(found)
    if found.current("VERIFIED") is None:
        raise no("NOT_VERIFIED", f"{found.id} is {found.state} and has no current verdict VERIFIED")
    if found.state != "VERIFIED":
        raise no("TRANSITION", f"{found.id}: {found.state} to APPROVED; {_allowed(found.state)}")
    if not found.is_red:
        raise no("NOT_RED", f"{found.id} is green and needs no approval")
    _check_decided(found, board.task_of(item))
    human_gate(scene.env, wish.operator)
    _check_reason(wish, "an approval")
    return _event("approve", found, "APPROVED", wish)


def release(board: Board, item: str, wish: Wish) -> Event:
    """Return the event that lets go of an item."""
    found = board.known(item)
    if found.state in TERMINAL:
        raise _terminal(found)
    if found.state not in _RELEASABLE:
        raise no("TRANSITION", f"{found.id}: {found.state} to RELEASED; {_allowed(found.state)}")
    if not wish.operator:
        _check_owner(found, wish.actor, "releases it")
    _check_reason(wish, "a release")
    task = board.task_of(item)
    if task is not None and task.is_open:
        raise no("COMPETITION_OPEN", f"{found.id} is a candidate of {task.id}; withdraw it there")
    return _event("release", found, "RELEASED", wish)


def release_fix(board: Board, scene: Scene, item: str, target: str, wish: Wish) -> Event:
    """Return the event that queues a fix for a lane."""
    found = board.known(item)
    if found.state in TERMINAL:
        raise _terminal(found)
    if found.state not in ("NEEDS-FIX", "FIX-QUEUED"):
        raise no("TRANSITION", f"{found.id}: {found.state} to FIX-QUEUED; {_allowed(found.state)}")
    more: Event = {}
    if found.state == "FIX-QUEUED":
        if target == found.target:
            raise no("TARGET_SAME", f"the fix of {found.id} is queued for lane {target} already")
        word = scene.liveness(found.target or "")
        if word == "alive":
            raise no("TARGET_ALIVE", f"lane {found.target} has the fix and is alive")
        more["reroute"] = {"from": found.target, "why": word}
    _check_target(scene, target, "executor")
    model = scene.registry.lanes[target].model
    if scene.family(model) is None:
        raise no("FAMILY_UNKNOWN", f"lane {target}: model {model!r} has no known family; add its "
                 "prefix under families.<name> in lanes.yaml")  # fmt: skip
    _check_rivals(board, found.id, target)
    return {
        **_event("release-fix", found, "FIX-QUEUED", wish),
        "target_lane": target,
        **more,
    }


def start_review(board: Board, scene: Scene, item: str, target: str, wish: Wish) -> Event:
    """Return the event that hands an item to a reviewer's lane."""
    found = board.known(item)
    if found.state in TERMINAL:
        raise _terminal(found)
    if found.state not in ("CHECKPOINT-READY", "DEFERRED"):
        raise no(
            "TRANSITION", f"{found.id}: {found.state} to UNDER-REVIEW; {_allowed(found.state)}"
        )
    _check_target(scene, target, "reviewer")
    if target in found.lanes:
        raise no("TARGET_BUILDER", f"lane {target} built {found.id} itself")
    return {**_event("start-review", found, "UNDER-REVIEW", wish), "target_lane": target}


def _check_target(scene: Scene, target: str, role: str) -> None:
    lane = scene.registry.lanes.get(target)
    if lane is None:
        raise no("TARGET_UNKNOWN", f"lane {target} is not registered")
    word = scene.liveness(target)
    if word != "alive":
        raise no("TARGET_NOT_ALIVE", f"lane {target} is {word}")
    if lane.role != role:
        raise no("TARGET_ROLE", f"lane {target} is {lane.role}, and this needs {role}")


def _check_executor(actor: Actor, state: str) -> None:
    if actor.role != "executor":
        raise no("ROLE", f"{state} is an executor's to write, not the {actor.role}'s")


def _check_owner(item: Item, actor: Actor, what: str) -> None:
    if actor.lane != item.owner:
        raise no("NOT_OWNER", f"the owner of {item.id} {what}: lane {item.owner}")


def _check_reason(wish: Wish, what: str) -> None:
    if not wish.reason.strip():
        raise no("REASON_MISSING", f"{what} needs --reason")


def _check_rivals(board: Board, item: str, lane: str) -> None:
    task = board.task_of(item)
    if task is None:
        return
    for other in task.candidates:
        rival = board.item(other)
        if rival is not None and other.lower() != item.lower() and lane in rival.lanes:
            raise no("RIVAL_BUILDER", f"lane {lane} built {other}, a rival of {item} in {task.id}")


def _event(verb: str, item: Item, state: str, wish: Wish) -> Event:
    return {"kind": "item", "event": verb, "item_id": item.id, "state": state,
            "by": wish.actor.document(), **wish.carried()}  # fmt: skip


def _terminal(item: Item) -> Exception:
    return no("TERMINAL", f"{item.id} is {item.state}, which is the end of it")


def _allowed(state: str) -> str:
    by_verb = {
        "CLAIMED": ("release", "claim --join", "claim --takeover"),
        "BUILDING": ("release", "claim --join", "claim --takeover"),
        "NEEDS-FIX": ("release-fix", "release", "claim --join"),
        "FIX-QUEUED": ("release-fix", "release", "claim --takeover"),
        "CHECKPOINT-READY": ("start-review",),
        "DEFERRED": ("start-review",),
        "VERIFIED": ("approve",),
        "RELEASED": ("claim",),
    }.get(state, ())
    states = _NEXT[state]
    parts = [f"allowed: {', '.join(states)}"] if states else []
    parts += [f"verbs: {', '.join(by_verb)}"] if by_verb else []
    return "; ".join(parts) or "nothing follows"


def _and(words: list[str]) -> str:
    return ", ".join(words) or "none"


def _or(words: tuple[str, ...]) -> str:
    return " or ".join([", ".join(words[:-1]), words[-1]])
