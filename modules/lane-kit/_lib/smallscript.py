"""The outer part of the smaller scripts: verbs with a line of help, a project, a self-test."""

from __future__ import annotations

from _lib.workplace import add_project_option, open_workplace

from hpp.core.portable.scriptcli import make_parser, run_script

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Mapping

    from _lib.workplace import Workplace

    from hpp.core.portable.scriptcli import Parser
    from hpp.core.portable.selftest import Checks

    Verb = Callable[[Workplace, argparse.Namespace], int]

__all__ = ["SmallScript"]


class SmallScript:
    """A script with verbs.

    Args:
        name: As it stands in front of its messages.
        summary: What it is, in one sentence.
        verbs: What each verb does, by name.
        help_lines: What each verb is for, by name.
        declare: Adds the options of each verb.
        self_test: Adds checks; it is given the project's folder.

    """

    def __init__(  # noqa: PLR0913 -- the parts of a script, written once each
        self,
        name: str,
        summary: str,
        *,
        verbs: Mapping[str, Verb],
        help_lines: Mapping[str, str],
        declare: Callable[[dict[str, Parser]], None],
        self_test: Callable[[Checks, str], None],
    ) -> None:
        self.name = name
        self.summary = summary
        self.verbs = verbs
        self.help_lines = help_lines
        self.declare = declare
        self._self_test = self_test

    def parser(self) -> Parser:
        """Return the parser of the command line."""
        parser = make_parser(self.name, self.summary, json=False)
        verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
        made: dict[str, Parser] = {}
        for verb, line in self.help_lines.items():
            made[verb] = verbs.add_parser(verb, help=line, description=line, allow_abbrev=False)
            add_project_option(made[verb])
            made[verb].add_argument("--now", type=int, metavar="N", help="Unix seconds")
        self.declare(made)
        return parser

    def main(self, words: list[str] | None = None) -> int:
        """Answer one command line and return its status."""
        return run_script(self.parser(), self._run, words, self.check_itself)

    def check_itself(self) -> int:
        """Run the self-test in a project of its own."""
        from _lib.selfcheck import check_itself

        return check_itself(self._self_test)

    def _run(self, args: argparse.Namespace) -> int:
        return self.verbs[args.verb](open_workplace(args, self.name), args)
