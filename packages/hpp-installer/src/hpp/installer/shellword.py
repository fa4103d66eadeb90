r"""Words of the lines that a person pastes into a shell: one word in, one word out.

Paths have forward slashes and double quotes, which bash, zsh, PowerShell and cmd all take.
Ids and names come from a manifest, so a repository may have written them: what is not
plainly harmless is quoted, and no control character ever ends a line.
"""

from __future__ import annotations

import os
import re

from hpp.core.text import printable

__all__ = ["IS_WINDOWS", "folder_word", "forward", "path_word", "word"]

IS_WINDOWS = os.name == "nt"
_PLAIN = re.compile(r"[A-Za-z0-9@%+=:,./_-]+")
# C:\..., C:folder\... and \\server\share: nobody has a POSIX file of such a name.
_OF_WINDOWS = re.compile(r"[A-Za-z]:|\\\\")
_SPECIAL = re.compile(r'[\\"$`!]')


def forward(path: str, *, windows: bool = IS_WINDOWS) -> str:
    r"""Return a path with ``/``; elsewhere than on Windows a ``\`` may belong to a name."""
    if windows or _OF_WINDOWS.match(path):
        return path.replace("\\", "/")
    return path


def path_word(path: str, *, windows: bool = IS_WINDOWS) -> str:
    """Return a path as one double-quoted word."""
    return _quoted(forward(path, windows=windows), windows=windows)


def folder_word(path: str, *, windows: bool = IS_WINDOWS) -> str:
    """Return a folder that a person typed as one word, ``~/`` left for the shell to expand.

    Only `hpp init` expands a quoted one itself.
    """
    if not windows and path.startswith("~/") and len(path) > len("~/"):
        return "~/" + path_word(path[len("~/") :], windows=False)
    return path_word(path, windows=windows)


def word(text: str, *, windows: bool = IS_WINDOWS) -> str:
    """Return a text as one word, quoted only where a shell would read more than a word."""
    is_plain = _PLAIN.fullmatch(text) is not None and not text.startswith("-")
    return text if is_plain else _quoted(text, windows=windows)


def _quoted(text: str, *, windows: bool) -> str:
    shown = printable(text)
    if not windows:
        # A history expansion cannot be escaped inside double quotes, so it leaves them.
        shown = _SPECIAL.sub(lambda m: "\"'!'\"" if m[0] == "!" else f"\\{m[0]}", shown)
    return f'"{shown}"'
