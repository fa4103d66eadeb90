"""Which calls of git take in or throw away everything, and so another session's files too.

A pure reading of words: what lies on disk is asked through `Where`, so that every rule can be
tested without a repository.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from hpp.core.portable.gitwords import GitCall
    from hpp.core.portable.shellwords import Command

__all__ = [
    "EVERYWHERE",
    "SPOKEN_OF",
    "Where",
    "families_of",
    "matches_extra",
    "may_matter",
    "rm_targets",
]

# Families that act on what all worktrees share, or on other worktrees.
EVERYWHERE = frozenset({"rewrite", "worktree-remove"})
_WHOLE = frozenset({".", "./", ":/", "*", ":", ":/*", ":/.", "**", "**/*", "./*"})
_MOVES = frozenset({"merge", "pull", "cherry-pick", "revert", "am"})
_REWRITES = frozenset({"rebase", "filter-branch", "filter-repo", "update-ref"})
_THROWS = {
    "reset": ("--hard", "--merge", "--keep"),
    "checkout": ("-f", "--force"),
    "switch": ("-f", "--force", "--discard-changes"),
    "clean": ("-f", "--force"),
}
_QUIET_STASH = frozenset({"list", "show", "create"})
_STASH_VERBS = frozenset(
    {"push", "save", "pop", "apply", "drop", "clear", "branch", "store", *_QUIET_STASH}
)
# Every subcommand that one of the families below speaks of.
SPOKEN_OF = frozenset(
    {"add", "commit", "clean", "read-tree", "restore", "rm", "stash", "branch", "push", "worktree"}
    | {"checkout", "switch", "reset", *_MOVES, *_REWRITES}
)
_NEW_BRANCH = ("-b", "-B", "--orphan", "-d", "--detach", "-t", "--track", "-c", "-C", "--create")


class Where:
    """The place that a call acts in.

    Args:
        folder: Its working folder.
        top: Top of the worktree.
        taken: Branches that other lanes have checked out.
        exists: Says whether a path is there.

    """

    __slots__ = ("exists", "folder", "taken", "top")

    def __init__(
        self,
        folder: str,
        top: str,
        taken: Collection[str] = (),
        exists: Callable[[str], bool] = os.path.lexists,
    ) -> None:
        self.folder = folder
        self.top = top
        self.taken = taken
        self.exists = exists

    def is_everything(self, operand: str) -> bool:
        """Say whether an operand names the whole worktree, or more."""
        if operand in _WHOLE or operand.startswith((":!", ":^")):
            return True
        if operand.startswith(":("):
            return "top" in operand.partition(")")[0]
        place = _plain(os.path.join(self.folder, operand))
        top = _plain(self.top)
        return top == place or top.startswith(place.rstrip("/\\") + os.sep)

    def any_everything(self, operands: Sequence[str]) -> bool:
        """Say whether one of several operands does."""
        return any(self.is_everything(operand) for operand in operands)


def may_matter(text: str) -> bool:
    """Say at a glance whether a command could be one to look at; in doubt, yes."""
    plain = text.replace("\\", "").replace("'", "").replace('"', "").lower()
    return "git" in plain or "rm" in plain


def families_of(call: GitCall, words: Sequence[str], where: Where) -> list[str]:
    """Return the families that a call belongs to, in a fixed order.

    Args:
        call: The call.
        words: Its words as they stood, for the ``--`` that the call does not keep.
        where: The place that it acts in.

    """
    verb = call.subcommand
    found = []
    if verb == "add" and _adds_everything(call, where):
        found.append("add-everything")
    if verb == "commit" and not call.has("--dry-run"):
        found += _commit(call, where)
    if _discards(call, where):
        found.append("discard-everything")
    if verb == "stash" and _stashes(call, where):
        found.append("stash")
    if _rewrites(call, where):
        found.append("rewrite")
    if verb in _MOVES or (verb in ("checkout", "switch") and _moves_head(call, words, where)):
        found.append("move-head")
    if verb == "worktree" and call.operands[:1] and call.operands[0] in ("remove", "prune"):
        found.append("worktree-remove")
    return found


def _adds_everything(call: GitCall, where: Where) -> bool:
    if call.has("-n", "--dry-run"):
        return False
    return call.has("-A", "--all", "-u", "--update") or where.any_everything(call.operands)


def _commit(call: GitCall, where: Where) -> list[str]:
    whole = call.has("-a", "--all") or where.any_everything(call.operands)
    if whole:
        return ["commit-everything"]
    # With --include the index goes along with the paths that are named.
    if call.has("-i", "--include"):
        return ["commit-index"]
    if call.operands or call.has("-o", "--only", "--pathspec-from-file"):
        return []
    return ["commit-index"]


def _discards(call: GitCall, where: Where) -> bool:
    verb = call.subcommand
    if verb == "clean" and call.has("-n", "--dry-run"):
        return False
    if verb == "read-tree":
        return call.has("-u") and call.has("--reset")
    if call.has(*_THROWS.get(verb, ())):
        return True
    is_path_verb = verb in ("checkout", "restore") or (verb == "rm" and call.has("-r"))
    return is_path_verb and where.any_everything(call.operands)


def _stashes(call: GitCall, where: Where) -> bool:
    verb = call.operands[0] if call.operands and call.operands[0] in _STASH_VERBS else "push"
    if verb in _QUIET_STASH:
        return False
    paths = [each for each in call.operands if each != verb] if verb == "push" else []
    return not paths or where.any_everything(paths)


def _rewrites(call: GitCall, where: Where) -> bool:
    verb = call.subcommand
    if verb in _REWRITES:
        return True
    if verb == "commit":
        return call.has("--amend") and not call.has("--dry-run")
    if verb == "branch":
        forces = call.has("-f", "--force", "-D", "-M", "-d", "-m", "--delete", "--move")
        return forces and any(name in where.taken for name in call.operands)
    if verb == "push":
        forced = ("-f", "--force", "--force-with-lease", "--force-if-includes", "--mirror")
        return call.has(*forced) or any(ref.startswith("+") for ref in call.operands)
    return False


def _moves_head(call: GitCall, words: Sequence[str], where: Where) -> bool:
    if call.has(*_NEW_BRANCH):
        return True
    if call.subcommand == "switch":
        return bool(call.operands)
    if "--" in words or len(call.operands) != 1 or call.has("-p", "--patch"):
        return False
    name = call.operands[0]
    if name == "-":
        return True
    is_path = where.exists(os.path.join(where.folder, name))
    return not is_path and not where.is_everything(name)


def matches_extra(call: GitCall, words: Sequence[str], patterns: Sequence[str]) -> list[str]:
    """Return the operator's own patterns that a call has all words of."""
    found = []
    for pattern in patterns:
        tokens = pattern.split()
        if tokens and tokens[0] == call.subcommand and all(each in words for each in tokens[1:]):
            found.append(pattern)
    return found


def rm_targets(command: Command) -> list[str]:
    """Return what a recursive ``rm`` removes; nothing for any other command."""
    if command.program != "rm":
        return []
    options = [word for word in command.words[1:] if word.startswith("-") and word != "--"]
    is_deep = any(
        word == "--recursive" or (not word.startswith("--") and ("r" in word or "R" in word))
        for word in options
    )
    return [word for word in command.words[1:] if word not in options and word != "--"] * is_deep


def _plain(path: str) -> str:
    return os.path.normcase(os.path.realpath(path))
