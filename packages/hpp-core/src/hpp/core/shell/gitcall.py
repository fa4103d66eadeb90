"""The command line of git: its options, its subcommand, and the texts that it executes."""

from __future__ import annotations

from hpp.core.shell.call import HERE, Call
from hpp.core.shell.model import is_unknown
from hpp.core.shell.option import skip_options
from hpp.core.shell.word import quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["git", "subcommand"]

_VALUES = frozenset(
    {"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env",
     "--super-prefix", "--attr-source", "--list-cmds"}
)  # fmt: skip
_MOST_ALIASES = 8


def subcommand(words: Sequence[str]) -> int:
    """Return the place of git's subcommand; the number of the words when there is none.

    Args:
        words: ``git`` and what follows it.

    """
    at = 1
    while at < len(words) and (words[at][:1] == "-" or is_unknown(words[at])):
        at += 2 if words[at] in _VALUES else 1
    return min(at, len(words))


def git(call: Call, at: int, end: int) -> int:
    """Note the texts that git executes, and put an alias of its own command line in place."""
    words = list(call.words[at - 1 : end])
    place = subcommand(words)
    aliases = _aliases(words[:place])
    for _ in range(_MOST_ALIASES):
        alias = aliases.pop(words[place], None) if place < len(words) else None
        if alias is None:
            break
        if alias[:1] == "!":
            call.script(at, end)
            call.scripts[-1].text = " ".join([alias[1:], *words[place + 1 :]])
            break
        words[place : place + 1] = alias.split()
        call.command = words
    reader = _TEXTS.get(words[place]) if place < len(words) else None
    if reader is not None and not call.command:
        reader(call, at - 1 + place + 1, end)
    return HERE


def _aliases(words: Sequence[str]) -> dict[str, str]:
    """Return the aliases that ``-c alias.NAME=VALUE`` sets."""
    found: dict[str, str] = {}
    for number, word in enumerate(words[:-1]):
        if word == "-c" and words[number + 1].lower().startswith("alias."):
            name, _, value = words[number + 1][len("alias.") :].partition("=")
            found[name] = value
    return found


def _submodule(call: Call, at: int, end: int) -> None:
    at = skip_options(call.words, at, end)
    if at < end and call.words[at] == "foreach":
        at = skip_options(call.words, at + 1, end)
        _text_and_words(call, at, end)


def _bisect(call: Call, at: int, end: int) -> None:
    if at < end and call.words[at] == "run":
        _text_and_words(call, at + 1, end)


def _text_and_words(call: Call, at: int, end: int) -> None:
    """Note a text whose further words are its arguments."""
    if at < end:
        call.script(at, end)
        call.scripts[-1].text = f"{call.words[at]} {quoted(call.words[at + 1 : end])}"


def _rebase(call: Call, at: int, end: int) -> None:
    _options(call, at, end, "-x", ("--exec",))


def _filter(call: Call, at: int, end: int) -> None:
    names = ("env", "tree", "index", "parent", "msg", "commit", "tag-name")
    _options(call, at, end, "", tuple(f"--{name}-filter" for name in names))


def _options(call: Call, at: int, end: int, short: str, long: Sequence[str]) -> None:
    """Note the texts that options have executed."""
    words = call.words
    while at < end:
        name, equals, value = words[at].partition("=")
        if name in long and equals:
            call.text(value, at)
        elif (name in long or words[at] == short) and at + 1 < end:
            call.script(at + 1, at + 2)
            at += 1
        elif short and words[at].startswith(short):
            call.text(words[at][len(short) :], at)
        at += 1


_TEXTS = {
    "submodule": _submodule, "bisect": _bisect, "rebase": _rebase, "filter-branch": _filter,
}  # fmt: skip
