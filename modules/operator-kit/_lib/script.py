"""What the scripts of this module have in common: their options and the project's folder."""

from __future__ import annotations

import os
import sys
import time

from hpp.core.errors import HppError
from hpp.core.portable.scriptcli import make_parser, run_script, write_report

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from hpp.core.portable.scriptcli import Parser
    from hpp.core.portable.selftest import Checks, Project

__all__ = [
    "SaysNoError",
    "add_verb",
    "answer",
    "human_gate",
    "project_parser",
    "root_of",
    "run",
    "said_by",
    "utc",
]

_AGENT = (
    "CLAUDECODE", "CLAUDE_LANE_ID", "CLAUDE_SESSION_ID", "HPP_SESSION_ID", "CODEX_SANDBOX",
    "CODEX_SANDBOX_NETWORK_DISABLED",
)  # fmt: skip


class SaysNoError(HppError):
    """A rule says no; nothing was written."""

    code = "operator.no"
    exit_code = 1


def project_parser(name: str, description: str) -> Parser:
    """Return the parser of a script that works on a project."""
    parser = make_parser(name, description)
    parser.add_argument(
        "--project-dir", metavar="DIR", help="the project (default: the one around this folder)"
    )
    return parser


def add_verb(verbs: Any, name: str, says: str) -> argparse.ArgumentParser:  # noqa: ANN401 -- argparse does not publish its type
    """Return the parser of a verb, which takes the common options behind it as well."""
    import argparse

    parser: argparse.ArgumentParser = verbs.add_parser(name, help=says)
    for option in ("--json", "--traceback"):
        parser.add_argument(
            option, action="store_true", default=argparse.SUPPRESS, help=argparse.SUPPRESS
        )
    parser.add_argument("--project-dir", default=argparse.SUPPRESS, help=argparse.SUPPRESS)
    return parser


def run(
    parser: argparse.ArgumentParser,
    main: Callable[[argparse.Namespace], int],
    self_test: Callable[[Checks, Project], None],
    words: Sequence[str] | None = None,
) -> int:
    """Answer one command line and return its status."""
    return run_script(parser, main, words, lambda: _tested(self_test))


def said_by(
    parser: argparse.ArgumentParser, main: Callable[[argparse.Namespace], int], *words: str
) -> tuple[int, str]:
    """Return the status and the standard output of one command line, for a self-test."""
    import contextlib
    import io

    stdout, stderr = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(stdout), contextlib.redirect_stderr(stderr):
        status = run_script(parser, main, words)
    return status, stdout.getvalue()


def _tested(self_test: Callable[[Checks, Project], None]) -> int:
    from hpp.core.portable.selftest import Checks, Project

    sys.dont_write_bytecode = True
    checks = Checks()
    with Project() as project:
        self_test(checks, project)
    return checks.finish()


def root_of(options: argparse.Namespace) -> str:
    """Return the project's folder.

    What was typed, else what the host says, else the nearest folder with a ``.git`` from the
    working folder upward, else that folder itself.

    Raises:
        RefusedError: What was typed is no folder.

    """
    from hpp.core.errors import RefusedError

    given: str | None = options.project_dir
    if given is not None:
        if not os.path.isdir(given):
            raise RefusedError(f"--project-dir: {given}: not a folder")
        return os.path.abspath(given)
    named: str = os.environ.get("CLAUDE_PROJECT_DIR", "")
    if named and os.path.isdir(named):
        return os.path.abspath(named)
    from hpp.core.worktree import worktree_top

    start = os.getcwd()
    return worktree_top(start) or start


def answer(options: argparse.Namespace, report: object, lines: Sequence[str]) -> None:
    """Print the report as JSON when that was asked for, else the lines for a person."""
    if options.json:
        write_report(report)
        return
    from hpp.core.text import printable

    sys.stdout.write("".join(f"{printable(line)}\n" for line in lines))


def human_gate(what: str, name: str | None, environ: Mapping[str, str] | None = None) -> str | None:
    """Return why an act that belongs to a person is refused here, or None.

    Anybody can clear a variable; what this stops is accident and habit.

    Args:
        what: The option that names the person.
        name: Who they say they are.
        environ: Variables; None for this process's.

    """
    if name is None or not name.strip():
        return f"a person has to do this and say who they are: {what} NAME"
    given = os.environ if environ is None else environ
    found = [variable for variable in _AGENT if given.get(variable)]
    if found:
        return f"this is a person's act, and {found[0]} says that an agent's session runs here"
    return None


def utc(form: str = "%Y-%m-%dT%H:%M:%SZ", moment: float | None = None) -> str:
    """Return a time in UTC, this one without another."""
    return time.strftime(form, time.gmtime(moment))
