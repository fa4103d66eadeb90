"""The rules that look at one plain command; those about pipes are in `classifier`."""

from __future__ import annotations

from hpp.core.shell.wrapper import program_name

__all__ = [
    "ADVISOR",
    "DOWNLOADERS",
    "EXTERNAL_PUSH",
    "EXTERNAL_SEND",
    "FORCE_PUSH",
    "MAIN_PUSH",
    "ORDER",
    "PIPE_SHELLS",
    "PIPE_TO_SHELL",
    "RECURSIVE_DELETE",
    "SQL",
    "is_printer",
    "is_text_only",
    "names_advisor",
    "push_rule",
    "removes_recursively",
    "sends",
]

RECURSIVE_DELETE = "recursive-delete"
FORCE_PUSH = "force-push"
MAIN_PUSH = "main-push"
PIPE_TO_SHELL = "pipe-to-shell"
SQL = "destructive-sql"
EXTERNAL_PUSH = "external-push"
EXTERNAL_SEND = "external-send"
ADVISOR = "decision-advisor"
TOO_DEEP = "nested-too-deep"
ORDER = (
    RECURSIVE_DELETE,
    FORCE_PUSH,
    MAIN_PUSH,
    PIPE_TO_SHELL,
    SQL,
    EXTERNAL_PUSH,
    EXTERNAL_SEND,
    ADVISOR,
    TOO_DEEP,
)
DOWNLOADERS = frozenset({"curl", "wget"})
PIPE_SHELLS = frozenset({"sh", "bash", "zsh", "dash", "ksh"})

_POWERSHELL_DELETERS = frozenset({"remove-item", "ri", "rm", "rd", "del", "rmdir", "erase"})
_LONGEST_PREFIX = len("-recurse")
_SHORTEST_FORCE = len("-fo")

_GIT_VALUES = frozenset(
    {"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env",
     "--super-prefix", "--attr-source", "--list-cmds"}
)  # fmt: skip
_PUSH_VALUES = frozenset(
    {"-o", "--push-option", "--repo", "--receive-pack", "--exec", "--recurse-submodules"}
)
_PROTECTED = frozenset({"main", "master"})

_PRINTERS = frozenset({"echo", "printf"})
_STORES = frozenset({"cat", "tee"})
_SEARCHERS = frozenset(
    {"grep", "egrep", "fgrep", "rg", "ag", "ack", "sed", "awk", "gawk", "jq", "head", "tail",
     "less", "more", "wc", "sort", "uniq", "diff", "history", "man", "which", "type", "whereis",
     "tr", "cut"}
)  # fmt: skip
_FILERS = frozenset({"ls", "touch", "mkdir", "cp", "mv"})
_MESSENGERS = frozenset({"git", "gh", "glab"})
_NOTHING = frozenset({"true", "false", ":"})
_ADVISOR = "typed-decisions/decide.py"
_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")


def removes_recursively(words: list[str]) -> bool:
    """Say whether a command removes a tree without asking."""
    name = program_name(words[0])
    if name == "rm" and _posix_rm(words):
        return True
    if name in ("rmdir", "rd") and any(word.lower() == "/s" for word in words[1:]):
        return True
    return name.lower() in _POWERSHELL_DELETERS and _powershell_rm(words)


def _posix_rm(words: list[str]) -> bool:
    recursive = force = False
    for word in words[1:]:
        if word == "--":
            break
        if word.startswith("--"):
            recursive = recursive or (len(word) > 2 and "--recursive".startswith(word))  # noqa: PLR2004 -- the dashes
            force = force or (len(word) > 2 and "--force".startswith(word))  # noqa: PLR2004 -- the dashes
        elif word.startswith("-"):
            recursive = recursive or "r" in word or "R" in word
            force = force or "f" in word
    return recursive and force


def _powershell_rm(words: list[str]) -> bool:
    recursive = force = False
    for word in words[1:]:
        low = word.lower().partition(":")[0]
        if low.startswith("-r") and "-recurse".startswith(low):
            recursive = True
        elif len(low) >= _SHORTEST_FORCE and "-force".startswith(low):
            force = True
    return recursive and force


def push_rule(words: list[str]) -> str | None:
    """Return the rule that a `git push` falls under, or None for another command."""
    if program_name(words[0]) != "git":
        return None
    at = 1
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] in _GIT_VALUES else 1
    if at >= len(words) or words[at] != "push":
        return None
    forced, operands = _push_words(words[at + 1 :])
    if forced:
        return FORCE_PUSH
    return MAIN_PUSH if any(map(_is_protected, operands)) else EXTERNAL_PUSH


_FORCES = {
    "--force": ("force", True),
    "--no-force": ("force", False),
    "--no-force-with-lease": ("lease", False),
    "--no-force-if-includes": ("includes", False),
}


def _push_words(words: list[str]) -> tuple[bool, list[str]]:
    """Return whether a push is forced, and its operands."""
    forces: dict[str, bool] = {}
    operands: list[str] = []
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        if word == "--":
            operands += words[at:]
            break
        if word in _PUSH_VALUES:
            at += 1
        elif not word.startswith("-") or word == "-":
            operands.append(word)
        elif word.startswith("--"):
            _note_force(word, forces)
        else:
            letters, has_value, value = word[1:].partition("o")
            forces["force"] = forces.get("force", False) or "f" in letters
            at += bool(has_value) and not value
    return any(forces.values()), operands


def _note_force(word: str, forces: dict[str, bool]) -> None:
    """Note a long option that forces a push, or takes an earlier one back."""
    if word in _FORCES:
        name, value = _FORCES[word]
        forces[name] = value
    elif word.startswith("--force-"):
        forces["lease" if word.startswith("--force-with-lease") else "includes"] = True


def _is_protected(operand: str) -> bool:
    source, _, target = operand.removeprefix("+").partition(":")
    for mark in "~^":
        source = source.partition(mark)[0]
    return any(side.removeprefix("refs/heads/") in _PROTECTED for side in (source, target))


def sends(words: list[str]) -> bool:
    """Say whether a downloader runs with a URL among its words."""
    if program_name(words[0]) not in DOWNLOADERS:
        return False
    return any(
        word.lower().removeprefix("--url=").startswith(("http://", "https://"))
        for word in words[1:]
    )


def names_advisor(words: list[str]) -> bool:
    """Say whether a word names the decision advisor's file."""
    return any(_has_advisor(word) for word in words)


def _has_advisor(word: str) -> bool:
    if "decide.py" not in word:
        return False
    plain = word.replace("\\\\", "/").replace("\\", "/")
    at = plain.find(_ADVISOR)
    while at >= 0:
        before = plain[at - 1 : at]
        after = plain[at + len(_ADVISOR) : at + len(_ADVISOR) + 1]
        is_border = not before or not (before in _NAME or before in ".-")
        if is_border and not (after and (after in _NAME or after == ".")):
            return True
        at = plain.find(_ADVISOR, at + 1)
    return False


def is_printer(words: list[str]) -> bool:
    """Say whether a command only prints its arguments."""
    return program_name(words[0]) in _PRINTERS


def is_text_only(words: list[str], *, for_sql: bool) -> bool:
    """Say whether the words of a command are only text, searched, printed, stored or sent.

    Args:
        words: The plain command.
        for_sql: For the rule about SQL; otherwise for the one about the advisor, for which
            a file that is read or added is named after all.

    """
    name = program_name(words[0])
    if name in _PRINTERS or name in _SEARCHERS or name in _FILERS or name in _NOTHING:
        return True
    if name in _STORES:
        return for_sql or not names_advisor(words[1:])
    if name in _MESSENGERS:
        return for_sql or not (name == "git" and words[1:2] == ["add"])
    if name == "alembic":
        return words[1:2] == ["revision"]
    return _is_policy_check(words)


def _is_policy_check(words: list[str]) -> bool:
    """Say whether HPP itself is asked about a command."""
    if program_name(words[0]) in ("hpp", "hpp-cli"):
        return words[1:2] == ["policy"]
    for at, word in enumerate(words[:-2]):
        if word == "-m" and words[at + 1] == "hpp":
            return words[at + 2] == "policy"
    return False
