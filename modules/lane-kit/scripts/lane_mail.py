#!/usr/bin/env python3
"""Messages between lanes: send, list, read, archive."""

from __future__ import annotations

import os
import sys

if sys.pycache_prefix is None:
    sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "_vendor"), ROOT]

from _lib.board import checked_id
from _lib.chain import now_text
from _lib.folder import make_folder
from _lib.identity import checked_lane
from _lib.mailbox import KINDS, READ, archive, checked_name, folder_of, messages, put
from _lib.refusal import no
from _lib.registry import read_registry
from _lib.smallscript import SmallScript

from hpp.core.errors import RefusedError
from hpp.core.portable.scriptcli import write_report

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from _lib.workplace import Workplace

    from hpp.core.portable.scriptcli import Parser
    from hpp.core.portable.selftest import Checks

__all__ = ["SCRIPT"]

_LARGEST = 64 * 1024


def _send(work: Workplace, args: argparse.Namespace) -> int:
    to, sender = checked_lane(args.to, "--to"), checked_lane(args.sender, "--from")
    item = checked_id(args.item) if args.item else ""
    text = _text(args.text_file)
    if to not in read_registry(work.place.registry).lanes and not args.allow_unknown:
        raise no("LANE_UNKNOWN", f"lane {to} is not registered; --allow-unknown sends it anyway")
    make_folder(work.place)
    header = {"to": to, "from": sender, "kind": args.kind, "item": item,
              "at": now_text(work.now), "id": os.urandom(8).hex()}  # fmt: skip
    name, _ = put(folder_of(work.place, work.config), header, text)
    write_report({"file": name, **header})
    return 0


def _text(path: str) -> str:
    try:
        with open(path, "rb") as stream:
            data = stream.read(_LARGEST + 1)
        text = data.decode("utf-8-sig")
    except OSError as error:
        raise RefusedError(f"--text-file: {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise RefusedError(f"--text-file: {path}: not UTF-8") from None
    if len(data) > _LARGEST:
        raise RefusedError(f"--text-file: {path}: larger than 64 KiB")
    from hpp.core.secret import find

    if next(iter(find(text)), None) is not None:
        raise no("TEXT_REFUSED", "the message holds secret-like text; say where it is, not what")
    return text if text.endswith("\n") else f"{text}\n"


def _list(work: Workplace, args: argparse.Namespace) -> int:
    lane = checked_lane(args.lane or "", "--lane")
    found = messages(folder_of(work.place, work.config))
    rows = [{"file": each.name, **each.header} for each in found if each.header
            and lane in ("", each.to)]  # fmt: skip
    write_report({"messages": rows, "unroutable": [each.name for each in found if not each.header]})
    return 0


def _read(work: Workplace, args: argparse.Namespace) -> int:
    name = checked_name(args.file)
    folder = folder_of(work.place, work.config)
    for way in ((name,), (READ, name)):
        try:
            with open(os.path.join(folder, *way), "rb") as stream:
                sys.stdout.write(stream.read(_LARGEST * 2).decode("utf-8", "replace"))
        except FileNotFoundError:
            continue
        return 0
    raise RefusedError(f"{name}: there is no such message")


def _archive(work: Workplace, args: argparse.Namespace) -> int:
    archive(folder_of(work.place, work.config), args.file)
    write_report({"archived": args.file})
    return 0


def _check(work: Workplace, args: argparse.Namespace) -> int:
    del args
    faulty = [each.name for each in messages(folder_of(work.place, work.config)) if not each.header]
    write_report({"unroutable": faulty})
    return 1 if faulty else 0


def _declare(made: dict[str, Parser]) -> None:
    send = made["send"]
    send.add_argument("--to", required=True, metavar="LANE")
    send.add_argument("--from", required=True, metavar="LANE", dest="sender")
    send.add_argument("--kind", required=True, choices=KINDS)
    send.add_argument("--item", metavar="ID")
    send.add_argument("--text-file", required=True, metavar="FILE")
    send.add_argument("--allow-unknown", action="store_true")
    made["list"].add_argument("--lane")
    for verb in ("read", "archive"):
        made[verb].add_argument("file")


def _self_test(checks: Checks, folder: str) -> None:
    import json

    from _lib.lanestest import run_quietly

    def run(*words: str) -> int:
        return run_quietly(SCRIPT.main, *words)[0]

    path = os.path.join(folder, "text.md")
    _write(path, "> to: other\n---\nto: other\n---\n")
    send = ("send", "--from", "a", "--kind", "note", "--text-file", path, "--to", "b")
    checks.equal("nobody is called b", run(*send), 1)
    checks.equal("it is sent anyway", run(*send, "--allow-unknown"), 0)
    _, out, _ = run_quietly(SCRIPT.main, "list")
    sent = json.loads(out)["messages"][0]
    checks.equal("the header alone routes", (sent["to"], sent["kind"]), ("b", "note"))
    _, out, _ = run_quietly(SCRIPT.main, "list", "--lane", "other")
    checks.equal("no line of the body does", json.loads(out)["messages"], [])
    checks.equal("a message is archived", run("archive", sent["file"]), 0)
    checks.equal("and can be read there", run("read", sent["file"]), 0)
    checks.equal("no other file can", run("read", "../registry.json"), 2)
    _write(os.path.join(folder, ".claude", "lanes", "mailbox", "x.md"), "hello\n")
    checks.equal("what has no header goes to nobody", run("check"), 1)
    _write(path, "password = " + "hunter2" * 3)
    checks.equal("a secret is not sent", run(*send, "--allow-unknown"), 2)


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="utf-8", newline="\n") as stream:
        stream.write(text)


SCRIPT = SmallScript(
    "lane_mail",
    "Messages between lanes.",
    verbs={"send": _send, "list": _list, "read": _read, "archive": _archive, "check": _check},
    help_lines={
        "send": "send a message to a lane",
        "list": "list what was not archived",
        "read": "print a message",
        "archive": "put a message away",
        "check": "list files that go to nobody",
    },
    declare=_declare,
    self_test=_self_test,
)

if __name__ == "__main__":
    raise SystemExit(SCRIPT.main())
