"""Whether a command removes a folder with all that is in it, and without asking."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["REMOVERS", "removes_recursively"]

REMOVERS = frozenset({"remove-item", "ri", "rm", "rd", "del", "rmdir", "erase"})
_FORCE = ("-fo", "-for", "-forc", "-force")


def removes_recursively(name: str, words: Sequence[str]) -> bool:
    """Say whether a command is a recursive delete in one of its three forms.

    Args:
        name: Base name of the program.
        words: The program and its arguments.

    """
    if name == "rm":
        return _posix(words) or _powershell(words)
    low = name.lower()
    if low in ("rmdir", "rd") and any(map(_is_tree_switch, words)):
        return True
    return low in REMOVERS and _powershell(words)


def _posix(words: Sequence[str]) -> bool:
    """Read the options of POSIX and GNU `rm`, which may stand behind the operands."""
    recursive = force = False
    for word in words[1:]:
        if word == "--":
            break
        if word[:2] == "--":
            recursive = recursive or "--recursive".startswith(word)
            force = force or "--force".startswith(word)
        elif word[:1] == "-" and " " not in word and word.lower() not in _FORCE:
            recursive = recursive or "r" in word or "R" in word
            force = force or "f" in word
    return recursive and force


def _is_tree_switch(word: str) -> bool:
    """Say whether a word is the switch ``/s``, alone or joined to ``/q``."""
    low = word.lower()
    return low in ("/s", "//s", "/s/q", "/q/s")


def _powershell(words: Sequence[str]) -> bool:
    """Read parameters of `Remove-Item`; PowerShell takes any prefix that is unique."""
    recursive = force = False
    for word in words[1:]:
        name, colon, value = word.lower().partition(":")
        if colon and value == "$false":
            continue
        if name[:2] == "-r" and "-recurse".startswith(name):
            recursive = True
        elif name in _FORCE:
            force = True
    return recursive and force
