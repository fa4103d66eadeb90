#!/usr/bin/env python3
"""Cut a work graph into batches that may run side by side."""

from __future__ import annotations

import os
import sys

if sys.pycache_prefix is None:
    sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "_vendor"), ROOT]

from _lib.script import add_verb, answer, project_parser, root_of, run, said_by
from _lib.setting import read_setting
from _lib.waves import batches, limits, signal_in

from hpp.core.errors import RefusedError, UsageError
from hpp.core.strictjson import parse_text
from hpp.core.workgraph import read_graph

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from hpp.core.portable.selftest import Checks, Project

_MOST = 1000
_LARGEST = 8 * 1024 * 1024

PARSER = project_parser("waves.py", __doc__)
_VERBS = PARSER.add_subparsers(dest="verb", metavar="VERB")
_PLAN = add_verb(_VERBS, "plan", "print the batches of a work graph")
_PLAN.add_argument("spec", metavar="SPEC", help="the spec, JSON; - is standard input")
_PLAN.add_argument("--max", metavar="N", type=int, help="units of a batch (default: the profile)")
add_verb(_VERBS, "limits", "print the limits in effect")
add_verb(_VERBS, "limited", "say whether a text on standard input tells of a rate limit")


def main(options: argparse.Namespace) -> int:
    """Answer one verb."""
    if options.verb is None:
        raise UsageError("a verb is needed: plan, limits, limited")
    bounds = limits(read_setting(root_of(options)))
    if options.verb == "limits":
        lines = [f"{name}: {value}" for name, value in bounds.items()]
        answer(options, bounds, lines)
        return 0
    if options.verb == "limited":
        text = sys.stdin.read(_LARGEST)
        found = signal_in(text, bounds["rate_limit_signals"])
        report = {"limited": found is not None, "signal": found, "fallback": bounds["fallback"]}
        said = f"limited: {found!r}; {bounds['fallback']}" if found is not None else "not limited"
        answer(options, report, [said])
        return 0 if found is not None else 1
    size = bounds["wave_size"] if options.max is None else options.max
    if not 1 <= size <= _MOST:
        raise RefusedError(f"--max: expected 1 to {_MOST}, got {size}")
    planned = list(batches(read_graph(options.spec), size))
    lines = [f"{each['batch']}  wave {each['wave']}  {', '.join(each['work'])}" for each in planned]
    answer(options, {"wave_size": size, "batches": planned}, lines)
    return 0


def self_test(checks: Checks, project: Project) -> None:
    """Check plans, limits and signals beside ones that differ in a single thing."""

    def unit(name: str, *needs: str) -> str:
        listed = ", ".join(f'"{each}"' for each in needs)
        head = f'{{"id": "{name}", "depends_on": [{listed}], "tier": "economy"'
        return f'{head}, "acceptance": ["{name} works"]}}'

    def plan(*units: str, size: str = "2") -> tuple[int, str]:
        project.write("spec.json", f'{{"work": [{", ".join(units)}]}}')
        return said_by(PARSER, main, "plan", "spec.json", "--max", size, "--json")

    status, said = plan(unit("a"), unit("b"), unit("c"), unit("d", "a"))
    checks.equal("a spec is planned", status, 0)
    made = parse_text(said, "plan", root=dict)["batches"]
    wanted = [["a", "b"], ["c"], ["d"]]
    checks.equal("no batch is larger or crosses a wave", [each["work"] for each in made], wanted)
    checks.equal("a cycle is refused", plan(unit("a", "b"), unit("b", "a"))[0], 2)
    checks.equal("the same without the edge back is not", plan(unit("a"), unit("b", "a"))[0], 0)
    checks.equal("a batch of none", plan(unit("a"), size="0")[0], 2)
    signals = ["429", "rate limit"]
    checks.equal("a signal", signal_in("HTTP 429 Too Many", signals), "429")
    checks.equal("digits inside a number are none", signal_in("took 14290 ms", signals), None)
    project.write("operator-profile.yaml", "concurrency: {max_agents: 7}\n")
    said = said_by(PARSER, main, "limits", "--json")[1]
    checks.equal("a wave is as wide as agents are many", parse_text(said, "l")["wave_size"], 7)
    project.write("operator-profile.yaml", "concurrency: {max_agents: 0}\n")
    checks.equal("no agents are refused", said_by(PARSER, main, "limits")[0], 2)


if __name__ == "__main__":
    raise SystemExit(run(PARSER, main, self_test))
