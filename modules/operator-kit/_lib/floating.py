"""Packages that are installed without saying which version."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["floating_packages"]

_NODE = frozenset({"npm", "pnpm", "yarn"})
_VERBS = frozenset({"install", "add", "i"})
_TAGS = frozenset({"latest", "next", "canary", "x", "*"})
_PIP_VALUED = frozenset({"-r", "--requirement", "-c", "--constraint", "-e", "--editable", "-i",
                         "--index-url", "--extra-index-url", "-t", "--target", "--prefix",
                         "-f", "--find-links"})  # fmt: skip


def floating_packages(program: str, words: Sequence[str], *, bare: bool) -> list[str]:
    """Return the named packages whose version may be another one tomorrow.

    Args:
        program: Base name of the program.
        words: Program and arguments.
        bare: A package without any version counts as well.

    """
    if program in _NODE:
        if len(words) < 2 or words[1] not in _VERBS:  # noqa: PLR2004 -- program and verb
            return []
        named = [word for word in words[2:] if word[:1] not in ("-", ".", "/") and ":" not in word]
        return [word for word in named if _floats_in_node(word, bare=bare)]
    words = _pip(program, words)
    if not words:
        return []
    return [word for word in _named(words) if _floats_in_pip(word, bare=bare)]


def _pip(program: str, words: Sequence[str]) -> Sequence[str]:
    """Return what follows ``pip install``, also as ``python -m pip install``."""
    at = 1
    if program.startswith(("python", "py")) and list(words[1:3]) == ["-m", "pip"]:
        at = 3
    elif not program.startswith("pip"):
        return []
    return words[at + 1 :] if words[at : at + 1] == ["install"] else []


def _named(words: Sequence[str]) -> list[str]:
    found: list[str] = []
    rest = iter(words)
    for word in rest:
        if word in _PIP_VALUED:
            next(rest, None)
        elif word[:1] not in ("-", ".", "/") and "://" not in word and "/" not in word:
            found.append(word)
    return found


def _floats_in_node(word: str, *, bare: bool) -> bool:
    name, at, version = word[1:].partition("@")
    if not at:
        return bare and bool(name or word)
    return version in _TAGS or version[:1] in ("^", "~") or "*" in version


def _floats_in_pip(word: str, *, bare: bool) -> bool:
    if word.endswith((".whl", ".zip", ".tar.gz")):
        return False
    if "@latest" in word or "*" in word or "~" in word or "^" in word:
        return True
    return bare and "==" not in word
