#!/usr/bin/env python3
"""Rescue uncommitted work of a lane that is gone, and put it back."""

from __future__ import annotations

import os
import sys

if sys.pycache_prefix is None:
    sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "_vendor"), ROOT]

from _lib.folder import make_folder
from _lib.refusal import no
from _lib.rescue import capture, patches, read_patch, reapply
from _lib.smallscript import SmallScript

from hpp.core.portable.lane import checked_lane_id
from hpp.core.portable.scriptcli import write_report

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from _lib.workplace import Workplace

    from hpp.core.portable.scriptcli import Parser
    from hpp.core.portable.selftest import Checks

__all__ = ["SCRIPT"]


def _capture(work: Workplace, args: argparse.Namespace) -> int:
    lane = checked_lane_id(args.lane, "--lane")
    worktree = args.worktree or work.place.project
    make_folder(work.place)
    path = capture(work.place, lane, worktree, out=args.out or "")
    write_report({"status": "clean" if path is None else "captured", "patch": path})
    return 0


def _reapply(work: Workplace, args: argparse.Namespace) -> int:
    meta = reapply(
        work.place,
        args.patch,
        args.worktree or work.place.project,
        force_base=args.force_base,
        partial_ok=args.partial_ok,
    )
    write_report({"status": "applied", "files": meta.get("files", [])})
    return 0


def _list(work: Workplace, args: argparse.Namespace) -> int:
    found = patches(work.place)
    if args.json:
        write_report({"rescues": found})
        return 0
    for each in found:
        said = each.get("fault") or f"lane {each['lane']}, {len(each['files'])} files"
        sys.stdout.write(f"{each.get('patch')}  {said}\n")
    return 0


def _show(work: Workplace, args: argparse.Namespace) -> int:
    write_report(read_patch(work.place, args.patch)[1])
    return 0


def _drop(work: Workplace, args: argparse.Namespace) -> int:
    if not args.reason.strip():
        raise no("REASON_MISSING", "a patch is dropped with --reason")
    path, meta = read_patch(work.place, args.patch)
    os.unlink(path)
    os.unlink(path[: -len(".patch")] + ".meta.json")
    write_report({"status": "dropped", "patch": meta.get("patch"), "reason": args.reason})
    return 0


def _declare(made: dict[str, Parser]) -> None:
    made["capture"].add_argument("--lane", required=True)
    made["capture"].add_argument("--out", metavar="DIR")
    for verb in ("capture", "reapply"):
        made[verb].add_argument("--worktree", metavar="DIR")
    for verb in ("reapply", "show", "drop"):
        made[verb].add_argument("patch")
    made["reapply"].add_argument("--force-base", action="store_true")
    made["reapply"].add_argument("--partial-ok", action="store_true")
    made["list"].add_argument("--json", action="store_true")
    made["drop"].add_argument("--reason", required=True)


def _self_test(checks: Checks, folder: str) -> None:
    import shutil

    from _lib.lanestest import run_quietly

    def run(*words: str) -> int:
        return run_quietly(SCRIPT.main, *words)[0]

    checks.equal("a folder without git has nothing to rescue", run("capture", "--lane", "a"), 1)
    if shutil.which("git") is None:
        checks.skip("capture and reapply", "git is not installed")
        return
    from hpp.core.git import git

    identity = ["-c", "user.name=A", "-c", "user.email=a@example.invalid"]
    file = os.path.join(folder, "a.txt")
    for number, words in enumerate(
        (["init", "-q"], ["add", "a.txt"], ["commit", "-q", "-m", "one"])
    ):
        if number == 1:
            _write(file, b"one\n")
        git([*identity, *words], cwd=folder)
    checks.equal("a clean tree leaves nothing", run("capture", "--lane", "a"), 0)
    checks.equal("no patch", _patches(folder), [])
    _write(file, b"two\r\n")
    _write(os.path.join(folder, "new.bin"), bytes(range(256)))
    checks.equal("edits are captured", run("capture", "--lane", "a"), 0)
    checks.equal("a lane id is checked", run("capture", "--lane", "A!"), 2)
    patch = _patches(folder)[0]
    checks.equal("what lies in the way is left alone", run("reapply", patch), 1)
    _write(file, b"one\n")
    os.unlink(os.path.join(folder, "new.bin"))
    checks.equal("the patch goes back", run("reapply", patch), 0)
    checks.equal("byte for byte", (_read(file), len(_read(os.path.join(folder, "new.bin")))),
                 (b"two\r\n", 256))  # fmt: skip
    path = os.path.join(folder, ".claude", "lanes", "rescue", patch)
    _write(path, _read(path) + b"x")
    checks.equal("a changed patch is refused", run("reapply", patch), 2)
    checks.equal("a patch is dropped with a reason", run("drop", patch, "--reason", "done"), 0)
    checks.equal("and is gone", run("show", patch), 2)


def _patches(folder: str) -> list[str]:
    place = os.path.join(folder, ".claude", "lanes", "rescue")
    return sorted(name for name in os.listdir(place) if name.endswith(".patch"))


def _write(path: str, data: bytes) -> None:
    with open(path, "wb") as stream:
        stream.write(data)


def _read(path: str) -> bytes:
    with open(path, "rb") as stream:
        return stream.read()


SCRIPT = SmallScript(
    "lane_rescue",
    "Uncommitted work of a lane as a patch.",
    verbs={
        "capture": _capture, "reapply": _reapply, "list": _list, "show": _show, "drop": _drop,
    },
    help_lines={
        "capture": "write what a worktree holds beyond its commit",
        "reapply": "put a patch back, all of it or nothing",
        "list": "list the patches",
        "show": "show what a patch holds",
        "drop": "throw a patch away",
    },
    declare=_declare,
    self_test=_self_test,
)  # fmt: skip

if __name__ == "__main__":
    raise SystemExit(SCRIPT.main())
