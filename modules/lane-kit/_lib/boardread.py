"""The verbs that look at the board, and those that tend its file."""

from __future__ import annotations

import os
import sys
from itertools import pairwise

from _lib.board import SCHEMA, Board, checked_id
from _lib.chain import ChainFile
from _lib.config import read_config
from _lib.folder import make_folder

from hpp.core.portable.scriptcli import write_report

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable
    from typing import Any

    from _lib.board import Item
    from _lib.identity import Scene
    from _lib.workplace import Workplace

__all__ = ["READERS", "item_document", "load_board", "refuse_select"]


def load_board(work: Workplace) -> Board:
    """Return the board as it is on disk."""
    return Board(ChainFile(work.place.board, SCHEMA).read())


def item_document(board: Board, scene: Scene, item: Item) -> dict[str, Any]:
    """Return all that is known of an item as one JSON value."""
    task = board.task_of(item.id)
    lanes = [*item.lanes, *([item.target] if item.target else [])]
    return {
        "id": item.id,
        "state": item.state,
        "tag": "red" if item.is_red else "green",
        "owner": item.owner,
        "target_lane": item.target,
        "builders": [
            {"lane": lane, "model": model, "family": family}
            for lane, model, family in item.builders
        ],
        "round": item.round,
        "competition": None
        if task is None
        else {"task_id": task.id, "open": task.is_open, "winner": task.winner},
        "liveness": {lane: scene.liveness(lane) for lane in dict.fromkeys(lanes)},
        "events": item.events,
    }


def _status(work: Workplace, args: argparse.Namespace) -> int:
    board = load_board(work)
    scene = work.scene(lenient=True)
    if args.id is None:
        return _summary(work, board, scene, as_json=args.json)
    checked_id(args.id)
    task = board.task(args.id)
    if task is not None:
        document: dict[str, Any] = {
            "task_id": task.id, "state": task.state, "candidates": task.candidates,
            "withdrawn": task.withdrawn, "winner": task.winner, "events": task.events,
        }  # fmt: skip
    else:
        document = item_document(board, scene, board.known(args.id))
    if args.json:
        write_report(document)
        return 0
    events = document.pop("events")
    for key, value in document.items():
        sys.stdout.write(_line(f"{key}: {_shown(value)}"))
    for event in events:
        sys.stdout.write(_line(_told(event)))
    return 0


def _summary(work: Workplace, board: Board, scene: Scene, *, as_json: bool) -> int:
    from _lib.delivery import pending

    counts: dict[str, int] = {}
    for item in board.items.values():
        counts[item.state] = counts.get(item.state, 0) + 1
    document: dict[str, Any] = {
        "items": dict(sorted(counts.items())),
        "competitions": {
            "open": sum(task.is_open for task in board.competitions.values()),
            "decided": sum(not task.is_open for task in board.competitions.values()),
        },
        "lanes": {lane: scene.liveness(lane) for lane in sorted(scene.registry.lanes)},
        "undelivered": len(pending(work.place, board)),
    }
    for lane, word in document["lanes"].items():
        if word == "skew":
            work.note(f"lane {lane}: its heartbeat lies in the future; its clock or ours is wrong")
    if as_json:
        write_report(document)
        return 0
    for key, value in document.items():
        sys.stdout.write(_line(f"{key}: {_shown(value)}"))
    return 0


def _list(work: Workplace, args: argparse.Namespace) -> int:
    board = load_board(work)
    scene = work.scene(lenient=True)
    items = [item for _, item in sorted(board.items.items()) if args.state in (None, item.state)]
    if args.json:
        rows = [item_document(board, scene, item) for item in items]
        for row in rows:
            del row["events"]
        write_report({"items": rows})
        return 0
    for item in items:
        red = " red" if item.is_red else ""
        holder = item.target or item.owner
        said = f"{item.id}  {item.state}{red}  {holder} ({scene.liveness(holder)})"
        task = board.task_of(item.id)
        sys.stdout.write(_line(said if task is None else f"{said}  in {task.id}"))
    return 0


def _verify(work: Workplace, args: argparse.Namespace) -> int:
    del args
    events = ChainFile(work.place.board, SCHEMA).read()
    board = Board(events)
    back = [
        event["seq"]
        for before, event in pairwise(events)
        if str(event.get("ts", "")) < str(before.get("ts", ""))
    ]
    if back:
        work.note(f"a clock went back at event {back[0]}; the order of events stands")
    sys.stdout.write(_line(f"intact: {board.seq} events, {len(board.items)} items"))
    return 0


def _repair(work: Workplace, args: argparse.Namespace) -> int:
    chain = ChainFile(work.place.board, SCHEMA)
    if not os.path.lexists(work.place.board):
        sys.stdout.write("nothing to repair: there is no board\n")
        return 0
    with chain.held():
        place = chain.torn_at()
        if place is None:
            events = chain.read_held()
            sys.stdout.write(_line(f"nothing to repair: {len(events)} events are intact"))
            return 0
        if not args.apply:
            sys.stdout.write(_line(
                f"an incomplete last line begins at byte {place}; --apply moves it to a file of "
                "its own"
            ))  # fmt: skip
            return 0
        name = chain.cut_held(place)
        events = chain.read_held()
        chain.append_held([{"kind": "note", "event": "repaired", "moved_to": name}], len(events))
    sys.stdout.write(_line(f"repaired: the incomplete line is in {name}"))
    return 0


def _config(work: Workplace, args: argparse.Namespace) -> int:
    del args
    config = read_config(work.place.config)
    for name in config.unknown:
        work.note(f"lanes.yaml: {name}: no such key; it has no effect")
    write_report(config.document())
    return 1 if config.unknown else 0


def _init(work: Workplace, args: argparse.Namespace) -> int:
    from hpp.core.portable.fswrite import atomic_write

    place = work.place
    if args.force_ignore and os.path.lexists(place.path(".gitignore")):
        os.unlink(place.path(".gitignore"))
    make_folder(place)
    if not os.path.lexists(place.config):
        root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
        with open(os.path.join(root, "templates", "lanes.example.yaml"), "rb") as file:
            atomic_write(place.config, file.read())
    chain = ChainFile(place.board, SCHEMA)
    with chain.held():
        events = chain.read_held()
        if not os.path.lexists(place.board):
            chain.append_held([], 0)
    sys.stdout.write(_line(f"the board is there: {len(events)} events"))
    return 0


def _render(work: Workplace, args: argparse.Namespace) -> int:
    from _lib.pagefile import render_board

    return render_board(work, html=args.html, out=args.out)


def _heartbeat(work: Workplace, args: argparse.Namespace) -> int:
    from _lib.lanescommand import heartbeat

    return heartbeat(work, args)


def _told(event: dict[str, Any]) -> str:
    by = event["by"]
    said = event.get("reason") or event.get("evidence") or ""
    who = f"{by['lane']} ({by['model'] or by['role']})"
    head = f"  {event['seq']:>4}  {event['ts']}  {event['state']}  {who}"
    return f"{head}  {_shown(said)[:_LONGEST_SAID]}".rstrip()


def _shown(value: Any) -> str:  # noqa: ANN401 -- any JSON value
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return ", ".join(f"{key} {_shown(each)}" for key, each in value.items()) or "none"
    if isinstance(value, list):
        return "; ".join(_shown(each) for each in value) or "none"
    return (
        "none" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
    )


def _line(text: str) -> str:
    from hpp.core.text import printable

    return printable(text) + "\n"


def refuse_select(args: argparse.Namespace) -> str | None:
    """Return what contradicts itself in a command line of ``select``, or None."""
    if args.deliberation is not None:
        given = [
            name for name, value in (("--winner", args.winner), ("--lane", args.lane),
                                     ("--model", args.model)) if value is not None
        ]  # fmt: skip
        if args.checker_unavailable:
            given.append("--checker-unavailable")
        return f"--deliberation names winner and judge; leave out {given[0]}" if given else None
    if args.winner is None and not args.checker_unavailable:
        return "expected --winner, --checker-unavailable or --deliberation"
    return None


_LONGEST_SAID = 200
READERS: dict[str, Callable[[Workplace, argparse.Namespace], int]] = {
    "status": _status,
    "list": _list,
    "verify": _verify,
    "repair": _repair,
    "config": _config,
    "init": _init,
    "render": _render,
    "heartbeat": _heartbeat,
}
