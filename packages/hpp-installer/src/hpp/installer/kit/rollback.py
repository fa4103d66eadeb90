"""``rollback``: back to the version before, when nothing was edited since."""

from __future__ import annotations

from hpp.core.canonical import sha256_hex
from hpp.core.errors import RefusedError
from hpp.installer.formats.problem import Problem, block
from hpp.installer.formats.receipt import parse_receipt
from hpp.installer.kit.journal import Journal, parse_journal
from hpp.installer.kit.layout import LAYOUTS
from hpp.installer.kit.lock import LockHeldError
from hpp.installer.kit.place import open_target
from hpp.installer.kit.removal import find_installed
from hpp.installer.kit.transaction import BACKUP, Change, RolledBackError, run
from hpp.installer.kit.verbreport import Outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hpp.installer.kit.facts import Facts
    from hpp.installer.kit.layout import Layout
    from hpp.installer.kit.target import Target

__all__ = ["rollback"]


def rollback(module: str, shown: str, host: str, facts: Facts, *, apply: bool) -> dict[str, Any]:
    """Return the report of going back, planned or applied.

    Raises:
        MachineError: The transaction could be neither finished nor undone.

    """
    layout = LAYOUTS[host]
    target = open_target(shown, facts)
    outcome = Outcome("rollback", shown, host, module, apply)
    receipt = find_installed(outcome, target, layout, facts)
    if receipt is None:
        return outcome.report()
    outcome.problems += _edits(target, receipt)
    changes: list[Change] = []
    try:
        changes = _inverse(target, layout, module)
    except RefusedError as error:
        outcome.problems.append(_no_backup(layout.backup(module), str(error)))
    for change in changes:
        outcome.act("restore" if change.data is not None else "remove", change.path, "backup")
    if apply and not outcome.problems:
        _run(outcome, target, layout, facts, changes=changes, receipt=receipt)
    return outcome.report()


def _run(  # noqa: PLR0913 -- everything that a transaction needs
    outcome: Outcome,
    target: Target,
    layout: Layout,
    facts: Facts,
    *,
    changes: list[Change],
    receipt: dict[str, Any],
) -> None:
    former = changes[-1].data
    kept = set(parse_receipt(former, "backup")["dirs_created"]) if former is not None else set()
    journal = Journal(
        "rollback",
        receipt["module"],
        layout.host,
        [],
        made=target.missing_folders(change.path for change in changes if change.data is not None),
        dropped=[f for f in receipt["dirs_created"] if f not in kept and target.is_folder(f)],
    )
    try:
        run(target, layout, facts, journal, changes)
        outcome.done = "rolled-back-to-previous"
    except (LockHeldError, RolledBackError) as error:
        outcome.problems.append(error.problem)


def _edits(target: Target, receipt: dict[str, Any]) -> list[Problem]:
    """Return every file of the module that is not what its receipt says."""
    found = []
    for entry in receipt["files"]:
        if entry["kind"] == "seed" or entry.get("user_owned"):
            continue
        try:
            current = target.digest(entry["path"])
        except RefusedError:
            current = ""
        if current != entry["sha256"]:
            told = "it is missing" if current is None else "it was edited since"
            step = "put the file back, or install the version that is wanted"
            found.append(
                block(
                    "modified-since", entry["path"], told, expected=entry["sha256"], next_step=step
                )
            )
    return found


def _no_backup(path: str, measured: str) -> Problem:
    step = "install the version that is wanted"
    return block("receipt-missing", path, measured, expected="a version before", next_step=step)


def _inverse(target: Target, layout: Layout, module: str) -> list[Change]:
    """Return what undoes the last transaction of a module, the receipt last.

    Raises:
        RefusedError: There is no rollback point, or it is not as it was written.

    """
    folder = layout.backup(module)
    data = target.read(f"{folder}/{BACKUP}")
    if data is None:
        raise RefusedError("no earlier version is kept")
    journal = parse_journal(data, f"{folder}/{BACKUP}")
    changes = []
    for operation in journal.operations:
        before = None
        if operation.backup is not None:
            before = target.read(f"{folder}/{operation.backup.rpartition('/')[2]}")
            if before is None or sha256_hex(before) != operation.before:
                raise RefusedError(f"{operation.path}: its backup is not as it was written")
        current = target.digest(operation.path)
        if current is None and before is None:
            continue
        mode = operation.mode
        changes.append(Change(operation.path, current, before, mode))
    return changes
