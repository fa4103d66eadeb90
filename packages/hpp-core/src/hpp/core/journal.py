"""The event log of one workspace: read it, judge a new event, append it.

The only writer of ``.hpp/events.jsonl``. Appending is serialised by an exclusive lock on
``.hpp/events.lock``; the file has no content and is never deleted, since a lock on a file
that can be replaced protects nothing.
"""

from __future__ import annotations

import os
import time

from hpp.core import durable
from hpp.core.canonical import canonical_bytes
from hpp.core.document import read_state
from hpp.core.errors import MachineError, RefusedError
from hpp.core.eventlog import (
    GENESIS,
    LOG,
    SECOND_LOOK_S,
    Chain,
    CorruptLogError,
    read_log,
    scan_log,
)
from hpp.core.filelock import acquire
from hpp.core.folder import Folder
from hpp.core.loop import Replay
from hpp.core.strictjson import LARGE_LIMIT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from hpp.core.loop import Loop, Work

__all__ = ["Appended", "History", "Journal", "replayed"]

_LOCK_TIMEOUT_S = 10.0
_LARGEST_DATA = 64 * 1024
_LOG_NAME = "events.jsonl"
_LOCK_NAME = "events.lock"


class History:
    """A log that was read and replayed: the chain, and the pieces of work."""

    __slots__ = ("chain", "replay")

    def __init__(self, chain: Chain, replay: Replay) -> None:
        self.chain = chain
        self.replay = replay


class Appended:
    """An event that is on disk, and the piece of work it moved."""

    __slots__ = ("seq", "work")

    def __init__(self, seq: int, work: Work) -> None:
        self.seq = seq
        self.work = work


class Journal:
    """The event log below a workspace folder.

    Args:
        root: The workspace.
        lock_timeout_s: How long an append waits for another writer.

    """

    def __init__(self, root: str, *, lock_timeout_s: float = _LOCK_TIMEOUT_S) -> None:
        self.root = root
        self.path = os.path.join(root, LOG)
        self._lock_timeout_s = lock_timeout_s

    def history(self, loop: Loop) -> History:
        """Return the log replayed over a loop; no log is an empty history.

        Raises:
            RefusedError: The log is corrupt, or the loop does not allow an event of it.

        """
        return replayed(self._read, loop)

    def chain(self) -> tuple[Chain, CorruptLogError | None]:
        """Return what holds of the log, and its first breach or None."""
        breach: CorruptLogError | None = None
        for _ in range(2):
            chain, breach = Chain(), None
            try:
                scan_log(chain, self._read())
            except CorruptLogError as error:
                breach = error
            if breach is None or breach.torn_at is None:
                break
            time.sleep(SECOND_LOOK_S)  # a writer may be in the middle of its one write
        return chain, breach

    def append(self, loop: Loop, kind: str, data: dict[str, Any]) -> Appended:
        """Judge an event and, when the loop allows it, put it on disk.

        Args:
            loop: The loop of every piece of work.
            kind: The event's type.
            data: What the event says; recorded as given, vouched for by nobody.

        Raises:
            RefusedError: The loop or the log does not allow it; the log is as it was and,
                when there was none, still absent.
            MachineError: The system refused the write; the log is as it was.

        Side effects:
            Creates ``.hpp/`` with the log and its lock.

        """
        if len(canonical_bytes(data)) > _LARGEST_DATA:
            raise RefusedError(f"data: larger than {_LARGEST_DATA // 1024} KiB")
        if not os.path.lexists(os.path.join(self.root, ".hpp", _LOCK_NAME)):
            # Nothing may be created for an event that is refused.
            history = self.history(loop)
            history.replay.step(history.chain.events + 1, kind, data)
        with Folder(self.root, (".hpp",), create=True) as folder:
            lock = folder.open_file(_LOCK_NAME, os.O_RDWR | os.O_CREAT)
            try:
                if not acquire(lock, timeout_s=self._lock_timeout_s):
                    raise RefusedError(
                        f".hpp/{_LOCK_NAME}: locked by another writer for more than "
                        f"{self._lock_timeout_s:g} s; nothing was appended"
                    )
                return self._append_locked(folder, loop, kind, data)
            finally:
                os.close(lock)

    def _append_locked(
        self, folder: Folder, loop: Loop, kind: str, data: dict[str, Any]
    ) -> Appended:
        try:
            handle = folder.open_file(_LOG_NAME, os.O_RDWR)
        except FileNotFoundError:
            return self._append_new(folder, loop, kind, data)
        try:
            before = _whole(handle)
            line, appended = _judged(before, loop, kind, data)
            durable.append(handle, line, f".hpp/{_LOG_NAME}")
        finally:
            os.close(handle)
        return appended

    def _append_new(self, folder: Folder, loop: Loop, kind: str, data: dict[str, Any]) -> Appended:
        line, appended = _judged(b"", loop, kind, data)
        handle = folder.open_file(_LOG_NAME, os.O_RDWR | os.O_CREAT | os.O_EXCL)
        try:
            durable.append(handle, line, f".hpp/{_LOG_NAME}")
        except BaseException:
            folder.remove(_LOG_NAME)
            raise
        finally:
            os.close(handle)
        folder.sync()
        return appended

    def _read(self) -> bytes | None:
        return read_state(self.path, limit=LARGE_LIMIT)


def replayed(read: Callable[[], bytes | None], loop: Loop, *, name: str = LOG) -> History:
    """Return a log replayed over a loop.

    Args:
        read: Returns the bytes of the log, or None when there is none.
        loop: The loop of every piece of work.
        name: What messages call the log.

    Raises:
        RefusedError: The log is corrupt, or the loop does not allow an event of it.

    """
    replays: list[Replay] = []

    def fresh() -> Any:  # noqa: ANN401 -- the visitor of `read_log`
        replays.append(Replay(loop))
        return replays[-1].step

    return History(read_log(read, fresh, name=name), replays[-1])


def _judged(before: bytes, loop: Loop, kind: str, data: dict[str, Any]) -> tuple[bytes, Appended]:
    """Return the bytes to append, and the event they carry."""
    chain, replay = Chain(), Replay(loop)
    scan_log(chain, before, replay.step)
    seq = chain.events + 1
    work = replay.step(seq, kind, data)
    event = {
        "data": data,
        "id": f"event:{seq}",
        "prev_sha256": chain.head or GENESIS,
        "seq": seq,
        "type": kind,
    }
    line = canonical_bytes(event) + b"\n"
    if chain.ends_open:
        line = b"\n" + line
    if len(before) + len(line) > LARGE_LIMIT:
        raise RefusedError(f".hpp/{_LOG_NAME}: larger than {LARGE_LIMIT // 1024**2} MiB")
    return line, Appended(seq, work)


def _whole(handle: int) -> bytes:
    blocks = []
    try:
        size = os.fstat(handle).st_size
        if size > LARGE_LIMIT:
            raise RefusedError(f".hpp/{_LOG_NAME}: larger than {LARGE_LIMIT // 1024**2} MiB")
        while block := os.read(handle, size + 1):
            blocks.append(block)
    except OSError as error:
        raise MachineError(f".hpp/{_LOG_NAME}: cannot be read: {error.strerror}") from None
    return b"".join(blocks)
