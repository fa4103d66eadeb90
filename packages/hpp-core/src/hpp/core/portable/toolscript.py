"""The outer part of a tool: its command line, its report, its self-test, its exit status.

0 done · 1 a warning · 2 refused · 3 the command line cannot be understood, or a fault of
ours. The report is one JSON document on standard output; it says nothing of the machine
but the paths that were typed.
"""

from __future__ import annotations

import sys

from hpp.core.command import Command, run_program
from hpp.core.errors import MachineError
from hpp.core.output import pretty_json, write_bytes, write_text
from hpp.core.portable.report import ToolRefusedError, report, shown_problems

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from hpp.core.arguments import Arguments, Values
    from hpp.core.portable.selftest import Checks

__all__ = ["Tool"]


class Tool:
    """A script with a report.

    Args:
        name: File name of the script.
        summary: What it does, in a line.
        schema: Of the report.
        declare: Adds options and words to the command line.
        run: Returns the report of one call.
        self_test: Adds checks; it is given a fresh folder of its own.
        human: Shows a report to a person. With it, that is what is printed, and the JSON
            document on ``--json``; without it, JSON is printed and ``--json FILE`` keeps it.

    """

    def __init__(  # noqa: PLR0913 -- the parts of a tool, written once each
        self,
        name: str,
        summary: str,
        *,
        schema: str,
        declare: Callable[[Arguments], None],
        run: Callable[[Values], dict[str, Any]],
        self_test: Callable[[Checks, str], None],
        human: Callable[[dict[str, Any]], str] | None = None,
    ) -> None:
        self.name = name
        self.summary = summary
        self.schema = schema
        self.declare = declare
        self.run = run
        self.self_test = self_test
        self.human = human

    def main(self, words: Sequence[str]) -> int:
        """Answer one command line and return the exit status."""
        if list(words) == ["--self-test"]:
            return run_program(lambda _: self._check())
        command = Command(
            self.name,
            self.summary,
            arguments=self._declare,
            run=self._answer,
        )
        return run_program(lambda call: command.invoke(words, self.name, call))

    def result(self, values: Values) -> dict[str, Any]:
        """Return the report of one call, a refused one included."""
        try:
            return self.run(values)
        except ToolRefusedError as refusal:
            return report(self.schema, [refusal.problem])

    def _declare(self, arguments: Arguments) -> None:
        self.declare(arguments)
        if self.human is None:
            arguments.option("--json", "FILE", help="write the report to a file as well")
        else:
            arguments.flag("--json", help="print the report as JSON")
        arguments.flag("--self-test", help="check the tool itself, in a folder of its own")

    def _answer(self, values: Values) -> int:
        if values.self_test:
            return self._check()
        made = self.result(values)
        data = pretty_json(made)
        if self.human is not None and not values.json:
            write_text(shown_problems(made) + self.human(made))
        else:
            if isinstance(values.json, str):
                _write(values.json, data)
            write_bytes(data)
        code: int = made.get("exit_code", 0)  # a document that is no report
        return code

    def _check(self) -> int:
        return _check_itself(self.self_test)


def _check_itself(self_test: Callable[[Checks, str], None]) -> int:
    """Run a self-test in a project of its own that goes away; return its exit status."""
    from hpp.core.portable.selftest import Checks, Project

    sys.dont_write_bytecode = True
    checks = Checks()
    with Project() as project:
        self_test(checks, project.root)
    return checks.finish()


def _write(path: str, data: bytes) -> None:
    try:
        with open(path, "wb") as stream:
            stream.write(data)
    except OSError as error:
        raise MachineError(f"{path}: cannot be written: {error.strerror}") from None
