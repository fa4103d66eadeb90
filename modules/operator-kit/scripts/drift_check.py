#!/usr/bin/env python3
"""Hold what documents claim against the world, one probe a claim."""

from __future__ import annotations

import os
import sys

if sys.pycache_prefix is None:
    sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "_vendor"), ROOT]

from _lib.document import read_text
from _lib.probe import Probe, label, parse_option, parse_probe, probe
from _lib.script import answer, project_parser, root_of, run, said_by

from hpp.core.errors import RefusedError
from hpp.core.strictjson import parse_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from hpp.core.portable.selftest import Checks, Project

PARSER = project_parser("drift_check.py", __doc__)
PARSER.add_argument("--probes", metavar="FILE", help="probes, JSON: a list, or {probes: [...]}")
PARSER.add_argument(
    "--probe", metavar="NAME=KIND:TARGET", action="append", default=[], help="one probe"
)


def main(options: argparse.Namespace) -> int:
    """Run the probes and return 1 when a claim does not hold or something unclaimed does."""
    root = root_of(options)
    probes = [*_of_file(options.probes), *map(parse_option, options.probe)]
    if not probes:
        raise RefusedError("no probe: name --probes FILE or --probe")
    results = []
    for asked in probes:
        holds = probe(asked, root)
        means = label(expect=asked.expect, holds=holds)
        results.append({"name": asked.name, "kind": asked.kind, "target": asked.target,
                        "expect": asked.expect, "holds": holds, "label": means})  # fmt: skip
    lines = [f"{each['label']:18} {each['name']}: {each['target']}" for each in results]
    answer(options, {"results": results}, lines)
    return 1 if any(each["label"] in ("bug", "unexpected") for each in results) else 0


def _of_file(path: str | None) -> list[Probe]:
    if path is None:
        return []
    document = parse_text(read_text(path, path), path)
    if isinstance(document, dict):
        document = document.get("probes")
    if not isinstance(document, list):
        raise RefusedError(f"{path}: expected a list of probes")
    return [parse_probe(each, f"{path}: [{at}]") for at, each in enumerate(document)]


def self_test(checks: Checks, project: Project) -> None:
    """Check each label, and probes that are none."""
    yes, no = f"cmd:'{sys.executable}' -c pass", f"cmd:'{sys.executable}' -c 'raise SystemExit(1)'"

    def drift(text: str) -> tuple[int, str]:
        status, said = said_by(PARSER, main, "--probe", text)
        return status, said.split()[0] if said else ""

    checks.equal("claimed and so", drift(f"n={yes}"), (0, "by-design"))
    checks.equal("claimed and not so", drift(f"n={no}"), (1, "bug"))
    checks.equal("not claimed and not so", drift(f"n={no}:expect=false"), (0, "aspirational"))
    checks.equal("not claimed and so", drift(f"n={yes}:expect=false"), (1, "unexpected"))
    checks.equal("a probe that cannot start", drift("n=cmd:./nowhere"), (0, "instrument-failure"))
    project.write("docs/a.md", "")
    checks.equal("a glob", drift("n=glob:docs/*.md"), (0, "by-design"))
    checks.equal("a glob that matches nothing", drift("n=glob:docs/*.txt"), (1, "bug"))
    checks.equal("another scheme", drift("n=http:file:///etc/hosts")[0], 2)
    checks.equal("no kind", drift("n=what")[0], 2)
    checks.equal("no probe", said_by(PARSER, main)[0], 2)
    path = project.write("probes.json", '[{"name": "a", "kind": "glob", "target": "docs/a.md"}]')
    checks.equal("probes of a file", said_by(PARSER, main, "--probes", path)[0], 0)
    path = project.write("probes.json", '[{"name": "a", "kind": "glob"}]')
    checks.equal("a probe without a target", said_by(PARSER, main, "--probes", path)[0], 2)


if __name__ == "__main__":
    raise SystemExit(run(PARSER, main, self_test))
