"""Where the commands of one text work: the folder that `cd` leads to, and paths from there."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from hpp.core.portable.shellwords import Command

__all__ = ["Places", "below", "walk"]

_CHANGERS = frozenset({"cd", "pushd"})
_MOST = 8


class Places:
    """The folders in which a command may run.

    There is one, unless the text has subshells: then nobody can tell from a flat list how
    far a `cd` reaches, and what stood before it counts as well.

    Attributes:
        folders: Absolute, the likeliest last.

    """

    __slots__ = ("_environ", "folders")

    def __init__(self, folders: Sequence[str], environ: Mapping[str, str]) -> None:
        self.folders = list(folders)
        self._environ = environ

    def paths(self, word: str) -> list[str]:
        """Return what a word may name, absolute and without ``..``."""
        home = self._environ.get("HOME") or os.path.expanduser("~")
        found = []
        for folder in self.folders:
            text = word
            for name, value in (("HOME", home), ("PWD", folder)):
                for written in (f"${{{name}}}", f"${name}"):
                    if text == written or text.startswith((written + "/", written + os.sep)):
                        text = value + text[len(written) :]
            if text == "~" or text.startswith(("~/", "~" + os.sep)):
                text = home + text[1:]
            found.append(os.path.normpath(os.path.join(folder, text)))
        return list(dict.fromkeys(found))

    def inside(self, word: str) -> Places:
        """Return the places after a change of folder."""
        return Places(self.paths(word)[-_MOST:], self._environ)


def walk(
    commands: Sequence[Command], text: str, folder: str, environ: Mapping[str, str]
) -> Iterator[tuple[Command, Places]]:
    """Yield every command with the places where it may run."""
    places = Places([folder], environ)
    may_return = "(" in text
    for command in commands:
        yield command, places
        if command.program in _CHANGERS:
            operands = [word for word in command.words[1:] if word[:1] != "-"]
            target = operands[0] if operands else "~"
            moved = places.inside(target)
            if may_return:
                both = [*places.folders, *moved.folders]
                moved = Places(list(dict.fromkeys(both))[-_MOST:], environ)
            places = moved


def below(path: str, root: str) -> str | None:
    """Return a path relative to a folder with ``/``; ``.`` is the folder, None is elsewhere.

    Neither is looked up: links stay as they are.
    """
    if path == root:
        return "."
    stem = root if root.endswith(os.sep) else root + os.sep
    if not path.startswith(stem):
        return None
    return path[len(stem) :].replace(os.sep, "/")
