#!/usr/bin/env python3
"""Count files by globs, and tell how the counts changed since a snapshot."""

from __future__ import annotations

import os
import sys

if sys.pycache_prefix is None:
    sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "_vendor"), ROOT]

from _lib.document import read_text
from _lib.inventory import SCHEMA, checked_globs, counts, read_base, report
from _lib.script import add_verb, answer, project_parser, root_of, run, said_by

from hpp.core.errors import RefusedError, UsageError
from hpp.core.strictjson import parse_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from hpp.core.portable.selftest import Checks, Project

PARSER = project_parser("delta_inventory.py", __doc__)
_VERBS = PARSER.add_subparsers(dest="verb", metavar="VERB")
_SNAPSHOT = add_verb(_VERBS, "snapshot", "write the counts down")
_REPORT = add_verb(_VERBS, "report", "compare with a snapshot")
_SNAPSHOT.add_argument("file", metavar="OUT")
_REPORT.add_argument("file", metavar="BASE")
for _verb in (_SNAPSHOT, _REPORT):
    _verb.add_argument("globs", metavar="GLOB", nargs="+")


def main(options: argparse.Namespace) -> int:
    """Answer one verb."""
    if options.verb is None:
        raise UsageError("a verb is needed: snapshot, report")
    root = root_of(options)
    globs = checked_globs(options.globs)
    if options.verb == "snapshot":
        from hpp.core.output import pretty_json
        from hpp.core.portable.fswrite import atomic_write

        if not os.path.isdir(os.path.dirname(os.path.abspath(options.file))):
            raise RefusedError(f"OUT: {options.file}: its folder is not there")
        counted = counts(globs, root)
        made = {"schema": SCHEMA, "counts": counted}
        atomic_write(os.path.abspath(options.file), pretty_json(made))
        answer(options, made, [f"{count}  {glob}" for glob, count in counted.items()])
        return 0
    base = read_base(parse_text(read_text(options.file, options.file), options.file, root=dict),
                     options.file)  # fmt: skip
    found = report(base, counts(globs, root))
    lines = [
        f"{each['state']:7} {each['glob']}: {each['now']}"
        + ("" if each["delta"] is None else f" ({each['delta']:+d})")
        for each in found
    ]
    answer(options, {"globs": found}, lines)
    return 0


def self_test(checks: Checks, project: Project) -> None:
    """Check counts before and after a file came."""
    project.write("src/a.py", "")
    project.write(".git/b.py", "")

    def call(*words: str) -> tuple[int, str]:
        return said_by(PARSER, main, *words)

    checks.equal("a snapshot", call("snapshot", "base.json", "**/*.py"), (0, "1  **/*.py\n"))
    checks.equal("nothing changed", call("report", "base.json", "**/*.py")[1][:4], "same")
    project.write("src/c.py", "")
    said = call("report", "base.json", "**/*.py", "*.md")[1]
    checks.equal("a file more, and a new glob",
                 said, "changed **/*.py: 2 (+1)\nnew     *.md: 0\n")  # fmt: skip
    project.write("base.json", "{")
    checks.equal("a snapshot that cannot be read", call("report", "base.json", "*")[0], 2)
    checks.equal("a folder that is not there", call("snapshot", "no/base.json", "*")[0], 2)
    checks.equal("a glob that leads out", call("snapshot", "base.json", "../*")[0], 2)
    checks.equal("no verb is a wrong call", call()[0], 3)


if __name__ == "__main__":
    raise SystemExit(run(PARSER, main, self_test))
