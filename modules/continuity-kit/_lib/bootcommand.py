"""What session_boot.py prints: state document, git, handoff, and the rule to verify first."""

from __future__ import annotations

import os
import sys
import time

from _lib import place
from _lib.boot import VERIFY_FIRST, git_lines, sections, state_lines
from _lib.config import settle
from _lib.handoff import load
from _lib.rendering import render

from hpp.core.errors import RefusedError
from hpp.core.portable import anchor, hookio, lane
from hpp.core.portable.profile_loader import load as load_profile
from hpp.core.portable.scriptcli import make_parser, write_report

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from hpp.core.portable.selftest import Checks

__all__ = ["check", "parser", "run"]

_DEFAULT_BYTES = 4000
_MOST_BYTES = 1 << 20


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    made = make_parser("session_boot.py", "Print what a session should know when it begins.")
    made.add_argument("--lane", metavar="L", help="the lane; else CLAUDE_LANE_ID, else solo")
    made.add_argument(
        "--bytes", metavar="N", type=_size, default=_DEFAULT_BYTES, help="most of the handoff"
    )
    return made


def run(values: argparse.Namespace) -> int:
    """Answer a parsed command line."""
    root = hookio.project_root(hookio.Payload({}))
    given = values.lane if values.lane is not None else lane.raw_lane_id(os.environ)
    whose = lane.checked_lane_id(given)
    config = settle(load_profile(os.getcwd(), root))
    now = time.time()
    state = state_lines(root, config.state_doc, now)
    found = load(root, place.current(root, whose))
    handoff = ""
    if found is not None:
        handoff = render(root, found, whose, most=values.bytes, now=now, head=anchor.head(root))
    if not state and not handoff:
        sys.stderr.write(
            f"nothing to show: no {config.state_doc}, and lane {whose} has no handoff\n"
        )
        return 1
    if values.json:
        write_report(
            {
                "state": state, "git": git_lines(root), "handoff": handoff.splitlines(),
                "rule": VERIFY_FIRST,
            }
        )  # fmt: skip
    else:
        parts = ["\n".join([*state, *git_lines(root)]), handoff, VERIFY_FIRST]
        sys.stdout.write("\n\n".join(part for part in parts if part) + "\n")
    return 0


def _size(text: str) -> int:
    import argparse

    if not (text.isascii() and text.isdigit()) or not 0 < int(text) <= _MOST_BYTES:
        raise argparse.ArgumentTypeError(f"expected a number from 1 to {_MOST_BYTES}")
    return int(text)


def check(checks: Checks, root: str) -> None:
    """Check the excerpt of a state document."""
    text = "# T\n## Now\nfocus\n```\n## OPEN ITEMS\nno\n```\n## Now more\nx\n## OPEN ITEMS\n- a\n"
    found = sections(text)
    checks.equal("the two sections, code left out", found, {"## Now": ["focus"],
                 "## OPEN ITEMS": ["- a"]})  # fmt: skip
    long = sections("## Now\n" + "word " * 60 + "\n" + ("x" * 300 + "\n") * 40)["## Now"]
    checks.check("a section is bounded", sum(len(line) + 1 for line in long) <= 3500)  # noqa: PLR2004
    checks.equal("no document, nothing to say", state_lines(root, "docs/STATE.md", 0.0), [])
    path = os.path.join(root, "STATE.md")
    with open(path, "w", encoding="utf-8") as file:
        file.write("## Now\nfocus\n")
    lines = state_lines(root, "STATE.md", os.path.getmtime(path) + 3 * 86400)
    checks.equal("age first", lines[0], "state document STATE.md: 3 d old, stale")
    checks.raises(
        "CONTROL a document outside is refused", RefusedError,
        lambda: state_lines(root, "../STATE.md", 0.0),
    )  # fmt: skip
