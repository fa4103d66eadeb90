"""Which folder may be a target at all, and what an earlier process left in it."""

from __future__ import annotations

import os

from hpp.core.errors import RefusedError
from hpp.installer.formats.destination import links_above, place_fault
from hpp.installer.formats.problem import Problem, block
from hpp.installer.kit.lock import Lock, residues
from hpp.installer.kit.target import Target
from hpp.installer.kit.transaction import pending

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from hpp.installer.kit.facts import Facts
    from hpp.installer.kit.layout import Layout

__all__ = ["leftovers", "open_target", "target_problems"]


def open_target(shown: str, facts: Facts) -> Target:
    """Return the folder that was typed."""
    return Target(facts.absolute(shown), shown)


def target_problems(
    target: Target, facts: Facts, layout: Layout, sources: Iterable[str] = ()
) -> list[Problem]:
    """Return why nothing may be installed into a folder.

    Args:
        target: The folder.
        facts: The machine.
        layout: The host's folders in it.
        sources: Folders that the target may not be, nor lie in: the module, its distribution.

    """
    told = _unfit(target, facts, sources)
    if told:
        return [_problem("target-invalid", target.shown, told)]
    link = links_above(target.shown, facts.cwd)
    if link:
        shown = os.path.relpath(link, facts.cwd) if not os.path.isabs(target.shown) else link
        return [_problem("unsafe-destination", shown, "it is a link above the target")]
    fault = place_fault(target.root, layout.runtime_root, folder=True)
    if fault:
        return [_problem("unsafe-destination", layout.runtime_root, fault)]
    return []


def _unfit(target: Target, facts: Facts, sources: Iterable[str]) -> str:
    root = target.root
    if not os.path.isdir(root):
        return "it is not a folder" if os.path.lexists(root) else "there is no such folder"
    real = os.path.realpath(root)
    if os.path.dirname(real) == real:
        return "it is the root of a file system"
    if any(home and os.path.realpath(home) == real for home in facts.homes):
        return "it is the home folder"
    for source in sources:
        above = os.path.realpath(source)
        if real == above or real.startswith(above.rstrip(os.sep) + os.sep):
            return "it is, or lies in, the module or its distribution"
    return ""


def _problem(code: str, path: str, measured: str) -> Problem:
    step = "name the folder of a project by its real path"
    return block(code, path, measured, expected="a project's own folder", next_step=step)


def leftovers(target: Target, layout: Layout, facts: Facts) -> list[Problem]:
    """Return what keeps a new transaction out: a lock, a journal, folders made aside."""
    lock = Lock(target, layout, facts)
    holder = lock.holder()
    if holder is not None and lock.is_live(holder):
        return [lock.held().problem]
    found = [] if holder is None else [(lock.place, "the process that took it is gone")]
    try:
        unfinished = pending(target, layout, facts)
        found += [(one.place, "a transaction was left unfinished") for one in unfinished]
    except RefusedError as error:
        found.append((layout.transactions, str(error)))
    told = "a killed installer left it"
    found += [(path, told) for path in residues(target, layout, facts)]
    step = f"run `recover --host {layout.host} --apply`"
    return [
        block("journal-pending", path, measured, expected="nothing under way", next_step=step)
        for path, measured in found
    ]
