"""The delegation form: what a role is told, always in the same order."""

from __future__ import annotations

import os
import re

from _lib.role import MAKER

from hpp.core.errors import RefusedError
from hpp.core.portable.fsread import inside
from hpp.core.secret import first_kind
from hpp.core.text import shorten
from hpp.core.worktree import worktree_top

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from _lib.role import Role

__all__ = ["Order", "base_commit", "brief_text", "refuse_secret", "repository_of"]

_MAKER_COMMIT = (
    "One commit for this brief, on the branch that is checked out; its subject names the goal.",
    "No push, no merge, no rewriting of commits that were there before.",
)
_READER_COMMIT = ("No commit. The tree is as clean, or as dirty, after the work as before it.",)


class Order:
    """What is asked of a role; every text is as the caller gave it."""

    __slots__ = ("acceptance", "forbid", "goal", "item", "paths")

    def __init__(
        self,
        goal: str,
        acceptance: Sequence[str],
        *,
        paths: Sequence[str] = (),
        forbid: Sequence[str] = (),
        item: str = "",
    ) -> None:
        self.goal = goal
        self.acceptance = acceptance
        self.paths = paths
        self.forbid = forbid
        self.item = item


def brief_text(role: Role, order: Order, cwd: str, base: str = "") -> str:
    """Return the form for one role.

    Args:
        role: Who is told.
        order: What is asked.
        cwd: Folder that paths are relative to; they stay in its repository.
        base: Commit that the brief was written at, when there is one.

    Raises:
        RefusedError: No acceptance, a blank goal, a path outside of the repository, a line
            break where one line is wanted, or secret-like text.

    """
    root = repository_of(cwd)
    if not order.goal.strip():
        raise RefusedError("--goal: expected a text")
    if not order.acceptance or not all(each.strip() for each in order.acceptance):
        raise RefusedError("--acceptance: expected a command or more; without one nothing is done")
    one_line = [("--acceptance", each) for each in order.acceptance]
    one_line += [("--paths", each) for each in order.paths]
    one_line += [("--forbid", each) for each in order.forbid]
    one_line += [("--item", order.item)]
    for option, text in one_line:
        if not text.isprintable():
            raise RefusedError(f"{option}: {shorten(text)}: expected one printable line")
    for option, text in (("--goal", order.goal), *one_line):
        refuse_secret(text, option)
    paths = [_place(each, "--paths", cwd, root) for each in order.paths]
    forbid = [_place(each, "--forbid", cwd, root) for each in order.forbid]
    parts = [
        ("Goal", [f"> {line}".rstrip() for line in order.goal.strip().splitlines()]),
        ("Scope", _listed(paths, "the repository, as far as the goal needs it")),
        ("Forbidden", [*_listed(forbid, ""), *(f"- {each}" for each in role.limits)]),
        (
            "Acceptance",
            [*_told(order.item), *(f"- {_code(each)} exits 0." for each in order.acceptance)],
        ),
        ("Return form", [f"- {each}" for each in role.returns]),
        ("Commit", [f"- {each}" for each in _commit(role, base)]),
    ]
    told = [
        "".join([f"## {title}\n", "\n" * bool(lines), *(f"{line}\n" for line in lines)])
        for title, lines in parts
    ]
    return "\n".join([f"# Brief for squad-{role.name}\n", *told])


def repository_of(folder: str) -> str:
    """Return the nearest folder above that holds ``.git``; without one, the folder itself."""
    start = os.path.realpath(folder)
    return worktree_top(start) or start


def base_commit(folder: str) -> str:
    """Return the commit that is checked out, or an empty text."""
    from hpp.core.git import git

    answer = git(["rev-parse", "--verify", "--quiet", "HEAD"], cwd=folder)
    return answer.stdout.decode("ascii", "replace").strip() if answer.ok else ""


def refuse_secret(text: str, where: str) -> None:
    """Refuse a text that looks like it holds a secret; the message never repeats it.

    Raises:
        RefusedError: It does.

    """
    kind = first_kind(text)
    if kind is not None:
        raise RefusedError(f"{where}: secret-like text ({kind})")


def _place(path: str, option: str, cwd: str, root: str) -> str:
    found = inside(os.path.join(cwd, path), root) if path.strip() else None
    if found is None:
        raise RefusedError(f"{option}: {shorten(path)}: expected a path in the repository")
    return found


def _code(command: str) -> str:
    """Return a command as a code span that its own backticks cannot end."""
    if "`" not in command:
        return f"`{command}`"
    fence = "`" * (max(len(run) for run in re.findall("`+", command)) + 1)
    return f"{fence} {command} {fence}"


def _listed(paths: list[str], otherwise: str) -> list[str]:
    if not paths:
        return [f"- {otherwise}"] if otherwise else []
    return [f"- `{path}`" for path in paths]


def _told(item: str) -> list[str]:
    if not item:
        return []
    return [f"Records of the runs are named after `{item}`.", ""]


def _commit(role: Role, base: str) -> list[str]:
    rules = _MAKER_COMMIT if role.set == MAKER else _READER_COMMIT
    return [*([f"Written at {base}."] if base else []), *rules]
