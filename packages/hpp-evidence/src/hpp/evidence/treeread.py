"""Kinds, hashes and stamps of many paths, each read while it held still.

Files are shared out between processes where they can be forked cheaply and safely, since
threads would spend their time waiting for each other: a small file is a handful of short
system calls. Elsewhere threads do it.
"""

from __future__ import annotations

import hashlib
import os
import stat
import sys

from hpp.core.durable import write_all
from hpp.core.errors import RefusedError
from hpp.core.text import shorten
from hpp.evidence.filehash import OPEN_FLAGS, hash_handle

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    Stamp = tuple[int, ...]
    # Kind, SHA-256 and stamp; None for what has no bytes of its own: absent, or a folder.
    Reading = tuple[str, str, Stamp] | None

__all__ = ["NOTHING", "check_still", "read_all", "unreadable"]

NOTHING = hashlib.sha256(b"").hexdigest()
_FLAGS = OPEN_FLAGS | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_TRIES = 3
_WORKERS = 4
_FEW = 256
_WHOLE = 1024 * 1024  # a file up to this size is read with one call
_MOST_TOKENS = 8192  # of four bytes each: what a pipe surely holds
_GONE = (FileNotFoundError, NotADirectoryError)
_MOVED: Reading = ("", "", ())


def read_all(top: str, paths: Sequence[str]) -> list[Reading]:
    """Return what is at each path below a folder.

    Args:
        top: The folder.
        paths: Paths below it, with ``/``.

    Raises:
        RefusedError: A file cannot be read, or keeps changing while it is.

    """
    start = top.rstrip(os.sep) + os.sep
    workers = min(_WORKERS, _processors())
    if len(paths) < _FEW or workers < 2:  # noqa: PLR2004 -- one alone shares with nobody
        return [_read(start, path) for path in paths]
    if _can_fork():
        return _Shared(start, paths, workers).readings()
    return _by_threads(start, paths)


def check_still(top: str, paths: Sequence[str], readings: Sequence[Reading]) -> None:
    """Look at every path once more, now that all were read.

    A path that is as it was when it was read did not change between, so at this moment
    all of them held at once what was read.

    Raises:
        RefusedError: One changed, vanished or appeared meanwhile.

    """
    start = top.rstrip(os.sep) + os.sep
    for path, reading in zip(paths, readings, strict=True):
        now = _stamp_at(start + path)
        if now != (None if reading is None else reading[2]):
            raise RefusedError(f"{shorten(path)}: it changed while the tree was read")


def unreadable(path: str, error: OSError) -> RefusedError:
    """Return the refusal of a path that the system does not let us read."""
    return RefusedError(f"{shorten(path)}: cannot be read: {error.strerror}")


def _stamp_at(full: str) -> Stamp | None:
    try:
        found = os.lstat(full)
    except OSError:
        return None
    return None if stat.S_ISDIR(found.st_mode) else _stamp(found)


def _stamp(found: os.stat_result) -> Stamp:
    return (
        found.st_mode,
        found.st_size,
        found.st_mtime_ns,
        found.st_ctime_ns,
        found.st_ino,
        found.st_dev,
    )


def _read(start: str, path: str) -> Reading:
    """Return what is at one path, read again while it changes."""
    full = start + path
    for _ in range(_TRIES):
        reading = _read_once(full, path)
        if reading != _MOVED:
            return reading
    raise RefusedError(f"{shorten(path)}: it keeps changing while it is read")


def _read_once(full: str, path: str) -> Reading:
    try:
        found = os.lstat(full)
        mode, stamp = found.st_mode, _stamp(found)
        if stat.S_ISREG(mode):
            digest = _digest(full, found.st_size, stamp)
            if digest is None:
                return _MOVED
            return ("executable" if mode & stat.S_IXUSR else "file"), digest, stamp
        if stat.S_ISLNK(mode):
            text = os.fsencode(os.readlink(full))
            return "symlink", hashlib.sha256(text).hexdigest(), stamp
    except _GONE:
        return None
    except OSError as error:
        if os.path.islink(full) or not os.path.lexists(full):
            return _MOVED  # another thing stands there now
        raise unreadable(path, error) from None
    return None if stat.S_ISDIR(mode) else ("special", NOTHING, stamp)


def _digest(full: str, size: int, stamp: Stamp) -> str | None:
    """Return the hash of a regular file; None when it is not the one that was stamped."""
    handle = os.open(full, _FLAGS)
    try:
        if size < _WHOLE:
            data = os.read(handle, size + 1)
            digest = hashlib.sha256(data).hexdigest()
            count = len(data)
        else:
            count, digest = hash_handle(handle)
        return digest if count == size and _stamp(os.fstat(handle)) == stamp else None
    finally:
        os.close(handle)


def _by_threads(start: str, paths: Sequence[str]) -> list[Reading]:
    from concurrent.futures import ThreadPoolExecutor

    def read(path: str) -> Reading:
        return _read(start, path)

    with ThreadPoolExecutor(_WORKERS) as pool:
        return list(pool.map(read, paths, chunksize=64))


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _can_fork(system: str = sys.platform, tasks: str = "/proc/self/task") -> bool:
    """Say whether a copy of this process is whole: a fork takes one thread along."""
    if system != "linux":
        return False
    try:
        return len(os.listdir(tasks)) == 1
    except OSError:
        return False


class _Shared:
    """The paths in blocks, of which each process takes the next one that is free.

    The numbers of the blocks lie in a pipe that all processes read. What a process found
    it writes to a pipe of its own at its end; a block that never comes back, because a
    process was killed, is read here.
    """

    def __init__(self, start: str, paths: Sequence[str], workers: int) -> None:
        self._start = start
        self._paths = paths
        self._workers = workers
        self._size = max(16, len(paths) // _MOST_TOKENS + 1)

    def readings(self) -> list[Reading]:
        """Return a reading of each path, in order."""
        count = -(-len(self._paths) // self._size)
        tokens, writer = os.pipe()
        os.write(writer, b"".join(number.to_bytes(4, "big") for number in range(count)))
        os.close(writer)
        children: list[tuple[int, int]] = []
        try:
            children += [self._fork(tokens) for _ in range(self._workers - 1)]
            blocks = dict(self._share(tokens))
            for child in children:
                blocks.update(self._answer(child))
        finally:
            os.close(tokens)
            for process, answer in children:
                os.close(answer)
                _end(process)
        found: list[Reading] = []
        for number in range(count):
            found += blocks.get(number) or self._block(number)
        return found

    def _block(self, number: int) -> list[Reading]:
        at = number * self._size
        return [_read(self._start, path) for path in self._paths[at : at + self._size]]

    def _share(self, tokens: int) -> Iterator[tuple[int, list[Reading]]]:
        while token := os.read(tokens, 4):
            number = int.from_bytes(token, "big")
            yield number, self._block(number)

    def _fork(self, tokens: int) -> tuple[int, int]:
        """Start a process that takes blocks; return its id and where its answer comes."""
        answer, writer = os.pipe()
        process = os.fork()
        if process:
            os.close(writer)
            return process, answer
        try:  # nothing of the parent may run on here: no handlers, no flushing, no traceback
            os.close(answer)
            write_all(writer, self._found(tokens))
        finally:
            os._exit(0)

    def _found(self, tokens: int) -> bytes:
        import marshal

        blocks: dict[int, list[Reading]] = {}
        try:
            blocks.update(self._share(tokens))
        except RefusedError:
            # The parent comes upon the same path in the block that is missing.
            return marshal.dumps(blocks)
        return marshal.dumps(blocks)

    def _answer(self, child: tuple[int, int]) -> dict[int, list[Reading]]:
        import marshal

        with open(child[1], "rb", closefd=False) as stream:
            data = stream.read()
        try:
            blocks: dict[int, list[Reading]] = marshal.loads(data)  # noqa: S302 -- our own fork
        except (EOFError, ValueError, TypeError):
            return {}  # it was killed half-way
        return blocks


def _end(process: int, kill: Callable[[int, int], None] = os.kill) -> None:
    """End a process of ours that may be at work still, and take note of its end."""
    import signal

    done, _ = os.waitpid(process, os.WNOHANG)
    if not done:
        kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
