"""The words of a call of git: where, what, with which options and on what."""

from __future__ import annotations

import os

from hpp.core.shell.gitcall import subcommand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["GitCall", "read_git_call"]

# Letters whose option takes a value, in the same word or in the next.
_SHORT_VALUES = {
    "branch": "u", "checkout": "bB", "cherry-pick": "mXS", "clean": "e", "clone": "bjocu",
    "commit": "mFcCtS", "diff": "GSOl", "fetch": "jo", "log": "nLGS", "merge": "mFsXS", "push": "o",
    "rebase": "sXCxS", "revert": "mXS", "stash": "m", "switch": "cC", "tag": "mFu",
    "worktree": "bB",
}  # fmt: skip
_ATTACHED_ONLY = frozenset("S")  # a value in the same word or none
_LONG_VALUES = frozenset(
    ["--author", "--branch", "--cleanup", "--date", "--depth", "--exclude", "--exec", "--file",
     "--fixup", "--local-user", "--message", "--onto", "--origin", "--pathspec-from-file",
     "--push-option", "--reason", "--receive-pack", "--reedit-message", "--repo", "--reuse-message",
     "--source", "--squash", "--strategy", "--strategy-option", "--template", "--trailer"]
)  # fmt: skip


class GitCall:
    """One call of git.

    Attributes:
        directory: What its ``-C`` come to, joined; empty for the working folder.
        subcommand: As it was written; empty when there is none.
        options: Of the subcommand, clusters of letters taken apart, without values.
        values: ``(option, value)`` of those that were given one.
        operands: What is no option; all behind ``--``.
        settings: The values of ``-c``.

    """

    __slots__ = ("directory", "operands", "options", "settings", "subcommand", "values")

    def __init__(self) -> None:
        self.directory = ""
        self.subcommand = ""
        self.options: list[str] = []
        self.values: list[tuple[str, str]] = []
        self.operands: list[str] = []
        self.settings: list[str] = []

    def has(self, *names: str) -> bool:
        """Say whether one of these options was given."""
        return any(option in names for option in self.options)


def read_git_call(words: Sequence[str]) -> GitCall:
    """Return a call of git.

    Args:
        words: ``git`` and what follows it.

    """
    call = GitCall()
    place = subcommand(words)
    for number in range(1, place - 1):
        if words[number] == "-C":
            call.directory = os.path.join(call.directory, words[number + 1])
        elif words[number] == "-c":
            call.settings.append(words[number + 1])
    if place >= len(words):
        return call
    call.subcommand = words[place]
    at = place + 1
    while at < len(words):
        at = _word(call, words, at)
    return call


def _word(call: GitCall, words: Sequence[str], at: int) -> int:
    word = words[at]
    if word == "--":
        call.operands += words[at + 1 :]
        return len(words)
    if not word.startswith("-") or word == "-":
        call.operands.append(word)
        return at + 1
    if word.startswith("--"):
        name, equals, value = word.partition("=")
        call.options.append(name)
        if equals:
            call.values.append((name, value))
        elif name in _LONG_VALUES and at + 1 < len(words):
            call.values.append((name, words[at + 1]))
            return at + 2
        return at + 1
    return _cluster(call, words, at)


def _cluster(call: GitCall, words: Sequence[str], at: int) -> int:
    valued = _SHORT_VALUES.get(call.subcommand, "")
    letters = words[at][1:]
    for number, letter in enumerate(letters):
        option = f"-{letter}"
        call.options.append(option)
        if letter not in valued:
            continue
        rest = letters[number + 1 :]
        if rest:
            call.values.append((option, rest))
            return at + 1
        if letter not in _ATTACHED_ONLY and at + 1 < len(words):
            call.values.append((option, words[at + 1]))
            return at + 2
    return at + 1
