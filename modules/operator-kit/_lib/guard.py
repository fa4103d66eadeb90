"""The rules of operation-guard, over the commands that a text would run.

The command policy of the harness comes first and knows no project; what follows knows the
project's folders, branches and profile. Each rule looks at one simple command, and of one
command the first rule that matches counts.
"""

from __future__ import annotations

import os

from hpp.core.portable.shellwords import commands as read_commands
from hpp.core.portable.shellwords import git_call
from hpp.core.portable.verdict import BLOCK, WARN
from hpp.core.text import shorten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from _lib.place import Places
    from _lib.profile import Profile
    from _lib.remote_code import Fetched

    from hpp.core.portable.shellwords import Command

__all__ = ["Finding", "Guarded", "findings"]

PROTECTED_PATHS = ("src/**", "app/**", ".git/**")
PROTECTED_BRANCHES = ("main", "master")
ROOT_WORDS = frozenset({"/", "/*", "~", "$HOME", "${HOME}", ".", "..", "*"})
_OPAQUE_MARKS = ("rm", "push", "drop", "truncate", "curl")


class Finding:
    """A rule that matched one command."""

    __slots__ = ("reason", "rule", "verdict")

    def __init__(self, verdict: str, rule: str, reason: str) -> None:
        self.verdict = verdict
        self.rule = rule
        self.reason = reason


class Guarded:
    """What a project asks to be guarded, the defaults included.

    Attributes:
        root: The project's folder, links resolved.
        paths: Globs below it.
        branches: Names or globs.
        extra_block, extra_warn: Patterns of words.
        ban_floating: A package without a version is told.

    """

    __slots__ = ("ban_floating", "branches", "extra_block", "extra_warn", "paths", "root")

    def __init__(self, profile: Profile) -> None:
        self.root = os.path.realpath(profile.root)
        self.paths = [*PROTECTED_PATHS, *profile.texts("guardrails.protected_paths")]
        self.branches = [*PROTECTED_BRANCHES, *profile.texts("guardrails.protected_branches")]
        self.extra_block = profile.texts("guardrails.extra_block")
        self.extra_warn = profile.texts("guardrails.extra_warn")
        self.ban_floating = profile.flag("guardrails.ban_floating", default=False)


def findings(text: str, folder: str, guarded: Guarded, environ: Mapping[str, str]) -> list[Finding]:
    """Return what the rules say of the commands of a text, at most one finding a command."""
    from _lib.place import walk
    from _lib.remote_code import Fetched

    read = read_commands(text)
    fetched = Fetched(read)
    found: list[Finding] = []
    for command, places in walk(read, text, folder, environ):
        look = _Look(command, places, fetched, guarded)
        found += [first for first in [next(look.matches(), None)] if first is not None]
    return found


class _Look:
    """One command with everything that a rule may ask about it."""

    def __init__(
        self, command: Command, places: Places, fetched: Fetched, guarded: Guarded
    ) -> None:
        self.command = command
        self.places = places
        self.fetched = fetched
        self.commands = fetched.commands
        self.guarded = guarded

    def matches(self) -> Iterator[Finding]:
        """Yield what matches, in the order of the rules."""
        rules: tuple[Callable[[], Iterator[Finding]], ...] = (
            self._deletions,
            self._pushes,
            self._sql,
            self._fetched,
            self._extra_block,
            self._floating,
            self._opaque,
            self._extra_warn,
        )
        for rule in rules:
            yield from rule()

    def _deletions(self) -> Iterator[Finding]:
        from _lib.deletion import deletion

        removed = deletion(self.command, self.commands)
        if removed is None:
            return
        places = self.places.inside(removed.directory) if removed.directory else self.places
        if removed.is_rm:
            for word in removed.targets:
                if word.rstrip("/") in ROOT_WORDS or word == "/" or self._is_above(word, places):
                    yield Finding(
                        BLOCK, "root-delete", f"{removed.how} on {shorten(word)} takes the whole"
                    )
        for word in removed.targets:
            taken = self._protected(word, places, is_narrow=removed.is_narrow)
            if taken is not None:
                path, glob = taken
                told = f"{removed.how} on {shorten(path)}, which {glob} protects"
                yield Finding(BLOCK, "protected-delete", told)

    def _is_above(self, word: str, places: Places) -> bool:
        """Say whether a word names the project's folder or one above it."""
        for path in places.paths(word):
            for each in {path, os.path.realpath(path)}:
                stem = each if each.endswith(os.sep) else each + os.sep
                if each == self.guarded.root or self.guarded.root.startswith(stem):
                    return True
        return False

    def _protected(self, word: str, places: Places, *, is_narrow: bool) -> tuple[str, str] | None:
        """Return a path that a word names, and the glob that protects it."""
        from _lib.place import below

        from hpp.core.portable.pathglob import first_cover, matches

        for path in _existing(word, places):
            for each in dict.fromkeys([os.path.realpath(path), self._own(path)]):
                shown = below(each, self.guarded.root)
                if shown is None:
                    continue
                for glob in self.guarded.paths:
                    folded, kept = _fold(glob), _fold(shown)
                    if is_narrow:
                        if matches(folded, kept):
                            return shown, glob
                    elif first_cover([folded], kept):
                        return shown, glob
        return None

    def _own(self, path: str) -> str:
        """Return a path with the project's folder written without links."""
        head, tail = os.path.split(path)
        return os.path.join(os.path.realpath(head), tail) if tail else path

    def _pushes(self) -> Iterator[Finding]:
        call = git_call(self.command)
        if call is None or call.subcommand != "push":
            return
        from _lib.push import read_push

        places = self.places.inside(call.directory) if call.directory else self.places
        push = read_push(call, lambda: _branch(places))
        if push is None:
            return
        if push.everything:
            yield Finding(BLOCK, "protected-push", "pushes every branch, the protected ones too")
        for branch in push.branches:
            if _names_any(branch, self.guarded.branches):
                yield Finding(BLOCK, "protected-push", f"pushes to {shorten(branch)}")
        if push.forced:
            told = f"overwrites history that others may have ({shorten(push.forced)})"
            yield Finding(BLOCK, "force-push", told)

    def _sql(self) -> Iterator[Finding]:
        from _lib.sql import deletes_everything, statements

        for statement in statements(self.command, self.commands):
            table = deletes_everything(statement)
            if table is not None:
                told = f"deletes every row of {shorten(table)}: there is no WHERE"
                yield Finding(BLOCK, "delete-without-where", told)

    def _fetched(self) -> Iterator[Finding]:
        if self.fetched.runs(self.command):
            told = f"{self.command.program} runs what was just fetched and nobody has read"
            yield Finding(BLOCK, "fetch-and-run", told)

    def _extra_block(self) -> Iterator[Finding]:
        yield from self._extra(self.guarded.extra_block, BLOCK, "extra_block")

    def _extra_warn(self) -> Iterator[Finding]:
        yield from self._extra(self.guarded.extra_warn, WARN, "extra_warn")

    def _extra(self, patterns: list[str], verdict: str, rule: str) -> Iterator[Finding]:
        if not patterns or not self.command.program:
            return
        from hpp.core.portable.tokenpattern import first_match

        pattern = first_match(patterns, [self.command.program, *self.command.words[1:]])
        if pattern is not None:
            yield Finding(verdict, rule, f"the profile names {shorten(pattern)!r}")

    def _floating(self) -> Iterator[Finding]:
        from _lib.floating import floating_packages

        bare = self.guarded.ban_floating
        named = floating_packages(self.command.program, self.command.words, bare=bare)
        if named:
            shown = ", ".join(shorten(name, 60) for name in named[:5])
            told = f"{shown}: another day installs another version; name one"
            yield Finding(WARN, "floating-version", told)

    def _opaque(self) -> Iterator[Finding]:
        low = self.command.piece.lower() if self.command.opaque else ""
        mark = next((mark for mark in _OPAQUE_MARKS if mark in low), None)
        if mark is not None:
            told = f"what runs cannot be read from the text, and it holds {mark!r}"
            yield Finding(WARN, "opaque-command", told)


def _existing(word: str, places: Places) -> list[str]:
    """Return the paths of a word, what a pattern of names finds added."""
    paths = places.paths(word)
    if any(mark in word for mark in "*?["):
        from glob import iglob
        from itertools import islice

        paths += [found for path in list(paths) for found in islice(iglob(path), 200)]
    return paths


def _fold(path: str) -> str:
    """Return a path in one case where the system's file names have none."""
    import sys

    return path.lower() if sys.platform in ("win32", "darwin") else path


def _names_any(branch: str, protected: list[str]) -> bool:
    from fnmatch import fnmatchcase

    return any(
        branch == each or fnmatchcase(branch, each) or ("*" in branch and fnmatchcase(each, branch))
        for each in protected
    )


def _branch(places: Places) -> str | None:
    from hpp.core.portable import anchor

    return anchor.branch(places.folders[-1])
