#!/usr/bin/env python3
"""Say where the work stands, by its state document."""

from __future__ import annotations

import os
import sys

if sys.pycache_prefix is None:
    sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "_vendor"), ROOT]

from _lib.document import read_text
from _lib.script import answer, project_parser, root_of, run, said_by
from _lib.setting import read_setting
from _lib.statedoc import UNKNOWN, read_status

from hpp.core.portable import profile_loader

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from hpp.core.portable.selftest import Checks, Project

DEFAULT = "docs/plans/execution/00-STATE.md"

PARSER = project_parser("status_now.py", __doc__)


def main(options: argparse.Namespace) -> int:
    """Print what the state document says; a missing one is refused."""
    root = root_of(options)
    setting = read_setting(root)
    path = setting.path("state_doc", DEFAULT)
    name = setting.shown_path(path)
    status = read_status(read_text(path, name))
    own = os.path.basename(os.path.realpath(root))
    project = profile_loader.text(setting.values, "project", own)
    progress = status["progress"]
    measured = f"{progress['checked']}/{progress['total']} ({progress['percent']} %)"
    if progress["declared"] != UNKNOWN:
        measured += f", declared {progress['declared']} %"
    lines = [
        f"project:  {project}",
        f"stage:    {status['stage']}",
        f"progress: {measured}",
        f"next:     {status['next']}",
        f"open:     {status['open_total']}",
        *(f"  line {each['line']}: {each['text']}" for each in status["open"]),
        *(f"note: {note}" for note in status["notes"]),
    ]
    answer(options, {"project": project, "state_doc": name, **status}, lines)
    return 0


def self_test(checks: Checks, project: Project) -> None:
    """Check what is read from documents that say it and do not."""
    text = "# State\n\n## Phase 2: build\n\n60 % there\n\n- [x] a\n- [ ] b\n\nNext: ship b\n"
    found = read_status(text)
    checks.equal("the stage", found["stage"], "Phase 2: build")
    checks.equal("progress is counted", found["progress"]["percent"], 50)
    checks.equal("what is declared stands beside it", found["progress"]["declared"], 60)
    checks.equal("the next action", found["next"], "ship b")
    checks.equal("an open item with its line", found["open"], [{"line": 8, "text": "b"}])
    nothing = read_status("# Notes\n")
    checks.equal("unknown is said", (nothing["stage"], nothing["next"]), (UNKNOWN, UNKNOWN))
    checks.check("with a note", nothing["notes"])
    checks.equal("no document", said_by(PARSER, main)[0], 2)
    project.write(DEFAULT, text)
    checks.equal("a document", said_by(PARSER, main)[0], 0)


if __name__ == "__main__":
    raise SystemExit(run(PARSER, main, self_test))
