#!/usr/bin/env python3
"""Say what a role is told: its brief, its context, its route; and hold a filled form to its gate.

Nothing is sent and no model is called: the output is a text, or an input of `hpp route` and
`hpp context compile`.
"""

from __future__ import annotations

import os
import sys

if sys.pycache_prefix is None:
    sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "_vendor"), ROOT]

from _lib.role import read_role, read_roles

from hpp.core.errors import RefusedError
from hpp.core.portable.scriptcli import make_parser, run_script, write_report

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

__all__ = ["PARSER"]

LEVELS = ("low", "medium", "high")
FORMS = ("brief", "decision-record", "handoff", "story", "test-plan")
_GATE_SAYS_NO = 1


def _roles(arguments: argparse.Namespace) -> int:
    roles = read_roles(ROOT)
    if arguments.json:
        told = [{"name": each.name, "set": each.set, "tools": each.tools} for each in roles]
        write_report({"schema": "hpp.squad-roles/v1", "roles": told})
    else:
        rows = [f"{each.name:18}{each.set:8}{', '.join(each.tools)}\n" for each in roles]
        sys.stdout.write("".join(rows))
    return 0


def _brief(arguments: argparse.Namespace) -> int:
    from _lib.brief import Order, base_commit, brief_text

    order = Order(
        arguments.goal, arguments.acceptance, paths=arguments.paths, forbid=arguments.forbid,
        item=arguments.item,
    )  # fmt: skip
    role = read_role(ROOT, arguments.role)
    cwd = os.getcwd()
    _put(arguments.out, brief_text(role, order, cwd, base_commit(cwd)))
    return 0


def _context(arguments: argparse.Namespace) -> int:
    from _lib.recipe import blocks_of

    from hpp.core.document import shown_name

    role = read_role(ROOT, arguments.role)
    own = f"templates/context/{role.name}.json"
    recipe = arguments.recipe or os.path.join(ROOT, *own.split("/"))
    name = shown_name(arguments.recipe) if arguments.recipe else own
    _put_json(arguments.out, blocks_of(recipe, arguments.root, name))
    return 0


def _route(arguments: argparse.Namespace) -> int:
    from hpp.core.arguments import LARGEST_INTEGER
    from hpp.core.document import read_document

    role = read_role(ROOT, arguments.role)
    path = os.path.join(ROOT, "templates", "routing", f"{role.name}.json")
    request = read_document(path, root=dict)
    for key in ("risk", "complexity"):
        asked, floor = getattr(arguments, key), request[key]
        if asked is None:
            continue
        if LEVELS.index(asked) < LEVELS.index(floor):
            told = f"--{key} {asked}: {role.name} has {floor} at least; it can only be raised\n"
            sys.stderr.write(f"squad_brief.py: {told}")
            return _GATE_SAYS_NO
        request[key] = asked
    if arguments.context is not None:
        if not 0 <= arguments.context <= LARGEST_INTEGER:
            raise RefusedError(f"--context {arguments.context}: expected 0 to {LARGEST_INTEGER}")
        request["context"] = arguments.context
    _put_json(arguments.out, request)
    return 0


def _form(arguments: argparse.Namespace) -> int:
    from _lib.form import form_faults

    template = os.path.join(ROOT, "templates", f"{arguments.template}.md")
    found = form_faults(_text(arguments.file), _text(template))
    for line, fault in found:
        sys.stdout.write(f"{arguments.file}:{line}: {fault}\n")
    sys.stdout.write(f"{'no' if found else 'ok'}: {len(found)} faults\n")
    return _GATE_SAYS_NO if found else 0


def _text(path: str) -> str:
    from hpp.core.document import read_input, shown_name

    try:
        return read_input(path).decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError:
        raise RefusedError(f"{shown_name(path)}: not UTF-8") from None


def _put_json(path: str | None, value: object) -> None:
    import json

    text = json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False)
    _put(path, f"{text}\n")


def _put(path: str | None, text: str) -> None:
    """Print a text, or put it in a file that the person named."""
    if path is None:
        sys.stdout.write(text)
        return
    if os.path.isdir(path) or not os.path.isdir(os.path.dirname(os.path.abspath(path))):
        raise RefusedError(f"--out {path}: expected a file in a folder that exists")
    from hpp.core.portable.fswrite import atomic_write

    atomic_write(path, text.encode("utf-8", "backslashreplace"))


def _main(arguments: argparse.Namespace) -> int:
    status: int = arguments.verb(arguments)
    return status


def _self_test() -> int:
    from _lib.brieftest import self_test

    return self_test(os.path.abspath(__file__), ROOT)


PARSER = make_parser("squad_brief.py", "Say what a role of the squad is told.", json=False)
_VERBS = PARSER.add_subparsers(required=True, metavar="VERB")
_VERB = _VERBS.add_parser("roles", help="name, set and tools of each role")
_VERB.add_argument("--json", action="store_true", help="print one JSON object")
_VERB.set_defaults(verb=_roles)
_VERB = _VERBS.add_parser("brief", help="the delegation form for a role")
_VERB.add_argument("--role", required=True, metavar="R")
_VERB.add_argument("--goal", required=True, metavar="TEXT", help="what is true afterwards")
_VERB.add_argument("--acceptance", nargs="*", action="extend", default=[], metavar="CMD",
                   help="command that exits 0 when it is done")  # fmt: skip
_VERB.add_argument("--paths", nargs="*", action="extend", default=[], metavar="P")
_VERB.add_argument("--forbid", nargs="*", action="extend", default=[], metavar="P")
_VERB.add_argument("--item", default="", metavar="ID", help="story and unit, for records")
_VERB.add_argument("--out", metavar="F")
_VERB.set_defaults(verb=_brief)
_VERB = _VERBS.add_parser("context", help="the blocks that hpp context compile reads")
_VERB.add_argument("--role", required=True, metavar="R")
_VERB.add_argument("--root", required=True, metavar="DIR", help="folder of the recipe's paths")
_VERB.add_argument("--recipe", metavar="F", help="instead of the role's own")
_VERB.add_argument("--out", metavar="F")
_VERB.set_defaults(verb=_context)
_VERB = _VERBS.add_parser("route", help="the request that hpp route reads")
_VERB.add_argument("--role", required=True, metavar="R")
_VERB.add_argument("--risk", choices=LEVELS)
_VERB.add_argument("--complexity", choices=LEVELS)
_VERB.add_argument("--context", type=int, metavar="N", help="size of what is sent along")
_VERB.add_argument("--out", metavar="F")
_VERB.set_defaults(verb=_route)
_VERB = _VERBS.add_parser("form", help="hold a filled template to its gate")
_VERB.add_argument("--template", required=True, choices=FORMS)
_VERB.add_argument("file", metavar="FILE")
_VERB.set_defaults(verb=_form)

if __name__ == "__main__":
    raise SystemExit(run_script(PARSER, _main, self_test=_self_test))
