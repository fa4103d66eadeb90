"""What a `git push` sends where, from its words and the branch that is checked out."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from hpp.core.portable.gitwords import GitCall

__all__ = ["Push", "read_push"]

_HEADS = ("refs/heads/", "heads/")
_CURRENT = frozenset({"HEAD", "@"})


class Push:
    """A push.

    Attributes:
        branches: Destinations by the name of the branch; may hold ``*``.
        everything: It sends every branch, or every one that the other side knows.
        forced: What overwrites history, as it was written, or an empty text.

    """

    __slots__ = ("branches", "everything", "forced")

    def __init__(self) -> None:
        self.branches: list[str] = []
        self.everything = False
        self.forced = ""


def read_push(call: GitCall, current: Callable[[], str | None]) -> Push | None:
    """Return what a call of git pushes, or None when it is no push.

    Args:
        call: The call.
        current: Tells the branch that is checked out, or None.

    """
    if call.subcommand != "push":
        return None
    push = Push()
    push.everything = any(map(_is_everything, call.options))
    push.forced = next(filter(_is_force, call.options), "")
    refspecs = call.operands[1:]
    for refspec in refspecs:
        if refspec[:1] == "+":
            push.forced = push.forced or refspec
        _add(push, refspec.removeprefix("+"), current)
    sends_current = not refspecs and not push.everything and "--tags" not in call.options
    if sends_current:
        branch = current()
        push.branches += [branch] if branch else []
    return push


def _add(push: Push, refspec: str, current: Callable[[], str | None]) -> None:
    source, colon, target = refspec.partition(":")
    if colon and not source and not target:
        push.everything = True
        return
    name = target if colon else source
    if name in _CURRENT:
        name = current() or ""
    for prefix in _HEADS:
        name = name.removeprefix(prefix)
    if name and not name.startswith("refs/"):
        push.branches.append(name)


def _is_everything(option: str) -> bool:
    return any(
        name.startswith(option) and len(option) >= len("--al")
        for name in ("--all", "--mirror", "--branches")
    )


def _is_force(option: str) -> bool:
    is_short = option in ("-f", "--mirror", "--force")
    return is_short or option.startswith("--force-") or option == "--mirro"
