"""``recover``: back to before a transaction that was killed, or forward when it was decided."""

from __future__ import annotations

from hpp.core.errors import RefusedError
from hpp.installer.formats.problem import Problem, block
from hpp.installer.kit import disk
from hpp.installer.kit.layout import LAYOUTS
from hpp.installer.kit.lock import Lock, LockHeldError, residues
from hpp.installer.kit.place import leftovers, open_target, target_problems
from hpp.installer.kit.transaction import pending
from hpp.installer.kit.verbreport import Outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hpp.installer.kit.facts import Facts
    from hpp.installer.kit.layout import Layout
    from hpp.installer.kit.target import Target

__all__ = ["recover"]


def recover(shown: str, host: str, facts: Facts, *, apply: bool) -> dict[str, Any]:
    """Return the report of a recovery, planned or applied."""
    layout = LAYOUTS[host]
    target = open_target(shown, facts)
    outcome = Outcome("recover", shown, host, None, apply, done="nothing-pending")
    outcome.problems += target_problems(target, facts, layout)
    if outcome.problems:
        return outcome.report()
    for problem in leftovers(target, layout, facts):
        if problem.code == "lock-held":
            outcome.problems.append(problem)
        else:
            outcome.act("clear", problem.path, "leftover")
    if outcome.actions and not outcome.problems:
        outcome.problems += _strangers(target, layout, facts)
        outcome.done = "pending"
        if apply and not outcome.problems:
            _settle(outcome, target, layout, facts)
    return outcome.report()


def _strangers(target: Target, layout: Layout, facts: Facts) -> list[Problem]:
    """Return the files that somebody changed since the process was killed."""
    try:
        paths = [path for one in pending(target, layout, facts) for path in one.strangers()]
    except RefusedError as error:
        step = "remove the folder by hand once every file of the module is as it should be"
        return [
            block(
                "journal-pending",
                layout.transactions,
                str(error),
                expected="a journal as it was written",
                next_step=step,
            )
        ]
    step = "put the file back, or move it aside, and run it again"
    told = "it changed since the installation was interrupted"
    return [
        block("modified-since", path, told, expected="what the installation left", next_step=step)
        for path in paths
    ]


def _settle(outcome: Outcome, target: Target, layout: Layout, facts: Facts) -> None:
    lock = Lock(target, layout, facts)
    try:
        if target.is_folder(layout.transactions):
            own = lock.take_over()
            for one in pending(target, layout, facts):
                own += one.settle()
            lock.release(own)
        for path in residues(target, layout, facts):
            disk.remove_tree(target.at(path))
        outcome.done = "recovered"
    except LockHeldError as error:
        outcome.problems.append(error.problem)
