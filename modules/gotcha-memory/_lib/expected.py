"""Exit status 1 as an answer: a search without a hit, a comparison with a difference."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hpp.core.portable.shellwords import Command

__all__ = ["is_answer"]

_SEARCHES = frozenset({"grep", "egrep", "fgrep", "zgrep", "rg", "ag"})
_COMPARERS = frozenset({"diff", "cmp", "comm"})
_ASKERS = frozenset({"test", "[", "[[", "pgrep", "which", "type"})
_GIT_DIFF_ASKS = frozenset({"--quiet", "--exit-code"})
# They cannot be what failed, so with `test -f x && echo yes` it was the one before.
_SAYERS = frozenset({"echo", "printf", "true", ":"})
# How `command` was used is gone once wrappers are taken off.
_COMMAND_V = re.compile(r"(?:^|[;&|\n(!]|\b(?:if|then|while))\s{0,8}command\s{1,8}-[vV]\s")
_COUNT = re.compile(r"(?:[^\n]{0,255}:)?0")
_DIFFERENCE = re.compile(
    r"[<>+\- ]|---|\\ No newline|@@|diff |index [0-9a-f]|\d+(?:,\d+)?[acd]\d|Only in "
    r"|[^\n]{1,400} differ"
)


def is_answer(command: str, text: str) -> bool:
    """Say whether a command that ended with status 1 only answered no.

    Args:
        command: What the shell was given.
        text: What it said besides the exit code.

    """
    from hpp.core.portable.shellwords import commands

    if not text.strip() and _last_line(command).startswith(("command -v ", "command -V ")):
        return True
    run = [each for each in commands(command) if not each.opaque]
    while run and run[-1].program in _SAYERS:
        run.pop()
    if not run:
        return not text.strip() and _COMMAND_V.search(command) is not None
    return _answers(run[-1], text)


def _answers(last: Command, text: str) -> bool:
    lines = [line for line in text.splitlines() if line.strip()]
    program, words = last.program, last.words
    if program == "git":
        return _git_answers(last, lines)
    if program in _SEARCHES:
        return all(_COUNT.fullmatch(line) for line in lines)
    if program in _COMPARERS:
        return all(_DIFFERENCE.match(line) for line in lines)
    return not lines and (program in _ASKERS or words[:2] in (["command", "-v"], ["command", "-V"]))


def _git_answers(last: Command, lines: list[str]) -> bool:
    from hpp.core.portable.shellwords import git_call

    call = git_call(last)
    if call is None:
        return False
    if call.subcommand == "grep":
        return all(_COUNT.fullmatch(line) for line in lines)
    is_asked = call.subcommand == "diff" and call.has(*_GIT_DIFF_ASKS)
    return is_asked and all(_DIFFERENCE.match(line) for line in lines)


def _last_line(command: str) -> str:
    return re.split(r"[;&|\n]", command.strip())[-1].strip()
