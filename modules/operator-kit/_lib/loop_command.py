"""The command line of the loop: arm it, look at it, end it, and ask it as a hook would."""

from __future__ import annotations

import os
import sys
import time

from _lib.loop_request import by_file, by_words
from _lib.loop_store import FOLDER, LEDGER, SCHEMA, Loops, digest

from hpp.core.errors import RefusedError
from hpp.core.portable.fswrite import COMMAND_WAIT_S
from hpp.core.portable.payload import Payload
from hpp.core.portable.scriptcli import make_parser, run_script, write_report
from hpp.core.text import printable, shorten

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence
    from typing import Any

__all__ = ["answer"]

_HOST_LIMIT = 8
_LARGEST = 8 * 1024 * 1024


def answer(words: Sequence[str]) -> int:
    """Answer one command line and return the exit status."""
    return run_script(_parser(), lambda values: _VERBS[values.verb](values), words)


def _parser() -> argparse.ArgumentParser:
    parser = make_parser("loop_gate.py", "A loop that ends when its criteria exit 0.", json=False)
    verbs = parser.add_subparsers(dest="verb", required=True)
    start = verbs.add_parser("start", help="arm a loop for one session")
    start.add_argument("--session", required=True, metavar="ID", help="the session that owns it")
    start.add_argument("--spec", metavar="FILE", help="the loop as a JSON file")
    start.add_argument("--charter", metavar="TEXT", help="what the loop is for")
    start.add_argument("--criteria", nargs="+", metavar="CMD", help="what has to exit 0")
    start.add_argument("--goal", metavar="ID", help="the goal to mark when it passes")
    start.add_argument("--max-iterations", type=int, metavar="N", help="1 to 500; 8")
    start.add_argument("--deadline", type=float, metavar="MINUTES", help="when it pauses")
    start.add_argument("--criterion-timeout", type=float, metavar="S", help="for each; 20")
    start.add_argument("--shell", action="store_true", help="a shell reads the criteria")
    start.add_argument("--replace", action="store_true", help="in place of the one that is armed")
    status = verbs.add_parser("status", help="show the loop of a session, or all of them")
    status.add_argument("--session", metavar="ID", help="the session")
    status.add_argument("--json", action="store_true", help="print one JSON object")
    cancel = verbs.add_parser("cancel", help="end a loop without a verdict")
    cancel.add_argument("--session", required=True, metavar="ID", help="the session")
    check = verbs.add_parser("check", help="decide about a stop, as the hook does")
    check.add_argument("--session", required=True, metavar="ID", help="the session")
    check.add_argument("--message-file", required=True, metavar="FILE", help="the last message")
    for each in (start, status, cancel, check,
                 verbs.add_parser("list", help="list the loops of the project"),
                 verbs.add_parser("repair", help="put aside what cannot be read")):  # fmt: skip
        each.add_argument("--project-dir", metavar="DIR", help="the project")
    return parser


def _loops(values: argparse.Namespace) -> Loops:
    from hpp.core.portable.hookio import project_root

    if values.project_dir:
        root = os.path.abspath(values.project_dir)
    else:
        root = project_root(Payload({"cwd": os.getcwd()}))
    if not os.path.isdir(root):
        raise RefusedError(f"--project-dir: {values.project_dir}: there is no such folder")
    return Loops(root, COMMAND_WAIT_S)


def _session(values: argparse.Namespace) -> str:
    session = str(values.session)
    if not session.strip() or "\0" in session:
        raise RefusedError("--session: expected the session's id; a loop needs an owner")
    return session


def _start(values: argparse.Namespace) -> int:
    loops, session = _loops(values), _session(values)
    wanted = by_file(values) if values.spec else by_words(values)
    try:
        is_armed = loops.read(session) is not None
    except RefusedError:
        if not values.replace:
            raise
        is_armed = True
    if is_armed and not values.replace:
        sys.stderr.write(
            "loop_gate.py: a loop is armed for this session; --replace takes its place\n"
        )
        return 1
    from hpp.core.portable.lane import lane_id

    now = int(time.time())
    minutes = wanted.pop("deadline")
    state: dict[str, Any] = {
        "schema": SCHEMA,
        "session_id": session,
        **wanted,
        "deadline_at": None if minutes is None else now + int(minutes * 60),
        "iteration": 0,
        "last_failure": None,
        "same_failure": 0,
        "armed_at": now,
        "armed_by": lane_id(os.environ),
    }
    from _lib.ignore_store import ignore

    os.makedirs(loops.folder, mode=0o700, exist_ok=True)
    ignore(loops.root, ["loop-gate/"])
    # The ledger first: a state without its event would count as changed.
    fault = loops.note(session, "armed", state, digest=digest(state))
    if fault:
        raise RefusedError(f"{fault}; nothing was armed")
    loops.write(state)
    _say_armed(state)
    return 0


def _say_armed(state: dict[str, Any]) -> None:
    from _lib.loop_run import shown_criterion

    most = state["max_iterations"]
    sys.stdout.write(f"armed: {shorten(state['charter'], 200)}\n")
    for criterion in state["criteria"]:
        sys.stdout.write(f"- {printable(shown_criterion(criterion))}\n")
    sys.stdout.write(f"at most {most} stops, {state['criterion_timeout']:g} s a criterion\n")
    if most > _HOST_LIMIT:
        sys.stdout.write(
            f"Claude Code goes on at most {_HOST_LIMIT} times in a row: after every eighth stop"
            " a person has to write a prompt\n"
        )


def _status(values: argparse.Namespace) -> int:
    loops = _loops(values)
    if values.session is None:
        return _listed(loops, is_json=values.json)
    state = loops.read(_session(values))
    if values.json:
        write_report({"armed": state is not None, "state": state})
    elif state is None:
        sys.stdout.write("no loop is armed for this session\n")
    else:
        _say_armed(state)
        sys.stdout.write(f"{state['iteration']} spent\n")
    return 0 if state is not None else 1


def _list(values: argparse.Namespace) -> int:
    return _listed(_loops(values), is_json=False)


def _listed(loops: Loops, *, is_json: bool) -> int:
    rows = [{"file": name, **_read_row(loops, name)} for name in _names(loops)]
    if is_json:
        write_report({"loops": rows})
        return 0
    for row in rows:
        told = (
            row.get("fault") or f"{row['iteration']} of {row['max_iterations']}: {row['charter']}"
        )
        sys.stdout.write(f"{row['file']}  {shorten(str(told), 200)}\n")
    if not rows:
        sys.stdout.write("no loop is armed\n")
    return 0


def _names(loops: Loops) -> list[str]:
    try:
        names = sorted(os.listdir(loops.folder))
    except FileNotFoundError:
        return []
    return [name for name in names if name.endswith(".json") and name != "request.json"]


def _read_row(loops: Loops, name: str) -> dict[str, Any]:
    """Return what a file of the folder says; a request that is not armed is one too."""
    from _lib.loop_store import state_fault

    from hpp.core.document import read_document

    try:
        document = read_document(os.path.join(loops.folder, name), root=dict)
    except RefusedError as error:
        return {"fault": str(error)}
    fault = state_fault(document)
    if fault is not None:
        return {"fault": f"no armed loop ({fault})"}
    return {key: document[key] for key in ("charter", "goal", "iteration", "max_iterations")}


def _cancel(values: argparse.Namespace) -> int:
    loops, session = _loops(values), _session(values)
    state = loops.read(session)
    if state is None:
        sys.stdout.write("no loop is armed for this session\n")
        return 1
    loops.remove(session)
    fault = loops.note(session, "cancelled", state)
    sys.stdout.write(f"cancelled after {state['iteration']} stops; nothing was verified\n")
    if fault:
        raise RefusedError(fault)
    return 0


def _repair(values: argparse.Namespace) -> int:
    loops = _loops(values)
    count = 0
    for name in _names(loops):
        path = os.path.join(loops.folder, name)
        if "fault" in _read_row(loops, name):
            os.replace(path, f"{path}.broken-{int(time.time())}")
            sys.stdout.write(f"put aside: {FOLDER}/{name}\n")
            count += 1
    bad = loops.ledger()[1]
    if bad:
        sys.stdout.write(f"{FOLDER}/{LEDGER}: {bad} lines are no events; they are passed over\n")
    sys.stdout.write(f"{count} put aside\n")
    return 0


def _check(values: argparse.Namespace) -> int:
    from _lib.loop_step import stop

    from hpp.core.portable.redact import shown

    loops, session = _loops(values), _session(values)
    with open(values.message_file, "rb") as file:
        text = file.read(_LARGEST).decode("utf-8", "replace")
    outcome = stop(loops, session, lambda: text)
    stream = sys.stderr if outcome.holds else sys.stdout
    stream.write(f"{shown(outcome.text or 'no loop is armed for this session')}\n")
    return 2 if outcome.holds else 0


_VERBS = {
    "start": _start,
    "status": _status,
    "cancel": _cancel,
    "list": _list,
    "repair": _repair,
    "check": _check,
}
