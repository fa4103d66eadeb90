"""Bytes that are on disk when the call returns, whole or not at all."""

from __future__ import annotations

import errno
import os

from hpp.core.errors import MachineError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from hpp.core.folder import Folder

__all__ = ["append", "create", "replace", "write_all"]


def append(handle: int, data: bytes, name: str) -> None:
    """Add bytes to the end of an open file with one write, and flush them to disk.

    A short or failed write is undone by cutting the file to its former length.

    Raises:
        MachineError: The system refused; the file is as it was.

    """
    before = os.fstat(handle).st_size
    try:
        os.lseek(handle, before, os.SEEK_SET)
        _write_once(handle, data)
        os.fsync(handle)
    except OSError as error:
        _cut(handle, before)
        raise MachineError(f"{name}: cannot be written: {error.strerror}") from None
    except BaseException:  # an interrupt: the caller is not told that it was recorded
        _cut(handle, before)
        raise


def create(folder: Folder, name: str, data: bytes) -> None:
    """Write a new file; its name must be free.

    Raises:
        FileExistsError: The name is taken, and what it names is as it was.
        MachineError: The system refused; nothing is left.

    """
    if folder.exists(name):
        raise FileExistsError(name)
    _put(folder, name, data, folder.link)


def replace(folder: Folder, name: str, data: bytes) -> None:
    """Write a file, in place of one of the same name if there is one.

    Raises:
        MachineError: The system refused; the former file is as it was.

    """
    _put(folder, name, data, folder.rename)


def write_all(handle: int, data: bytes) -> None:
    """Write bytes to an open file or pipe, in as many steps as the system takes.

    Raises:
        OSError: The system refused one; what came before it is written.

    """
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]


def _put(folder: Folder, name: str, data: bytes, publish: Callable[[str, str], None]) -> None:
    unique = f".{name}.{os.getpid()}.{os.urandom(4).hex()}.tmp"
    try:
        handle = folder.open_file(unique, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        try:
            write_all(handle, data)
            os.fsync(handle)
        finally:
            os.close(handle)
        publish(unique, name)
        folder.sync()
    except FileExistsError:
        folder.remove(unique)
        raise
    except OSError as error:
        folder.remove(unique)
        raise MachineError(f"{name}: cannot be written: {error.strerror}") from None
    except BaseException:
        folder.remove(unique)
        raise


def _write_once(handle: int, data: bytes) -> None:
    if os.write(handle, data) != len(data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _cut(handle: int, length: int) -> None:
    try:
        os.ftruncate(handle, length)
        os.fsync(handle)
    except OSError:
        return
