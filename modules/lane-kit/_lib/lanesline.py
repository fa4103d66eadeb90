"""The command line of the registry."""

from __future__ import annotations

from _lib.identity import ROLES
from _lib.lanescommand import VERBS
from _lib.workplace import add_project_option, open_workplace

from hpp.core.portable.scriptcli import make_parser, run_script

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from hpp.core.portable.scriptcli import Parser

__all__ = ["main", "self_test"]

_SUMMARY = {
    "register": "take a lane, with role, model and territory",
    "heartbeat": "say that a lane is at work",
    "close": "end a lane",
    "evict": "end a lane that is gone; its work is rescued first",
    "territory": "add or remove a path that a lane owns",
    "who-owns": "say which present lanes own a path",
    "status": "list the lanes",
    "export": "print what `hpp map lane` reads",
    "collisions": "list paths that two lanes own",
    "repair": "set aside a registry that cannot be read",
}


def _parser() -> Parser:
    parser = make_parser("lanes", "The registry of lanes.", json=False)
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    made = {}
    for verb, summary in _SUMMARY.items():
        made[verb] = verbs.add_parser(verb, help=summary, description=summary, allow_abbrev=False)
        add_project_option(made[verb])
        made[verb].add_argument("--now", type=int, metavar="N", help="Unix seconds")
    for verb in ("register", "heartbeat", "close", "evict", "territory"):
        made[verb].add_argument("--lane", required=True)
    _declare_register(made["register"])
    made["heartbeat"].add_argument("--session")
    made["heartbeat"].add_argument("--force", action="store_true")
    made["evict"].add_argument("--reason", required=True)
    either = made["territory"].add_mutually_exclusive_group(required=True)
    either.add_argument("--add", metavar="PATH")
    either.add_argument("--remove", metavar="PATH")
    made["who-owns"].add_argument("path")
    made["status"].add_argument("--json", action="store_true")
    made["repair"].add_argument("--apply", action="store_true")
    return parser


def _declare_register(parser: Parser) -> None:
    parser.add_argument("--role", required=True, choices=(*ROLES, "adhoc"))
    parser.add_argument("--model", required=True)
    parser.add_argument("--session")
    parser.add_argument("--territory", action="append", metavar="PATH")
    parser.add_argument("--shared", action="store_true", help="others may own the same")
    parser.add_argument("--branch")
    parser.add_argument("--worktree")
    parser.add_argument("--host", choices=("claude-code", "codex", "other"), default="other")


def _run(args: argparse.Namespace) -> int:
    return VERBS[args.verb](open_workplace(args, "lanes"), args)


def self_test() -> int:
    """Check the registry in a project of its own."""
    from _lib.lanestest import check_lanes

    return check_lanes(main)


def main(words: list[str] | None = None) -> int:
    """Answer one command line and return its status."""
    return run_script(_parser(), _run, words, self_test)
