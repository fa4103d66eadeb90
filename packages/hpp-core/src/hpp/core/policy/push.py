"""Which rule a `git push` falls under, from its words alone."""

from __future__ import annotations

from hpp.core.policy.rule import EXTERNAL_PUSH, FORCE_PUSH, MAIN_PUSH
from hpp.core.shell.gitcall import subcommand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["push_rule"]

_PROTECTED = frozenset({"main", "master"})
# Long options of `git push` (git-push(1)); the first of them take a separate value.
_VALUED = ("push-option", "repo", "receive-pack", "exec", "recurse-submodules")
_LONG = (
    *_VALUED, "all", "atomic", "branches", "delete", "dry-run", "follow-tags", "force",
    "force-if-includes", "force-with-lease", "ipv4", "ipv6", "mirror", "porcelain", "progress",
    "prune", "quiet", "set-upstream", "signed", "tags", "thin", "verbose", "verify",
)  # fmt: skip


def push_rule(words: Sequence[str]) -> str | None:
    """Return the rule that a call of git falls under, or None when it is no push.

    Args:
        words: ``git`` and what follows it.

    """
    at = subcommand(words)
    if at >= len(words) or words[at] != "push":
        return None
    forced, operands = _read(words[at + 1 :])
    if forced:
        return FORCE_PUSH
    return MAIN_PUSH if any(map(_is_protected, operands)) else EXTERNAL_PUSH


def _read(words: Sequence[str]) -> tuple[bool, list[str]]:
    """Return whether a push is forced, and its operands."""
    forced = lease = False
    operands: list[str] = []
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        if word == "--":
            operands += words[at:]
            break
        if word[:2] == "--":
            name = word[2:].partition("=")[0]
            if "no-force-with-lease".startswith(name) and len(name) > len("no-force-"):
                lease = False
            elif name[:6] == "force-" and "force-with-lease".startswith(name):
                lease = True
            else:
                forced = forced or name == "force" or name[:6] == "force-"
                at += "=" not in word and _takes_value(name)
        elif word[:1] == "-" and len(word) > 1:
            letters, option, value = word[1:].partition("o")
            forced = forced or "f" in letters
            at += bool(option) and not value
        else:
            operands.append(word)
    return forced or lease, operands


def _takes_value(name: str) -> bool:
    """Say whether a long option, which may be cut short, takes the next word."""
    if name in _LONG:
        return name in _VALUED
    meant = [each for each in _LONG if each.startswith(name)]
    return len(meant) == 1 and meant[0] in _VALUED


def _is_protected(operand: str) -> bool:
    """Say whether a refspec names a protected branch on either side."""
    source, _, target = operand.removeprefix("+").partition(":")
    for mark in ("~", "^", "@{"):
        source = source.partition(mark)[0]
    return _branch(source) in _PROTECTED or _branch(target) in _PROTECTED


def _branch(ref: str) -> str:
    return ref.removeprefix("refs/").removeprefix("heads/")
