"""Write files whole or not at all, one writer at a time.

What a hook or a script writes goes through here or through a file whose name says that it
writes, so that the imports of a hook show what it can do.
"""

from __future__ import annotations

import os
import stat
import time

from hpp.core.durable import append, write_all
from hpp.core.errors import MachineError, RefusedError
from hpp.core.filelock import acquire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import Self

__all__ = [
    "COMMAND_WAIT_S",
    "HOOK_WAIT_S",
    "LONGEST_LINE",
    "BusyError",
    "append_jsonl",
    "append_line",
    "atomic_write",
    "locked",
    "replace_patiently",
    "state_dir",
    "write_new",
]

HOOK_WAIT_S = 2.0
COMMAND_WAIT_S = 5.0
LONGEST_LINE = 64 * 1024
_PAUSE_S = 0.02
_MOST_TRIES = 150  # three seconds: a reader on Windows holds its file open that long at most
_BASE = os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOINHERIT", 0)
_FLAGS = _BASE | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)


class BusyError(RefusedError):
    """Another process holds the lock; nothing was written."""

    code = "core.busy"


class locked:  # noqa: N801 -- used as a function: `with locked(path):`
    """Hold the lock that belongs to a file; use as a context manager.

    The lock is on a file beside it, ``<path>.lock``, which is never deleted; the system
    releases it when its holder dies.

    Args:
        path: The file to be written.
        timeout: Most seconds to wait; `HOOK_WAIT_S` in hooks, `COMMAND_WAIT_S` in commands.

    Raises:
        BusyError: Another process kept it all the time.
        MachineError: The lock's file cannot be made.

    """

    __slots__ = ("_handle", "_path", "_timeout_s")

    def __init__(self, path: str, timeout: float = COMMAND_WAIT_S) -> None:
        self._path = path
        self._timeout_s = timeout
        self._handle = -1

    def __enter__(self) -> Self:
        name = os.path.basename(self._path)
        try:
            handle = os.open(f"{self._path}.lock", os.O_RDWR | _FLAGS, 0o600)
        except OSError as error:
            raise MachineError(f"{name}.lock: cannot be opened: {error.strerror}") from None
        try:
            is_held = acquire(handle, timeout_s=self._timeout_s)
        except BaseException:
            os.close(handle)
            raise
        if not is_held:
            os.close(handle)
            raise BusyError(f"{name}: another process is writing it; nothing was written")
        self._handle = handle
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._handle)  # which lets go of the lock
        self._handle = -1


def atomic_write(path: str, data: bytes) -> None:
    """Put bytes in a file's place in one step; its permission bits are kept.

    A new file is for its owner alone (0600).

    Raises:
        MachineError: The system refused; what was there is as it was.

    """
    folder, name = os.path.split(path)
    unique = os.path.join(folder, f".{name}.{os.getpid()}.{os.urandom(4).hex()}.tmp")
    is_made = False
    try:
        handle = os.open(unique, os.O_WRONLY | os.O_EXCL | _FLAGS, 0o600)
        is_made = True
        try:
            write_all(handle, data)
            os.fsync(handle)
        finally:
            os.close(handle)
        _keep_mode(path, unique)
        replace_patiently(lambda: os.replace(unique, path))
    except OSError as error:
        _remove(unique, is_made=is_made)
        raise MachineError(f"{name}: cannot be written: {error.strerror}") from None
    except BaseException:
        _remove(unique, is_made=is_made)
        raise


def replace_patiently(
    replace: Callable[[], None],
    *,
    system: str = os.name,
    pause: Callable[[float], None] = time.sleep,
) -> None:
    """Replace a file, on Windows again and again while a reader has it open.

    Raises:
        OSError: The last attempt's.

    """
    tries = _MOST_TRIES if system == "nt" else 1
    for left in range(tries - 1, -1, -1):
        try:
            return replace()
        except PermissionError:  # noqa: PERF203 -- three seconds of patience, not a hot loop
            if not left:
                raise
            pause(_PAUSE_S)
    return None


def append_jsonl(path: str, obj: object, timeout: float = COMMAND_WAIT_S) -> None:
    """Add one JSON line to a file, under its lock and on disk when the call returns.

    A last line that a crash left open is closed first.

    Raises:
        RefusedError: The line is over 64 KiB, or no JSON value in UTF-8.
        BusyError: Another process holds the lock.
        MachineError: The system refused; the file is as it was.

    """
    line = _line(obj)
    with locked(path, timeout):
        append_line(path, line)


def append_line(path: str, line: bytes) -> None:
    """Add a line, which ends with a line feed, to a file whose lock is held.

    It is on disk when the call returns; a last line that a crash left open is closed first.

    Raises:
        MachineError: The system refused; the file is as it was.

    """
    name = os.path.basename(path)
    try:
        handle = os.open(path, os.O_RDWR | _FLAGS, 0o600)
    except OSError as error:
        raise MachineError(f"{name}: cannot be opened: {error.strerror}") from None
    try:
        size = os.fstat(handle).st_size
        if size:
            os.lseek(handle, size - 1, os.SEEK_SET)
            line = line if os.read(handle, 1) == b"\n" else b"\n" + line
        append(handle, line, name)
    finally:
        os.close(handle)


def write_new(path: str, data: bytes, taken: str) -> None:
    """Write a file that is not there yet.

    Args:
        path: The file.
        data: Its bytes.
        taken: What is said when something of that name is there.

    Raises:
        RefusedError: It is, or the file cannot be written; nothing of it is left.

    """
    name = os.path.basename(path)
    is_made = False
    try:
        with open(path, "xb") as file:
            is_made = True
            file.write(data)
    except FileExistsError:
        raise RefusedError(f"{name}: {taken}") from None
    except OSError as error:
        if is_made:
            os.unlink(path)
        raise RefusedError(f"{name}: cannot be written: {error.strerror}") from None


def state_dir(path: str) -> str:
    """Make a folder for state that git leaves alone, and return its path.

    Raises:
        MachineError: The system refuses it.

    """
    try:
        os.makedirs(path, mode=0o700, exist_ok=True)
    except OSError as error:
        name = os.path.basename(path)
        raise MachineError(f"{name}: cannot be made: {error.strerror}") from None
    ignore = os.path.join(path, ".gitignore")
    if not os.path.lexists(ignore):
        atomic_write(ignore, b"*\n")
    return path


def _line(obj: object) -> bytes:
    try:
        line = _encoded(obj).encode() + b"\n"
    except (TypeError, ValueError, RecursionError) as error:
        raise RefusedError(f"a record is no JSON value: {error}") from None
    if len(line) > LONGEST_LINE:
        raise RefusedError(f"a record takes {len(line)} bytes; at most {LONGEST_LINE} are allowed")
    return line


def _encoded(obj: object) -> str:
    """Return compact JSON, keys as they come."""
    try:  # the C encoder of the json package, without the package, which costs a hook's start
        from _json import encode_basestring, make_encoder
    except ImportError:  # other interpreters
        import json

        return json.dumps(obj, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    # Markers against cycles, what to do with other types, how to write a text, no indent, the
    # two separators, keys unsorted, no key left out, no NaN.
    encode = make_encoder({}, _no_json, encode_basestring, None, ":", ",", False, False, False)  # noqa: FBT003 -- C
    return "".join(encode(obj, 0))


def _no_json(value: object) -> object:
    raise TypeError(f"Object of type {type(value).__name__} is not JSON serializable")


def _keep_mode(path: str, unique: str) -> None:
    try:
        mode = stat.S_IMODE(os.stat(path).st_mode)
    except OSError:
        return
    os.chmod(unique, mode)


def _remove(unique: str, *, is_made: bool) -> None:
    if not is_made:
        return
    try:
        os.unlink(unique)
    except OSError:
        return
