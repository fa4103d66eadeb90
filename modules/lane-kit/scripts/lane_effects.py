#!/usr/bin/env python3
"""The ledger of effects: which decision was told to whom."""

from __future__ import annotations

import os
import sys

if sys.pycache_prefix is None:
    sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "_vendor"), ROOT]

from _lib.board import OWING, checked_id
from _lib.delivery import pending, read_board, read_ledger, reserve, retry, step, sync
from _lib.effect import Reservation, owed, reservation_id
from _lib.identity import checked_lane
from _lib.smallscript import SmallScript

from hpp.core.portable.scriptcli import write_report

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from _lib.workplace import Workplace

    from hpp.core.portable.scriptcli import Parser
    from hpp.core.portable.selftest import Checks

__all__ = ["SCRIPT"]


def _reserve(work: Workplace, args: argparse.Namespace) -> int:
    item = checked_id(args.item)
    target = checked_lane(args.target, "target")
    number = args.round
    if number is None:
        found = read_board(work.place).item(item)
        number = max(0, found.round - 1) if found is not None else 0
    name = reservation_id(item, args.decision, target, args.effect, number)
    about = {"item_id": item, "decision": args.decision, "target": target, "effect": args.effect,
             "round": number}  # fmt: skip
    known = next((each for each in owed(read_board(work.place)) if each.id == name), None)
    wanted = known or Reservation(name, about)
    was_there = reserve(work.place, [wanted], accept=False)[0][1]
    write_report({**read_ledger(work.place).known(name).document(), "reused": was_there})
    return 0


def _accept(work: Workplace, args: argparse.Namespace) -> int:
    write_report(step(work.place, args.id, "accepted").document())
    return 0


def _deliver(work: Workplace, args: argparse.Namespace) -> int:
    more = {"evidence": args.evidence} if args.evidence else {}
    write_report(step(work.place, args.id, "delivered", **more).document())
    return 0


def _pending(work: Workplace, args: argparse.Namespace) -> int:
    del args
    write_report({"pending": [each.document() for each in pending(work.place)]})
    return 0


def _sync(work: Workplace, args: argparse.Namespace) -> int:
    del args
    write_report({"reserved": sync(work.place)})
    return 0


def _retry(work: Workplace, args: argparse.Namespace) -> int:
    tried = retry(work.place, work.config, args.id)
    write_report({"tried": [each.document() for each in tried]})
    return 0 if all(each.state == "delivered" for each in tried) else 1


def _show(work: Workplace, args: argparse.Namespace) -> int:
    found = read_ledger(work.place).known(args.id)
    write_report({**found.document(), "events": found.events})
    return 0


def _declare(made: dict[str, Parser]) -> None:
    made["reserve"].add_argument("item")
    made["reserve"].add_argument("decision", choices=sorted(OWING))
    made["reserve"].add_argument("--target", required=True, metavar="LANE")
    made["reserve"].add_argument("--effect", choices=("mailbox",), default="mailbox")
    made["reserve"].add_argument("--round", type=int, metavar="K")
    for verb in ("accept", "deliver", "show"):
        made[verb].add_argument("id")
    made["deliver"].add_argument("--evidence", metavar="TEXT")
    made["retry"].add_argument("id", nargs="?")


def _self_test(checks: Checks, folder: str) -> None:
    import json

    from _lib.lanestest import run_quietly

    def run(*words: str) -> int:
        return run_quietly(SCRIPT.main, *words)[0]

    _, out, _ = run_quietly(SCRIPT.main, "reserve", "I-1", "VERIFIED", "--target", "a")
    first = json.loads(out)
    checks.equal("a reservation waits", (first["state"], first["reused"]), ("reserved", False))
    _, out, _ = run_quietly(SCRIPT.main, "reserve", "I-1", "VERIFIED", "--target", "a")
    name = first["reservation_id"]
    again = json.loads(out)
    checks.equal(
        "asked twice is asked once", (again["reservation_id"], again["reused"]), (name, True)
    )
    _, out, _ = run_quietly(
        SCRIPT.main, "reserve", "I-1", "VERIFIED", "--target", "a", "--round", "1"
    )
    checks.check("another round is another", json.loads(out)["reservation_id"] != name)
    checks.equal("what is not accepted is not delivered", run("deliver", name), 1)
    checks.equal("it is accepted", run("accept", name), 0)
    checks.equal("and delivered", run("deliver", name, "--evidence", "told"), 0)
    checks.equal("twice changes nothing", run("deliver", name, "--evidence", "again"), 0)
    _, out, _ = run_quietly(SCRIPT.main, "show", name)
    checks.equal("the first word stays", json.loads(out)["evidence"], "told")
    checks.equal("an unknown name", run("accept", "0" * 16), 1)
    checks.equal(
        "a decision that tells nobody", run("reserve", "I-1", "BUILDING", "--target", "a"), 3
    )
    path = os.path.join(folder, ".claude", "lanes", "effects.jsonl")
    with open(path, "ab") as stream:
        stream.write(b"{}\n")
    checks.equal("a corrupt ledger is refused", run("pending"), 2)


SCRIPT = SmallScript(
    "lane_effects",
    "Which decision was told to whom.",
    verbs={
        "reserve": _reserve, "accept": _accept, "deliver": _deliver, "pending": _pending,
        "sync": _sync, "retry": _retry, "show": _show,
    },
    help_lines={
        "reserve": "note that a decision is to be told to a lane",
        "accept": "take a reservation on",
        "deliver": "note that the lane was told",
        "pending": "list what was not told yet",
        "sync": "reserve what the board owes",
        "retry": "tell what was not told yet",
        "show": "show one reservation",
    },
    declare=_declare,
    self_test=_self_test,
)  # fmt: skip

if __name__ == "__main__":
    raise SystemExit(SCRIPT.main())
