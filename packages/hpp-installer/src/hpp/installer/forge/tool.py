"""A script of kit-forge: one command line, ``--self-test``, one place for errors."""

from __future__ import annotations

import os
import sys

from hpp.core.command import Command, run_program
from hpp.core.errors import MachineError, RefusedError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from hpp.core.arguments import Arguments, Values
    from hpp.core.portable.selftest import Checks

__all__ = ["finish", "read_tree", "run_tool", "write_file"]


def run_tool(  # noqa: PLR0913 -- the parts of a tool, written once each
    name: str,
    summary: str,
    words: Sequence[str],
    *,
    declare: Callable[[Arguments], None],
    answer: Callable[[Values], int],
    self_test: Callable[[Checks, str], None],
) -> int:
    """Run a script and return its exit status.

    Args:
        name: Its file name.
        summary: What it does, one line.
        words: What follows its name.
        declare: Declares its options.
        answer: Does the work.
        self_test: Checks it in a folder of its own that goes again.

    """
    if list(words) == ["--self-test"]:
        return run_program(lambda _: _check(self_test))
    if "--self-test" in words:
        return run_program(lambda _: _refuse_words())
    command = Command(name, summary, arguments=declare, run=answer)
    return run_program(lambda call: command.invoke(list(words), name, call))


def _refuse_words() -> int:
    raise UsageError("--self-test goes alone")


def _check(self_test: Callable[[Checks, str], None]) -> int:
    import tempfile

    from hpp.core.portable.selftest import Checks

    sys.dont_write_bytecode = True
    checks = Checks()
    with tempfile.TemporaryDirectory(prefix="hpp-self-test-") as folder:
        self_test(checks, os.path.realpath(folder))
    return 2 if checks.finish() else 0


def finish(report: dict[str, Any], path: str | None) -> int:
    """Print a report, keep it in a file when one is named, and return its exit status."""
    from hpp.core.output import pretty_json, write_bytes

    data = pretty_json(report)
    if path is not None:
        write_file(path, data)
    write_bytes(data)
    code: int = report["exit_code"]
    return code


def write_file(path: str, data: bytes) -> None:
    """Write a file.

    Raises:
        MachineError: It cannot be written.

    """
    try:
        with open(path, "wb") as stream:
            stream.write(data)
    except (OSError, ValueError) as error:
        told = getattr(error, "strerror", None) or str(error)
        raise MachineError(f"{path}: cannot be written: {told}") from None


def read_tree(path: str) -> dict[str, bytes]:
    """Return the bytes of every file below a folder.

    Raises:
        RefusedError: It is no folder, or holds what is no regular file.

    """
    from hpp.core.document import shown_name
    from hpp.installer.formats.moduletree import read_module

    try:
        found = read_module(path)
    except OSError as error:
        raise RefusedError(f"{shown_name(path)}: cannot be listed: {error.strerror}") from None
    if found.problems:
        problem = found.problems[0]
        raise RefusedError(f"{shown_name(path)}: {problem.path}: {problem.measured}")
    return found.files
