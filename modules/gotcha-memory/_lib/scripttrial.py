"""The checks that `gotchas.py` makes of itself, in a project of its own."""

from __future__ import annotations

import contextlib
import io
import os

from _lib.memorytrial import LINES, NOW
from _lib.setting import DEFAULT_STORE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hpp.core.portable.selftest import Checks, Project

    Call = Callable[[Sequence[str]], int]

__all__ = ["check_script"]

_REFUSED, _USAGE = 2, 3


def check_script(checks: Checks, project: Project, call: Call) -> None:
    """Check plans, writes, refusals and the exit status of each."""

    def says(*words: str) -> tuple[int, str]:
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(io.StringIO()):
            status = call([*words, "--now", str(NOW)])
        return status, said.getvalue()

    rules = project.write("rules.jsonl", '{"key": "make", "prevention": "Read the log first"}\n')
    checks.equal("nothing is there", says("list")[0], 1)
    checks.equal("a plan", says("seed", rules), (0, _planned()))
    checks.check("a plan writes nothing", not os.path.exists(f"{DEFAULT_STORE}/curated.jsonl"))
    checks.equal("seeded", says("seed", rules, "--apply")[0], 0)
    again = says("seed", rules, "--apply")
    checks.equal("again", again, (0, "added 0, present 1, refused 0\n"))
    checks.equal("no such file", says("seed", "missing.json")[0], _REFUSED)
    token = "ghp_" + "a1B2" * 9
    checks.equal("a secret", says("add", "--key", "k", "--prevention", token)[0], _REFUSED)
    project.write(f"{DEFAULT_STORE}/failures.jsonl", LINES)
    checks.check("what recurs", "[3x] transient" in says("list")[1])
    told = says("preamble", "--task", "Run the tests", "--command", "pytest")
    checks.check("what would be told", told[0] == 0 and "[3x]" in told[1])
    checks.equal("healthy", says("doctor")[0], 0)
    checks.equal("three records", len(says("show", "run the tests")[1].splitlines()), 3)
    checks.equal("forgotten", says("forget", "--key", "pytest", "--apply")[0], 0)
    checks.equal("and gone", says("show", "run the tests")[0], 1)
    project.write("suite.json", "labels")
    checks.equal("labels are kept", says("export-unknown", "suite.json")[0], _REFUSED)
    checks.equal("an unknown verb", says("nonsense")[0], _USAGE)
    checks.equal("the loop", says("demo")[0], 0)


def _planned() -> str:
    return (
        "+ make: Read the log first\n"
        "would add 1, present 0, refused 0\n"
        "nothing was written; --apply writes it\n"
    )
