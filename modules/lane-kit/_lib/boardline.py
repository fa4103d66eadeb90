"""The command line of the board."""

from __future__ import annotations

import argparse

from _lib.board import STATES
from _lib.identity import ROLES
from _lib.workplace import add_project_option

from hpp.core.portable.scriptcli import make_parser

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hpp.core.portable.scriptcli import Parser

__all__ = ["board_parser"]

_VERDICTS = ("VERIFIED", "NEEDS-FIX", "DEFERRED")
_STATE_OF = {
    "build": "BUILDING",
    "checkpoint": "CHECKPOINT-READY",
    "review": "UNDER-REVIEW",
    "merge": "MERGED",
}
_SUMMARY = {
    "init": "make the lanes' folder, its settings and an empty board",
    "claim": "take an item, join it, or follow a lane that is gone",
    "set": "move an item to a state",
    "build": "set BUILDING",
    "checkpoint": "set CHECKPOINT-READY",
    "review": "set UNDER-REVIEW",
    "verdict": "set VERIFIED, NEEDS-FIX or DEFERRED",
    "merge": "set MERGED",
    "compete": "make items candidates for one task",
    "select": "choose the winner of a task",
    "withdraw": "take a candidate out of a task",
    "release": "let go of an item",
    "release-fix": "queue a fix for a lane",
    "start-review": "hand an item to a reviewer's lane",
    "approve": "approve a red item; a person's verb",
    "status": "show the board, or one item with its history",
    "list": "list the items",
    "render": "write the board for a person: Markdown, or one page with --html",
    "verify": "check the board's chain",
    "repair": "set aside an incomplete last line",
    "config": "show the settings that count",
    "heartbeat": "say that a lane is at work",
}


def board_parser() -> Parser:
    """Return the parser of ``lane_board.py``."""
    parser = make_parser("lane_board", "The board of all lanes of a repository.", json=False)
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    made = {}
    for verb, summary in _SUMMARY.items():
        made[verb] = verbs.add_parser(verb, help=summary, description=summary, allow_abbrev=False)
        made[verb].add_argument("--traceback", action="store_true", help="show where a fault arose")
        add_project_option(made[verb])
    _declare_items(made)
    _declare_contests(made)
    _declare_people(made)
    _declare_readers(made)
    made["init"].add_argument("--force-ignore", action="store_true", help="write .gitignore anew")
    return parser


def _declare_items(made: dict[str, Parser]) -> None:
    claim = made["claim"]
    claim.add_argument("item")
    _add_identity(claim)
    claim.add_argument("--role", choices=ROLES)
    claim.add_argument("--tag", choices=("green", "red"))
    claim.add_argument("--branch")
    how = claim.add_mutually_exclusive_group()
    how.add_argument("--join", action="store_true")
    how.add_argument("--takeover", action="store_true")
    claim.add_argument("--reason")
    for verb in ("set", "build", "checkpoint", "review", "verdict", "merge"):
        _declare_set(made[verb], verb)
    release = made["release"]
    release.add_argument("item")
    _add_identity(release)
    release.add_argument("--reason")
    release.add_argument("--operator")


def _declare_set(parser: Parser, verb: str) -> None:
    if verb == "verdict":
        parser.add_argument("words", nargs=2, metavar="ITEM STATE", action=_Verdict)
    else:
        parser.add_argument("item")
    if verb == "set":
        parser.add_argument("state", choices=STATES)
    elif verb != "verdict":
        parser.set_defaults(state=_STATE_OF[verb])
    _add_identity(parser)
    parser.add_argument("--role", choices=ROLES)
    said = parser.add_mutually_exclusive_group()
    said.add_argument("--evidence")
    said.add_argument("--evidence-file", metavar="FILE")
    parser.add_argument("--evidence-record", metavar="PATH")
    parser.add_argument("--commit", metavar="ID")
    parser.add_argument("--branch")
    parser.add_argument("--verdict-by-lane", metavar="LANE")
    parser.add_argument("--verdict-by-model", metavar="MODEL")
    parser.add_argument("--reason")
    parser.add_argument("--checker-unavailable", action="store_true")
    parser.add_argument("--human-approved", action="store_true")
    parser.add_argument("--operator", metavar="NAME")
    parser.add_argument("--tag", choices=("green", "red"))


class _Verdict(argparse.Action):
    """Take an item and its verdict in either order, since both read well."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        """Keep both words."""
        del option_string
        words = list(values) if isinstance(values, list) else []
        if words[1] not in _VERDICTS:
            words.reverse()
        if words[1] not in _VERDICTS:
            parser.error(f"expected an item and one of {', '.join(_VERDICTS)}")
        namespace.item, namespace.state = words


def _declare_contests(made: dict[str, Parser]) -> None:
    for verb in ("compete", "select", "withdraw"):
        made[verb].add_argument("--task", required=True)
        _add_identity(made[verb])
    made["compete"].add_argument("--items", required=True, metavar="A,B[,...]")
    select = made["select"]
    select.add_argument("--winner", metavar="ITEM")
    select.add_argument("--checker-unavailable", action="store_true")
    select.add_argument("--deliberation", metavar="RECORD")
    select.add_argument("--reason")
    made["withdraw"].add_argument("--item", required=True)
    made["withdraw"].add_argument("--reason")


def _declare_people(made: dict[str, Parser]) -> None:
    for verb in ("release-fix", "start-review"):
        made[verb].add_argument("item")
        made[verb].add_argument("--target-lane", required=True, metavar="LANE")
        made[verb].add_argument("--operator", metavar="NAME")
    made["approve"].add_argument("item")
    made["approve"].add_argument("--operator", default="", metavar="NAME")
    made["approve"].add_argument("--reason")


def _declare_readers(made: dict[str, Parser]) -> None:
    made["status"].add_argument("id", nargs="?")
    made["list"].add_argument("--state", choices=STATES)
    for verb in ("status", "list"):
        made[verb].add_argument("--json", action="store_true", help="print one JSON document")
    render = made["render"]
    render.add_argument("--out", metavar="FILE", help="where to; - for standard output")
    render.add_argument("--html", action="store_true", help="one page that needs nothing else")
    for verb in ("render", "status", "list", "heartbeat"):
        made[verb].add_argument("--now", type=int, metavar="N", help="Unix seconds")
    made["repair"].add_argument("--apply", action="store_true", help="do it, not only say it")
    beat = made["heartbeat"]
    beat.add_argument("--lane", required=True)
    beat.add_argument("--session")
    beat.add_argument("--force", action="store_true")


def _add_identity(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--lane", help="who asks (default: CLAUDE_LANE_ID)")
    parser.add_argument("--model", help="with which model (default: CLAUDE_LANE_MODEL)")
