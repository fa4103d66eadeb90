#!/usr/bin/env python3
"""Collect the criteria that loops fail again and again, and let a person make rules of them."""

from __future__ import annotations

import os
import sys

if sys.pycache_prefix is None:
    sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "_vendor"), ROOT]

from _lib.instinct import LEDGER, PROMOTED, REJECTED, STORE, entry, read_store, scan
from _lib.script import (
    SaysNoError,
    add_verb,
    answer,
    human_gate,
    project_parser,
    root_of,
    run,
    utc,
)  # fmt: skip
from _lib.trial_instinct import check_instincts

from hpp.core.errors import RefusedError, UsageError
from hpp.core.output import pretty_json
from hpp.core.portable.fsread import contain
from hpp.core.portable.fswrite import atomic_write, locked

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from hpp.core.portable.selftest import Checks, Project

PARSER = project_parser("instinct_promote.py", __doc__)
_VERBS = PARSER.add_subparsers(dest="verb", metavar="VERB")
add_verb(_VERBS, "scan", "read what the ledger gained")
add_verb(_VERBS, "list", "print what was collected")
_PROMOTE = add_verb(_VERBS, "promote", "add one to a rule; a person's act")
_REJECT = add_verb(_VERBS, "reject", "write down that one is no rule")
for _verb in (_PROMOTE, _REJECT):
    _verb.add_argument("id", metavar="ID")
_PROMOTE.add_argument("--to", metavar="FILE", required=True, help="the rule, below the project")
_PROMOTE.add_argument("--operator", metavar="NAME", help="the person")
_REJECT.add_argument("--reason", metavar="TEXT", required=True)


def main(options: argparse.Namespace) -> int:
    """Answer one verb."""
    if options.verb is None:
        raise UsageError("a verb is needed: scan, list, promote, reject")
    root = root_of(options)
    path = contain(STORE, root)
    if options.verb == "list":
        items = read_store(path)["instincts"]
        lines = [f"{key}  {item['state']}  {item['count']} failures, {len(item['sessions'])} "
                 "sessions" for key, item in items.items()]  # fmt: skip
        answer(options, {"instincts": items}, lines)
        return 0
    os.makedirs(os.path.dirname(path), exist_ok=True)
    from _lib.ignore_store import ignore

    ignore(root, ["loop-gate/"])
    with locked(path):
        store = read_store(path)
        said = _changed(options, store, root)
        atomic_write(path, pretty_json(store))
    answer(options, {"said": said}, [said])
    return 0


def _changed(options: argparse.Namespace, store: dict[str, Any], root: str) -> str:
    if options.verb == "scan":
        count = scan(store, contain(LEDGER, root))
        return f"{count} failures read, {len(store['instincts'])} criteria known"
    item = store["instincts"].get(options.id)
    if item is None:
        raise SaysNoError(f"no instinct {options.id!r}; `list` shows them")
    if item["state"] == PROMOTED:
        raise SaysNoError(f"{options.id} is promoted already")
    if options.verb == "reject":
        if not options.reason.strip():
            raise RefusedError("--reason: expected a text")
        item.update(state=REJECTED, note=" ".join(options.reason.split()))
        return f"{options.id} rejected"
    why = human_gate("--operator", options.operator)
    if why is not None:
        raise SaysNoError(why)
    _append(contain(options.to, root), entry(options.id, item, utc("%Y-%m-%d"), options.operator))
    item.update(state=PROMOTED, note=options.to)
    return f"{options.id} added to {options.to}"


def _append(path: str, text: str) -> None:
    old = b""
    if os.path.lexists(path):
        with open(path, "rb") as file:
            old = file.read()
    gap = b"" if old.endswith(b"\n") or not old else b"\n"
    atomic_write(path, old + gap + text.encode("utf-8"))


def self_test(checks: Checks, project: Project) -> None:
    """Check the way of a failure from the ledger to a rule."""
    check_instincts(checks, project, PARSER, main)


if __name__ == "__main__":
    raise SystemExit(run(PARSER, main, self_test))
