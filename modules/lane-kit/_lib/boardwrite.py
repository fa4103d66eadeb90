"""The verbs that write the board: judge under its lock, append, then tell who is owed."""

from __future__ import annotations

import os

from _lib import contest, move
from _lib.board import SCHEMA, Board, checked_id
from _lib.chain import ChainFile, encode
from _lib.folder import make_folder
from _lib.gitfact import is_commit_id
from _lib.identity import Actor, checked_lane
from _lib.move import Wish
from _lib.refusal import no

from hpp.core.errors import HppError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable
    from typing import Any

    from _lib.identity import Scene
    from _lib.workplace import Workplace

    Event = dict[str, Any]
    Judge = Callable[[Board, Scene], list[Event]]

__all__ = ["WRITERS", "write"]

LONGEST_TEXT = 4000
_DEFAULT_ROLES = {
    "CLAIMED": "executor",
    "BUILDING": "executor",
    "CHECKPOINT-READY": "executor",
    "VERIFIED": "reviewer",
    "NEEDS-FIX": "reviewer",
}


def write(work: Workplace, judge: Judge) -> int:
    """Judge a request against the board and append what it comes to, in one step.

    The event is printed; messages that it owes are delivered once the lock is gone.
    """
    chain = ChainFile(work.place.board, SCHEMA)
    scene = work.scene()
    make_folder(work.place)
    with chain.held():
        board = Board(chain.read_held())
        events = judge(board, scene)
        made = chain.append_held(events, board.seq) if events else []
        for event in made:
            board.add(event)
    for event in made[:1]:
        show(event)
    if made:
        _deliver(work, board, {event["seq"] for event in made})
    return 0


def show(event: Event) -> None:
    """Print an event as one JSON line."""
    import sys

    sys.stdout.write(encode(event).decode() + "\n")


def _deliver(work: Workplace, board: Board, seqs: set[int]) -> None:
    from _lib.delivery import deliver, reserve
    from _lib.effect import owed

    debts = [each for each in owed(board) if each.about["board_seq"] in seqs]
    if not debts:
        return
    try:
        reserve(work.place, debts, accept=True)
        for debt in debts:
            deliver(work.place, work.config, debt.id)
    except (HppError, OSError) as error:
        work.note(f"the event stands and is not delivered yet ({error}); `lane_effects.py retry`")


def wish_of(args: argparse.Namespace) -> Wish:
    """Return what a command line carries, its texts checked."""
    wish = Wish()
    for name in ("branch", "reason", "tag", "operator"):
        setattr(wish, name, _text(getattr(args, name, None), name))
    wish.evidence = _evidence(args)
    wish.commit = getattr(args, "commit", None) or ""
    if wish.commit and not is_commit_id(wish.commit):
        raise no("COMMIT_FORM", "--commit: expected a full object id, 40 or 64 hexadecimal digits")
    wish.checker_unavailable = bool(getattr(args, "checker_unavailable", False))
    wish.human_approved = bool(getattr(args, "human_approved", False))
    return wish


def _evidence(args: argparse.Namespace) -> str:
    path = getattr(args, "evidence_file", None)
    if path is None:
        return _text(getattr(args, "evidence", None), "evidence")
    try:
        with open(path, "rb") as file:
            data = file.read(LONGEST_TEXT * 4 + 4)
        return _text(data.decode("utf-8-sig"), "evidence")
    except OSError as error:
        raise no("TEXT_REFUSED", f"--evidence-file: {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise no("TEXT_REFUSED", f"--evidence-file: {path}: not UTF-8") from None


def _text(text: str | None, name: str) -> str:
    if not text:
        return ""
    if len(text) > LONGEST_TEXT:
        raise no("TEXT_REFUSED", f"{name}: {len(text)} characters; at most {LONGEST_TEXT} are kept")
    if any("\ud800" <= char <= "\udfff" for char in text):
        raise no("TEXT_REFUSED", f"{name}: not UTF-8")
    from hpp.core.secret import find

    if next(iter(find(text)), None) is not None:
        raise no("TEXT_REFUSED", f"{name}: it holds secret-like text; say where it is, not what")
    return text


def actor_of(args: argparse.Namespace, scene: Scene, role: str) -> Actor:
    """Return who asks, by the command line and else by the environment."""
    lane = args.lane if args.lane is not None else scene.env.get("CLAUDE_LANE_ID", "")
    model = args.model if args.model is not None else scene.env.get("CLAUDE_LANE_MODEL", "")
    actor = Actor(lane, getattr(args, "role", None) or role, model, scene)
    actor.check(scene)
    return actor


def operator_of(args: argparse.Namespace, scene: Scene) -> Actor:
    """Return a person, or the lane that acts for one."""
    lane = getattr(args, "lane", None) or scene.env.get("CLAUDE_LANE_ID", "") or "operator"
    return Actor(lane, "operator", getattr(args, "model", None) or "", scene)


def _claim(work: Workplace, args: argparse.Namespace) -> int:
    checked_id(args.item)
    checked_lane(args.lane or "")
    wish = wish_of(args)
    how = "join" if args.join else "takeover" if args.takeover else ""

    def judge(board: Board, scene: Scene) -> list[Event]:
        wish.actor = actor_of(args, scene, "executor")
        event = move.claim(board, scene, args.item, wish, how=how)
        if event is None:
            show(board.known(args.item).last)
            return []
        return [event]

    return write(work, judge)


def _set(work: Workplace, args: argparse.Namespace) -> int:
    checked_id(args.item)
    for name in ("lane", "verdict_by_lane"):
        checked_lane(getattr(args, name, None) or "", name.replace("_", "-"))
    wish = wish_of(args)
    if args.state in move.VERB_ONLY:
        verb = move.VERB_ONLY[args.state]
        raise no("VERB_ONLY", f"{args.state} is written by `{verb}` alone")
    record = getattr(args, "evidence_record", None)
    if record is not None:
        from _lib.harness import verified_record

        if args.state != "CHECKPOINT-READY":
            raise no("EVIDENCE_NOT_VALID", "--evidence-record belongs to CHECKPOINT-READY alone")
        wish.record = verified_record(record, work.place.project)

    def judge(board: Board, scene: Scene) -> list[Event]:
        default = (
            _DEFAULT_ROLES.get(args.state) or scene.env.get("CLAUDE_LANE_ROLE") or "coordinator"
        )
        wish.actor = actor_of(args, scene, default)
        _check_verdict_by(args, wish.actor, scene)
        return [move.move(board, scene, args.item, args.state, wish)]

    return write(work, judge)


def _check_verdict_by(args: argparse.Namespace, actor: Actor, scene: Scene) -> None:
    lane = getattr(args, "verdict_by_lane", None)
    model = getattr(args, "verdict_by_model", None)
    for given, name in ((lane, "--verdict-by-lane"), (model, "--verdict-by-model")):
        if given is not None and not given.strip():
            raise no("IDENTITY_MISSING", f"{name} is empty")
    if lane is not None and lane != actor.lane:
        raise no("IDENTITY_MISMATCH", f"lane {actor.lane} records no verdict of lane {lane}")
    if model is not None and scene.family(model) != actor.family:
        raise no("IDENTITY_MISMATCH", f"{model} is not of the family of {actor.model}")


def _compete(work: Workplace, args: argparse.Namespace) -> int:
    checked_lane(args.lane or "")
    items = [item.strip() for item in args.items.split(",")]

    def judge(board: Board, scene: Scene) -> list[Event]:
        return contest.compete(board, args.task, items, actor_of(args, scene, "coordinator"))

    return write(work, judge)


def _select(work: Workplace, args: argparse.Namespace) -> int:
    checked_id(args.task, "task")
    wish = wish_of(args)
    if args.deliberation is not None:
        return _select_deliberated(work, args, wish)
    checked_lane(args.lane or "")
    if args.winner is not None:
        checked_id(args.winner)

    def judge(board: Board, scene: Scene) -> list[Event]:
        wish.actor = actor_of(args, scene, "reviewer")
        return contest.select(board, args.task, args.winner or "", wish)

    return write(work, judge)


def _select_deliberated(work: Workplace, args: argparse.Namespace, wish: Wish) -> int:
    from _lib.harness import deliberated

    record = deliberated(args.deliberation, os.getcwd())

    def judge(board: Board, scene: Scene) -> list[Event]:
        winner, seat = _judged(board, args.task, record)
        lane = checked_lane(seat["lane"], "judge's lane")
        wish.actor = Actor(lane, "reviewer", seat["model_served"], scene)
        events = contest.select(board, args.task, winner, wish)
        events[0]["deliberation"] = {"record_sha256": record.get("record_sha256", "")}
        return events

    return write(work, judge)


def _judged(board: Board, task: str, record: Event) -> tuple[str, Event]:
    """Return the winner and the judge's seat of a sealed session about a competition."""
    found = board.task(task)
    if found is None:
        raise no("TASK_UNKNOWN", f"no competition {task} was declared")
    try:
        panel, verdict = record["panel"], record["verdict"]
        is_design = panel["session_type"] == "design"
        options = panel["question"]["options"]
        seat = next(each for each in panel["seats"] if each["role"] == "judge")
        status, value = verdict["status"], verdict["value"]
    except (KeyError, TypeError, StopIteration):
        raise no("DELIBERATION_REFUSED", "it is no record of a session") from None
    if not is_design:
        raise no(
            "DELIBERATION_REFUSED", f"expected a design session, it is {panel['session_type']}"
        )
    if sorted(options) != sorted(found.remaining):
        raise no(
            "DELIBERATION_REFUSED",
            f"its options are {', '.join(options)}, the candidates {', '.join(found.remaining)}",
        )
    if status != "recommendation" or value not in options:
        raise no("DELIBERATION_REFUSED", f"its verdict is {status}, which recommends nobody")
    return value, seat


def _withdraw(work: Workplace, args: argparse.Namespace) -> int:
    checked_id(args.task, "task")
    checked_id(args.item)
    checked_lane(args.lane or "")
    wish = wish_of(args)

    def judge(board: Board, scene: Scene) -> list[Event]:
        wish.actor = actor_of(args, scene, "coordinator")
        return contest.withdraw(board, args.task, args.item, wish)

    return write(work, judge)


def _release(work: Workplace, args: argparse.Namespace) -> int:
    checked_id(args.item)
    checked_lane(args.lane or "")
    wish = wish_of(args)

    def judge(board: Board, scene: Scene) -> list[Event]:
        is_person = bool(wish.operator) and args.lane is None
        wish.actor = operator_of(args, scene) if is_person else actor_of(args, scene, "executor")
        return [move.release(board, args.item, wish)]

    return write(work, judge)


def _handover(work: Workplace, args: argparse.Namespace) -> int:
    checked_id(args.item)
    checked_lane(args.target_lane, "target-lane")
    wish = wish_of(args)
    judged = move.release_fix if args.verb == "release-fix" else move.start_review

    def judge(board: Board, scene: Scene) -> list[Event]:
        wish.actor = operator_of(args, scene)
        return [judged(board, scene, args.item, args.target_lane, wish)]

    return write(work, judge)


def _approve(work: Workplace, args: argparse.Namespace) -> int:
    checked_id(args.item)
    wish = wish_of(args)

    def judge(board: Board, scene: Scene) -> list[Event]:
        wish.actor = operator_of(args, scene)
        return [move.approve(board, scene, args.item, wish)]

    return write(work, judge)


WRITERS: dict[str, Callable[[Workplace, argparse.Namespace], int]] = {
    "claim": _claim,
    "set": _set,
    "build": _set,
    "checkpoint": _set,
    "review": _set,
    "verdict": _set,
    "merge": _set,
    "compete": _compete,
    "select": _select,
    "withdraw": _withdraw,
    "release": _release,
    "release-fix": _handover,
    "start-review": _handover,
    "approve": _approve,
}
