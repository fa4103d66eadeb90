r"""Artifact patterns: which files a criterion is expected to write.

``/`` separates components and ``\`` is read as it. ``*`` is any run without ``/``, dot
files included, ``?`` one character, ``[ab]`` ``[a-z]`` ``[!a]`` one of a set, and ``**``
alone in a component any number of folders.
"""

from __future__ import annotations

import os
import stat

from hpp.core.errors import RefusedError
from hpp.core.text import shorten
from hpp.evidence.pathname import climbs, has_drive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Pattern", "Workspace"]

_MAGIC = frozenset("*?[")


class Workspace:
    """The folder that patterns are matched in.

    Args:
        root: Its path.
        out: Components of the record folder, which ``**`` never enters.

    """

    def __init__(self, root: str, out: tuple[str, ...]) -> None:
        self.root = os.path.realpath(root)
        self.out = os.path.join(self.root, *out)
        self.folds_case = _folds_case(self.root)

    def path(self, relative: str) -> str:
        """Return the path of a match for the file system."""
        return os.path.join(self.root, *relative.split("/")) if relative else self.root

    def holds(self, path: str) -> bool:
        """Say whether a path lies in the workspace after every link is followed."""
        real = os.path.realpath(path)
        return real == self.root or real.startswith(self.root.rstrip(os.sep) + os.sep)


class Pattern:
    """One declared pattern.

    Args:
        text: As the person gave it.

    Raises:
        RefusedError: Blank, absolute, with a drive letter or ``..``, ending in a slash,
            naming the workspace itself, or with ``**`` inside a component.

    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.parts = _components(text)

    def matches(self, workspace: Workspace) -> list[str]:
        """Return the regular files that match, links to them included, sorted, with ``/``.

        A match may lead out of the workspace through a link; the caller decides.
        """
        found = {path for path in self._walk(workspace, "", 0) if _is_file(workspace.path(path))}
        return sorted(found)

    def _walk(self, workspace: Workspace, base: str, depth: int) -> Iterator[str]:
        if depth == len(self.parts):
            yield base
            return
        part, is_last = self.parts[depth], depth == len(self.parts) - 1
        if part == "**":
            for folder in _folders_below(workspace, base):
                yield from self._walk(workspace, folder, depth + 1)
            return
        for name in _candidates(workspace, base, part):
            path = f"{base}/{name}" if base else name
            if is_last or os.path.isdir(workspace.path(path)):
                yield from self._walk(workspace, path, depth + 1)


def _components(text: str) -> list[str]:
    shown = f"--artifact {shorten(text)}"
    if not text.strip():
        raise RefusedError("--artifact: a blank pattern names no file")
    if climbs(text) or has_drive(text):
        raise RefusedError(f"{shown}: expected a path inside the workspace")
    if "\0" in text:
        raise RefusedError(f"{shown}: it holds a NUL character")
    plain = text.replace("\\", "/")
    if plain.endswith("/"):
        raise RefusedError(f"{shown}: a pattern names files, and this ends in a slash")
    parts = [part for part in plain.split("/") if part not in ("", ".")]
    if not parts:
        raise RefusedError(f"{shown}: it names the workspace itself")
    if any("**" in part and part != "**" for part in parts):
        raise RefusedError(f"{shown}: ** stands alone in its component")
    collapsed = [p for n, p in enumerate(parts) if p != "**" or n == 0 or parts[n - 1] != "**"]
    return [*collapsed, "*"] if collapsed[-1] == "**" else collapsed


def _candidates(workspace: Workspace, base: str, part: str) -> list[str]:
    """Return the names in a folder that one component stands for."""
    if _MAGIC.isdisjoint(part):
        path = workspace.path(f"{base}/{part}" if base else part)
        return [part] if os.path.lexists(path) else []
    import fnmatch
    import re

    # `translate` makes an expression that cannot backtrack over its stars.
    matcher = re.compile(fnmatch.translate(part), re.IGNORECASE if workspace.folds_case else 0)
    try:
        names = os.listdir(workspace.path(base))
    except OSError:
        return []
    return sorted(name for name in names if matcher.match(name))


def _folders_below(workspace: Workspace, base: str) -> Iterator[str]:
    """Yield a folder and every folder below it; never a linked one, ``.git`` or our records."""
    pending = [base]
    while pending:
        folder = pending.pop()
        path = workspace.path(folder)
        if folder and path == workspace.out:
            continue
        yield folder
        try:
            with os.scandir(path) as entries:
                names = [e.name for e in entries if e.is_dir(follow_symlinks=False)]
        except OSError:
            continue
        pending += [f"{folder}/{name}" if folder else name for name in names if name != ".git"]


def _is_file(path: str) -> bool:
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False


def _folds_case(root: str) -> bool:
    """Say whether the file system takes ``A`` and ``a`` for one name."""
    swapped = root.swapcase()
    try:
        return swapped != root and os.path.samefile(root, swapped)
    except OSError:
        return False
