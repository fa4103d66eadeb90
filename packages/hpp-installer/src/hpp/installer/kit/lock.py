"""The lock of a target's runtime root, and how that root comes and goes without a half state.

The first lock of a target lies in folders that are not there yet. They are made aside under
a name of ours and renamed into place together with the lock; the last release renames them
aside and then removes them. Killed at any moment, either the target is as it was, or the
lock tells what was made, or a name that nobody else uses is left.
"""

from __future__ import annotations

import os
import re

from hpp.core.errors import RefusedError
from hpp.core.filelock import acquire
from hpp.core.output import pretty_json
from hpp.core.strictjson import parse_bytes
from hpp.installer.formats.destination import place_fault
from hpp.installer.formats.problem import Problem, block
from hpp.installer.formats.relativepath import path_fault
from hpp.installer.kit import disk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hpp.installer.kit.facts import Facts
    from hpp.installer.kit.layout import Layout
    from hpp.installer.kit.target import Target

__all__ = ["Lock", "LockHeldError", "residues"]

SCHEMA = "hpp.install-lock/v1"
OLDEST_S = 15 * 60
_NEW, _OLD = ".hpp-new-", ".hpp-old-"
_RESIDUE = re.compile(r"\.hpp-(?:new|old)-([0-9]+)-[0-9a-f]{8}")
_ATTEMPTS = 5


class LockHeldError(Exception):
    """Another installer is at work, or was and left its lock.

    Attributes:
        problem: What a report tells of it.

    """

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.measured)
        self.problem = problem


class Lock:
    """The one lock of a runtime root.

    Attributes:
        id: Names the transaction that it guards.

    """

    def __init__(self, target: Target, layout: Layout, facts: Facts) -> None:
        self.target = target
        self.layout = layout
        self.facts = facts
        self.id = f"{os.getpid()}-{os.urandom(4).hex()}"

    @property
    def place(self) -> str:
        """Where the lock lies in the target."""
        return f"{self.layout.transactions}/lock"

    def take(self, own: list[str]) -> None:
        """Take the lock.

        Args:
            own: Folders that go with the transaction, should they be empty when it ends.

        Raises:
            LockHeldError: It is held.
            OSError: The target takes no new file.
            RefusedError: A link or a file lies where its folder should.

        """
        fault = place_fault(self.target.root, self.layout.transactions, folder=True)
        if fault:
            raise RefusedError(fault)
        data = self._data(own)
        for _ in range(_ATTEMPTS):
            if self.target.exists(self.layout.transactions):
                if self._join(data):
                    return
            elif self._found(data):
                return
        raise self.held()

    def _data(self, own: list[str]) -> bytes:
        return pretty_json(
            {
                "schema": SCHEMA,
                "pid": os.getpid(),
                "created_at": int(self.facts.now()),
                "transaction": self.id,
                "own": own,
            }
        )

    def _join(self, data: bytes) -> bool:
        """Create the lock in a folder that is there; False when the folder went away."""
        folder = self.target.at(self.layout.transactions)
        own = os.path.join(folder, f"{_NEW}{self.id}")
        try:
            disk.create_file(own, data)
        except FileNotFoundError:
            return False
        try:
            _claim(own, self.target.at(self.place))
        except FileExistsError:
            raise self.held() from None
        except FileNotFoundError:
            return False
        finally:
            disk.remove_file(own)
        return True

    def _found(self, data: bytes) -> bool:
        """Make the missing folders and the lock aside, and put them in place in one step."""
        parts = self.layout.transactions.split("/")
        deep = next(
            n for n in range(1, len(parts) + 1) if not self.target.exists("/".join(parts[:n]))
        )
        top = self.target.at("/".join(parts[:deep]))
        aside = os.path.join(os.path.dirname(top), f"{_NEW}{self.id}")
        place = aside
        try:
            disk.make_folder(aside)
            for part in parts[deep:]:
                place = os.path.join(place, part)
                disk.make_folder(place)
            disk.create_file(os.path.join(place, "lock"), data)
            # No system puts a folder over one that holds something.
            disk.move(aside, top)
        except OSError:
            disk.remove_tree(aside)
            if os.path.lexists(top):  # another one was quicker
                return False
            raise
        return True

    def held(self) -> LockHeldError:
        """Return the refusal while another holds the lock."""
        return LockHeldError(
            block(
                "lock-held",
                self.place,
                "another installer is at work in this target",
                expected="one at a time",
                next_step="wait for it; if it is gone, run `recover`",
            )
        )

    def holder(self) -> dict[str, Any] | None:
        """Return what the lock says, an empty object when it cannot be read, None without one."""
        try:
            data = self.target.read(self.place)
            if data is None:
                return None
            found: dict[str, Any] = parse_bytes(data, self.place, root=dict)
        except RefusedError:
            return {}
        return found

    def is_live(self, holder: dict[str, Any]) -> bool:
        """Say whether the process that took a lock runs and took it a short while ago."""
        pid, created = holder.get("pid"), holder.get("created_at")
        if type(pid) is not int or type(created) is not int or pid <= 0:
            return False
        return self.facts.now() - created < OLDEST_S and self.facts.is_alive(pid)

    def is_mine(self) -> bool:
        """Say whether this lock is still the one in force."""
        holder = self.holder()
        return holder is not None and holder.get("transaction") == self.id

    def take_over(self) -> list[str]:
        """Put this lock in place of one whose process is gone; for recovery alone.

        One step, so that what the former lock says is never lost. Its folders are returned.

        Raises:
            LockHeldError: Its process lives, or another recovery is at work.

        """
        folder = self.target.at(self.layout.transactions)
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
        handle = os.open(os.path.join(folder, "recovery"), flags, 0o644)
        try:
            holder = self.holder()
            if not acquire(handle, timeout_s=0) or (holder and self.is_live(holder)):
                raise self.held()
            own = holder.get("own") if holder else None
            named = [name for name in own if _is_place(name)] if isinstance(own, list) else []
            if holder is None:
                self.take(named)
            else:
                aside = os.path.join(folder, f"{_NEW}{self.id}")
                disk.create_file(aside, self._data(named))
                disk.move(aside, self.target.at(self.place))
        finally:
            os.close(handle)
        return named

    def release(self, own: list[str]) -> None:
        """Let go of the lock, and of the folders among `own` that hold nothing else."""
        for folder in sorted(own, key=lambda path: path.count("/"), reverse=True):
            if not f"{self.layout.transactions}/".startswith(f"{folder}/"):
                disk.remove_folder(self.target.at(folder))
        disk.remove_folder(self.target.at(self.layout.backups))
        top = self.layout.transactions
        while "/" in top:
            parent = top.rpartition("/")[0]
            names = disk.list_folder(self.target.at(parent))
            if parent not in own or names != [top.rpartition("/")[2]]:
                break
            top = parent
        aside = f"{top.rpartition('/')[0]}/{_OLD}{self.id}".lstrip("/")
        disk.move(self.target.at(top), self.target.at(aside))
        disk.remove_tree(self.target.at(aside))


def _is_place(name: object) -> bool:
    return isinstance(name, str) and not path_fault(name)


def _claim(own: str, place: str) -> None:
    """Give the lock its name, which must be free."""
    try:
        os.link(own, place)
    except (FileExistsError, FileNotFoundError):
        raise
    except OSError:  # a file system without hard links
        with open(own, "rb") as stream:
            disk.create_file(place, stream.read())


def residues(target: Target, layout: Layout, facts: Facts) -> list[str]:
    """Return what a killed process left aside, a living one's not among them."""
    found = []
    folders = ["", *_chain(layout.transactions)]
    for folder in folders:
        for name in disk.list_folder(target.at(folder) if folder else target.root):
            matched = _RESIDUE.fullmatch(name)
            if matched is None:
                continue
            pid = int(matched[1])
            if pid == os.getpid() or not facts.is_alive(pid):
                found.append(f"{folder}/{name}" if folder else name)
    return found


def _chain(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts) + 1)]
