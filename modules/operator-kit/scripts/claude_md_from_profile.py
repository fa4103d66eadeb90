#!/usr/bin/env python3
"""Put what the profile says in one block of the file that an agent reads first."""

from __future__ import annotations

import os
import sys

if sys.pycache_prefix is None:
    sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "_vendor"), ROOT]

from _lib.document import read_text
from _lib.profileblock import BEGIN, EDITED, UNCHANGED, WRITTEN, block_of, merged
from _lib.script import answer, project_parser, root_of, run, said_by
from _lib.setting import read_setting

from hpp.core.errors import RefusedError
from hpp.core.portable.fsread import contain

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from hpp.core.portable.selftest import Checks, Project

_MARK = b"\xef\xbb\xbf"

PARSER = project_parser("claude_md_from_profile.py", __doc__)
PARSER.add_argument("--out", metavar="FILE", default="CLAUDE.md", help="below the project")
PARSER.add_argument("--apply", action="store_true", help="write; else the block is printed")
PARSER.add_argument("--force", action="store_true", help="replace a block that was edited by hand")


def main(options: argparse.Namespace) -> int:
    """Print the block, or write it; 1 when a person edited the one that is there."""
    root = root_of(options)
    block = block_of(read_setting(root))
    path = contain(options.out, root)
    text = read_text(path, options.out) if os.path.lexists(path) else _new(options.out, root)
    try:
        outcome, made = merged(text, block, force=options.force)
    except RefusedError as error:
        raise RefusedError(f"{options.out}: {error}") from None
    if outcome == EDITED:
        why = "the block was edited by hand; move the edit out of it, or --force"
        answer(options, {"outcome": EDITED, "out": options.out}, [f"{options.out}: {why}"])
        return 1
    if options.apply and outcome == WRITTEN:
        _write(path, made)
    report = {"outcome": outcome if options.apply else "plan", "out": options.out, "block": block}
    said = [f"{options.out}: {outcome}"] if options.apply else block.splitlines()
    answer(options, report, said)
    return 0


def _new(out: str, root: str) -> str:
    """Return what a new file begins with: CLAUDE.md imports the AGENTS.md that is beside it."""
    folder, name = os.path.split(out)
    has_other = os.path.isfile(os.path.join(root, folder, "AGENTS.md"))
    return "@AGENTS.md\n" if name == "CLAUDE.md" and has_other else ""


def _write(path: str, text: str) -> None:
    from hpp.core.errors import MachineError
    from hpp.core.portable.fswrite import atomic_write

    mark = b""
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "rb") as file:
            mark = _MARK if file.read(len(_MARK)) == _MARK else b""
    except FileNotFoundError:
        pass
    except OSError as error:
        raise MachineError(f"{os.path.basename(path)}: {error.strerror}") from None
    atomic_write(path, mark + text.encode("utf-8"))


def self_test(checks: Checks, project: Project) -> None:
    """Check each outcome, and that what is around the block stays."""
    project.write("operator-profile.yaml", "autonomy: {by_action: {deploy: 0, test: 4}}\n")
    project.write("AGENTS.md", "x\n")

    def call(*words: str) -> int:
        return said_by(PARSER, main, *words)[0]

    def text() -> str:
        return read_text("CLAUDE.md", "CLAUDE.md")

    imported = _new("CLAUDE.md", project.root)
    block = block_of(read_setting(project.root))
    checks.equal("a new file imports the other one", imported, "@AGENTS.md\n")
    checks.check("a limit cites its key", "Ask before: deploy (level 0)" in block)
    checks.check("an action that may be done is none", "test (level" not in block)
    checks.equal("a plan", (call(), os.path.exists("CLAUDE.md")), (0, False))
    checks.equal("written", (call("--apply"), text()), (0, f"{block}\n{imported}"))
    checks.equal("unchanged", merged(text(), block, force=False)[0], UNCHANGED)
    project.write("CLAUDE.md", text().replace("deploy", "ship"))
    checks.equal("an edit by hand is kept", (call("--apply"), "ship" in text()), (1, True))
    checks.equal("unless forced", (call("--apply", "--force"), "ship" in text()), (0, False))
    project.write("CLAUDE.md", f"a\r\n{text()}".replace("\r\n", "\n").replace("\n", "\r\n"))
    project.write("operator-profile.yaml", "autonomy: {by_action: {deploy: 1}}\n")
    call("--apply")
    ends = (text()[:3], text().count("\n") - text().count("\r\n"))
    checks.equal("line ends stay", ends, ("a\r\n", 0))
    project.write("CLAUDE.md", f"{BEGIN}\n")
    checks.equal("a marker without the other", call("--apply"), 2)
    checks.equal("a file outside", call("--out", "../x.md"), 2)


if __name__ == "__main__":
    raise SystemExit(run(PARSER, main, self_test))
