"""The verbs of turn_checkpoint.py."""

from __future__ import annotations

import argparse
import os
import time

from _lib.checkpoint_store import BUDGET_S, KEEP, take
from _lib.checkpointref import CheckpointError, key_of, prune, read_turns

from hpp.core.errors import HppError
from hpp.core.portable import hookio
from hpp.core.portable.gitproc import GitError, decode, git
from hpp.core.portable.scriptcli import make_parser, write_report

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hpp.core.portable.selftest import Checks

__all__ = ["check", "parser", "run"]

_WAIT_S = 20.0


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    made = make_parser(
        "turn_checkpoint.py", "Keep the working tree of a turn as a commit.", json=False
    )
    verbs = made.add_subparsers(dest="verb", required=True, metavar="VERB")
    for name, said in (
        ("write", "keep the working tree, when it changed"),
        ("latest", "print the newest checkpoint of a session"),
        ("list", "print all checkpoints of a session"),
        ("prune", "name sessions whose newest checkpoint is over 30 days old"),
    ):
        verb = verbs.add_parser(name, help=said, description=said)
        if name == "prune":
            verb.add_argument("--apply", action="store_true", help="delete them")
            continue
        verb.add_argument("--session", metavar="S", required=True)
        if name == "write":
            verb.add_argument("--label", metavar="T", default="")
            verb.add_argument("--tracked-only", action="store_true")
            verb.add_argument("--keep", metavar="N", type=_positive, default=KEEP)
            verb.add_argument("--budget-seconds", metavar="F", type=_seconds, default=BUDGET_S)
    return made


def run(values: argparse.Namespace) -> int:
    """Answer a parsed command line."""
    root = hookio.project_root(hookio.Payload({}))
    try:
        if values.verb == "write":
            _write(root, values)
        elif values.verb == "prune":
            write_report({"applied": values.apply, "namespaces": _pruned(root, values)})
        else:
            turns = read_turns(root, values.session, time.monotonic() + _WAIT_S)
            shown = [turn.document(values.session) for turn in turns]
            newest = shown[-1] if shown else None
            write_report(shown if values.verb == "list" else newest)
    except GitError as error:
        raise CheckpointError(str(error)) from None
    return 0


def _write(root: str, values: argparse.Namespace) -> None:
    if os.environ.get("HPP_TURN_CHECKPOINT") == "off":
        raise CheckpointError("HPP_TURN_CHECKPOINT=off")
    write_report(
        take(
            root, values.session, label=values.label, tracked_only=values.tracked_only,
            keep=values.keep, budget_s=values.budget_seconds,
        )
    )  # fmt: skip


def _pruned(root: str, values: argparse.Namespace) -> list[dict[str, object]]:
    return prune(root, _WAIT_S, is_applied=values.apply)


def _positive(text: str) -> int:
    if not (text.isascii() and text.isdigit()) or not int(text):
        raise argparse.ArgumentTypeError("expected a whole number of at least 1")
    return int(text)


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value <= 3600:  # noqa: PLR2004 -- an hour
        raise argparse.ArgumentTypeError("expected seconds, more than 0 and at most 3600")
    return value


def check(checks: Checks, root: str) -> None:
    """Check turns of a repository that is made for it."""
    checks.raises("no repository, no checkpoint", CheckpointError, lambda: take(root, "s"))
    deadline = time.monotonic() + _WAIT_S
    try:
        git(root, ["init", "-q"], deadline)
    except HppError as error:
        checks.skip("turns of a repository", str(error))
        return
    _put(root, "a.txt", "one\n")
    first = take(root, "s")
    checks.equal("a repository without a commit works", (first["turn"], first["parent"]), (1, None))
    checks.equal("nothing new is no turn", take(root, "s")["unchanged"], True)  # noqa: FBT003
    _put(root, "a.txt", "two\n")
    _put(root, ".env", "X=1\n")
    second = take(root, "s")
    checks.equal("a change is the next turn", (second["turn"], second["parent"]),
                 (2, first["commit"]))  # fmt: skip
    names = decode(git(root, ["ls-tree", "-r", "--name-only", second["commit"]], deadline))
    checks.equal("what holds secrets by its name stays out", names.split(), ["a.txt"])
    staged = git(root, ["diff", "--cached", "--name-only"], deadline)
    checks.equal("CONTROL the index of the person is as it was", staged, b"")
    checks.check("two sessions never share a name", key_of("A b") != key_of("a b"))
    checks.equal("nothing is old yet", prune(root, _WAIT_S, is_applied=True), [])


def _put(root: str, name: str, text: str) -> None:
    with open(os.path.join(root, name), "w", encoding="utf-8", newline="\n") as file:
        file.write(text)
