"""Which commands only print, search, store or send text: what they name, they do not run."""

from __future__ import annotations

from hpp.core.policy.advisor import names_advisor
from hpp.core.shell.gitcall import subcommand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["PRINTERS", "mentions_advisor", "mentions_sql"]

PRINTERS = frozenset({"echo", "printf"})
_NO_READERS = frozenset({"true", "false", ":"})
_SEARCHERS = frozenset(
    {"grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ack", "sed", "awk", "gawk", "mawk", "jq", "yq",
     "head", "tail", "less", "more", "wc", "sort", "uniq", "diff", "comm", "cut", "tr", "history",
     "man", "apropos", "which", "type", "whereis", "bat"}
)  # fmt: skip
_FILERS = frozenset({"ls", "touch", "mkdir", "cp", "mv"})
_TELLERS = frozenset(
    {"pbcopy", "xclip", "xsel", "wl-copy", "clip", "logger", "notify-send", "say", "wall"}
)
_MESSENGERS = frozenset({"git", "gh", "glab", "hg", "jj", "svn"})
# Builtins that set, test or read something; none of them hands a text to another program.
_BUILTINS = frozenset(
    {"test", "[", "[[", "export", "declare", "local", "typeset", "readonly", "read", "set", "unset",
     "alias", "unalias", "cd", "pushd", "popd", "let", "return", "exit", "hash"}
)  # fmt: skip
_TEXT = PRINTERS | _NO_READERS | _SEARCHERS | _FILERS | _TELLERS
_SQL_TEXT = _TEXT | _MESSENGERS | _BUILTINS | {"cat", "tee"}


def mentions_sql(name: str, words: Sequence[str]) -> bool:
    """Say whether a command that holds a statement only mentions it.

    Args:
        name: Base name of the program.
        words: The program and its arguments.

    """
    return name in _SQL_TEXT or _is_message(name, words) or _is_policy(name, words)


def mentions_advisor(name: str, words: Sequence[str]) -> bool:
    """Say whether a command that names the advisor's file only mentions it.

    A file that is shown by `cat` or added by `git add` is named after all.
    """
    if name in _TEXT or _is_message(name, words) or _is_policy(name, words):
        return True
    if name in ("cat", "tee"):
        return not any(map(names_advisor, words[1:]))
    if name == "git":
        return words[subcommand(words) :][:1] != ["add"]
    return name in _MESSENGERS


def _is_message(name: str, words: Sequence[str]) -> bool:
    return name == "alembic" and "revision" in words


def _is_policy(name: str, words: Sequence[str]) -> bool:
    """Say whether HPP itself is asked about a command."""
    if name in ("hpp", "hpp-cli"):
        return "policy" in words[1:2]
    if not name.startswith(("python", "py", "pypy")):
        return False
    for at, word in enumerate(words[:-2]):
        if word == "-m" and words[at + 1] == "hpp":
            return words[at + 2] == "policy"
    return False
