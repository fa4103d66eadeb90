"""A transaction over files of a target: finished, or as if it had never begun.

Everything is staged and flushed first, then the journal, and only then does the first
file of the target change. Undoing needs no space: it renames and removes.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from hpp.core.canonical import sha256_hex
from hpp.core.errors import MachineError, RefusedError
from hpp.installer.formats.destination import place_fault
from hpp.installer.formats.problem import Problem, block
from hpp.installer.kit import disk
from hpp.installer.kit.journal import Journal, Operation, parse_journal
from hpp.installer.kit.lock import Lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hpp.installer.kit.facts import Facts
    from hpp.installer.kit.layout import Layout
    from hpp.installer.kit.target import Target

__all__ = ["BACKUP", "Change", "Pending", "RolledBackError", "pending", "run"]

BACKUP = "backup.json"
_JOURNAL, _COMMITTED = "journal.json", "committed"


@dataclass(frozen=True, slots=True)
class Change:
    """A file that is to change.

    Attributes:
        path: Relative to the target.
        before: SHA-256 of what is there now, or None.
        data: What will be there, or None when nothing will.
        mode: Permission bits of the new file.

    """

    path: str
    before: str | None
    data: bytes | None
    mode: int = 0o644


class RolledBackError(Exception):
    """A transaction was undone; the target is as it was.

    Attributes:
        problem: Why, for the report.

    """

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.measured)
        self.problem = problem


class _AbortError(Exception):
    """Something else changed the target meanwhile."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.measured)
        self.problem = problem


def run(
    target: Target, layout: Layout, facts: Facts, journal: Journal, changes: list[Change]
) -> None:
    """Make every change, or none.

    A decided transaction that cannot be tidied up is a `MachineError`, and so is one that
    cannot be undone; the message names what is left, for `recover`.

    Args:
        target: Where.
        layout: The host's folders in it.
        facts: The machine.
        journal: What the transaction is; its operations are filled in from `changes`.
        changes: In order, the receipt last.

    Raises:
        LockHeldError: Another installer is at work.
        RolledBackError: Something failed; the target is as it was.

    """
    lock = Lock(target, layout, facts)
    own = [*journal.made, *journal.dropped]
    try:
        lock.take(own)
    except (OSError, RefusedError) as error:
        raise RolledBackError(_failed(error, layout.runtime_root)) from None
    work = _Work(target, layout, lock, lock.id)
    try:
        planned = work.stage(journal, changes)
        work.apply(planned)
        work.commit(planned)
    except BaseException as error:
        _roll_back(work, journal.made)
        if isinstance(error, _AbortError):
            raise RolledBackError(error.problem) from None
        if isinstance(error, (OSError, RefusedError)):
            raise RolledBackError(_failed(error, work.at_work)) from None
        raise
    try:
        work.finish(planned)
        lock.release(own)
    except OSError as error:
        raise MachineError(
            f"{work.folder}: everything was written, and tidying up failed: {error.strerror}; "
            "run `recover`"
        ) from None


def _roll_back(work: _Work, made: list[str]) -> None:
    disk.remove_file(work.at(_COMMITTED))
    if work.journal is not None and work.strangers(work.journal):
        raise MachineError(
            f"{work.folder}/{_JOURNAL}: files changed while the installation was undone; "
            "look at them and run `recover`"
        )
    try:
        work.undo(work.journal)
        work.lock.release(made)
    except OSError as error:
        raise MachineError(
            f"{work.folder}/{_JOURNAL}: it cannot be undone: {error.strerror}; run `recover`"
        ) from None


def _failed(error: Exception, place: str) -> Problem:
    told = getattr(error, "strerror", None) or str(error)
    return block(
        "rolled-back",
        place,
        f"it cannot be written: {told}",
        expected="a target that takes every file",
        next_step="nothing was changed; make room or give leave to write, and run it again",
    )


class _Work:
    """One transaction's folder below the runtime root."""

    def __init__(self, target: Target, layout: Layout, lock: Lock, identity: str) -> None:
        self.target = target
        self.layout = layout
        self.lock = lock
        self.folder = f"{layout.transactions}/{identity}"
        self.journal: Journal | None = None
        self.at_work = layout.runtime_root

    def at(self, name: str) -> str:
        """Return where a file of the transaction lies."""
        return self.target.at(f"{self.folder}/{name}")

    def stage(self, journal: Journal, changes: list[Change]) -> Journal:
        """Write every new file aside, then the journal."""
        self.at_work = self.folder
        for name in ("", "new", "old"):
            disk.make_folder(self.at(name) if name else self.target.at(self.folder))
        operations = []
        for number, change in enumerate(changes):
            staged = f"new/{number:05}" if change.data is not None else None
            backup = f"old/{number:05}" if change.before is not None else None
            after = None
            if change.data is not None and staged is not None:
                self.at_work = change.path
                disk.create_file(self.at(staged), change.data, change.mode)
                after = sha256_hex(change.data)
            operations.append(
                Operation(change.path, change.before, after, staged, backup, change.mode)
            )
        planned = Journal(
            journal.verb, journal.module, journal.host, operations,
            journal.made, journal.dropped, journal.keep_backup,
        )  # fmt: skip
        self.at_work = f"{self.folder}/{_JOURNAL}"
        disk.sync_folder(self.at("new"))
        disk.create_file(self.at(f"{_JOURNAL}.new"), planned.data())
        disk.move(self.at(f"{_JOURNAL}.new"), self.at(_JOURNAL))
        disk.sync_folder(self.target.at(self.folder))
        self.journal = planned
        return planned

    def apply(self, journal: Journal) -> None:
        """Change one file after the other, and look at every one of them again."""
        touched = set()
        for operation in journal.operations:
            self.at_work = operation.path
            self._expect(operation.path, operation.before)
            self._make_parents(operation.path)
            place = self.target.at(operation.path)
            if operation.backup is not None:
                disk.move(place, self.at(operation.backup))
            if operation.staged is not None:
                disk.move(self.at(operation.staged), place)
            touched.add(os.path.dirname(place))
        for folder in sorted(touched):
            disk.sync_folder(folder)
        for folder in sorted(journal.dropped, key=lambda path: path.count("/"), reverse=True):
            if not f"{self.layout.transactions}/".startswith(f"{folder}/"):
                disk.remove_folder(self.target.at(folder))
        for operation in journal.operations:
            self.at_work = operation.path
            if self.target.digest(operation.path) != operation.after:
                raise _AbortError(_changed(operation.path))

    def _expect(self, path: str, before: str | None) -> None:
        if not self.lock.is_mine():
            raise _AbortError(self.lock.held().problem)
        fault = place_fault(self.target.root, path)
        if fault:
            raise _AbortError(_changed(path, fault))
        if self.target.digest(path) != before:
            raise _AbortError(_changed(path))

    def _make_parents(self, path: str) -> None:
        parts = path.split("/")
        for count in range(1, len(parts)):
            disk.make_folder(self.target.at("/".join(parts[:count])))

    def commit(self, journal: Journal) -> None:
        """Decide: from here on the transaction is finished, whatever happens."""
        self.at_work = self.folder
        if journal.keep_backup:
            disk.make_folder(self.target.at(self.layout.backups))
            disk.create_file(self.at(f"old/{BACKUP}"), journal.data())
        disk.create_file(self.at(_COMMITTED), b"")
        disk.sync_folder(self.target.at(self.folder))

    def is_committed(self) -> bool:
        """Say whether it was decided."""
        return os.path.lexists(self.at(_COMMITTED))

    def finish(self, journal: Journal) -> None:
        """Keep or drop the old bytes, and remove what was staged."""
        backup = self.target.at(self.layout.backup(journal.module))
        if not journal.keep_backup:
            disk.remove_tree(backup)
        elif os.path.isdir(self.at("old")):
            disk.remove_tree(backup)
            disk.move(self.at("old"), backup)
        # First what says that something is to do: a half-removed folder says nothing.
        disk.remove_file(self.at(_JOURNAL))
        disk.remove_tree(self.target.at(self.folder))

    def undo(self, journal: Journal | None) -> None:
        """Put back what was changed, in reverse; doing it twice does no harm."""
        for operation in reversed(journal.operations if journal else []):
            place = self.target.at(operation.path)
            backup = self.at(operation.backup) if operation.backup else None
            if backup is not None and os.path.lexists(backup):
                self._make_parents(operation.path)
                disk.move(backup, place)
            elif self._was_put(operation):
                disk.remove_file(place)
        for folder in reversed(journal.made if journal else []):
            if not f"{self.layout.transactions}/".startswith(f"{folder}/"):
                disk.remove_folder(self.target.at(folder))
        for folder in sorted(journal.dropped if journal else []):
            disk.make_folder(self.target.at(folder))
        disk.remove_file(self.at(_JOURNAL))
        disk.remove_tree(self.target.at(self.folder))

    def _was_put(self, operation: Operation) -> bool:
        """Say whether a file that was not there before is the one that was put there."""
        if operation.before is not None or operation.staged is None:
            return False
        return not os.path.lexists(self.at(operation.staged))

    def strangers(self, journal: Journal) -> list[str]:
        """Return the files that somebody else changed since, which undoing would lose."""
        found = []
        for operation in journal.operations:
            is_moved = operation.backup is not None and os.path.lexists(self.at(operation.backup))
            if not is_moved and not self._was_put(operation):
                continue
            try:
                digest = self.target.digest(operation.path)
            except RefusedError:
                found.append(operation.path)
                continue
            if digest not in (None, operation.after):
                found.append(operation.path)
        return found


def _changed(path: str, told: str = "it changed while the installation ran") -> Problem:
    return block(
        "changed-during-write",
        path,
        told,
        expected="what the plan saw",
        next_step="nothing was changed; look at the file and run it again",
    )


class Pending:
    """A transaction that a process left behind.

    Attributes:
        place: Its folder in the target.
        journal: What it was about to do, or None when it had changed nothing.
        committed: Whether it was decided.

    """

    def __init__(self, target: Target, layout: Layout, lock: Lock, name: str) -> None:
        self._work = _Work(target, layout, lock, name)
        self.place = self._work.folder
        data = target.read(f"{self.place}/{_JOURNAL}")
        self.journal = None if data is None else parse_journal(data, f"{self.place}/{_JOURNAL}")
        self.committed = self._work.is_committed()

    def strangers(self) -> list[str]:
        """Return the files that somebody changed since."""
        if self.journal is None or self.committed:
            return []
        return self._work.strangers(self.journal)

    def settle(self) -> list[str]:
        """Finish or undo it; return the folders that go when they are empty."""
        if self.journal is not None and self.committed:
            self._work.finish(self.journal)
            return [*self.journal.made, *self.journal.dropped]
        self._work.undo(self.journal)
        return self.journal.made if self.journal else []


def pending(target: Target, layout: Layout, facts: Facts) -> list[Pending]:
    """Return every transaction that was left behind.

    Raises:
        RefusedError: The journal of one cannot be read.

    """
    lock = Lock(target, layout, facts)
    folder = layout.transactions
    return [
        Pending(target, layout, lock, name)
        for name in disk.list_folder(target.at(folder))
        if target.is_folder(f"{folder}/{name}") and not name.startswith(".")
    ]
