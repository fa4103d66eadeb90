"""Writes and removals of a scaffold, all of them or none.

Every new file is complete under a temporary name before the first one is put in place.
Whatever goes wrong after that, what was put in place is taken back.
"""

from __future__ import annotations

import os

from hpp.core.folder import is_link

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["Transaction", "destination_fault"]

_NEVER = (".git", ".hpp", ".codex")


def destination_fault(out: str, path: str) -> str:
    """Return why a file below a folder must not be written, or an empty text.

    Each parent that exists is a folder and no link, and the file itself, if it exists, is
    a regular file: a link would lead the write out of the project.
    """
    parts = path.split("/")
    if parts[0] in _NEVER:
        return f"{parts[0]} is not written by a scaffold"
    place = out
    for number, part in enumerate(["", *parts]):
        place = os.path.join(place, part) if part else place
        if is_link(place):
            return f"{'/'.join(parts[:number]) or 'the folder itself'} is a link"
        if not os.path.lexists(place):
            return ""
        wanted = os.path.isfile if number == len(parts) else os.path.isdir
        if not wanted(place):
            return f"{'/'.join(parts[:number]) or 'the folder itself'} is something else"
    return ""


class Transaction:
    """What is written below a folder, and what is removed.

    Args:
        out: The folder; it is made when it does not exist.
        interrupt: Called before each step that changes something; a test raises in it.

    Attributes:
        made: Folders that were made, the outermost first; `.` is `out` itself.

    """

    def __init__(self, out: str, interrupt: Callable[[], None] = lambda: None) -> None:
        self.out = out
        self.made: list[str] = []
        self._interrupt = interrupt
        self._back: list[Callable[[], None]] = []
        self._temporary: list[str] = []

    def run(self, writes: dict[str, bytes], removals: Iterable[str] = ()) -> None:
        """Write and remove everything, or put all of it back and raise.

        Raises:
            OSError: The system refused; the folder is as it was.

        """
        try:
            staged = [(self._full(path), self._stage(path, data)) for path, data in writes.items()]
            for place, temporary in staged:
                self._put(place, temporary)
            for path in removals:
                self._remove(self._full(path))
        except BaseException:
            self._undo()
            raise

    def _stage(self, path: str, data: bytes) -> str:
        self._make_folders(path)
        place = self._full(path)
        temporary = f"{place}.{os.getpid()}.{os.urandom(4).hex()}.tmp"
        self._interrupt()
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        handle = os.open(temporary, flags, 0o644)
        self._temporary.append(temporary)
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        return temporary

    def _put(self, place: str, temporary: str) -> None:
        self._interrupt()
        before = _read(place)
        os.replace(temporary, place)
        self._temporary.remove(temporary)
        self._back.append(lambda: _restore(place, before))

    def _remove(self, place: str) -> None:
        self._interrupt()
        before = _read(place)
        os.unlink(place)
        self._back.append(lambda: _restore(place, before))

    def _make_folders(self, path: str) -> None:
        parts = path.split("/")[:-1]
        for depth in range(len(parts) + 1):
            folder = "/".join(parts[:depth]) or "."
            place = self._full(folder) if depth else self.out
            if not os.path.isdir(place):
                self._interrupt()
                os.mkdir(place)
                self.made.append(folder)

    def _undo(self) -> None:
        for temporary in self._temporary:
            if os.path.lexists(temporary):
                os.unlink(temporary)
        for back in reversed(self._back):
            back()
        for folder in reversed(self.made):
            os.rmdir(self.out if folder == "." else self._full(folder))

    def _full(self, path: str) -> str:
        return os.path.join(self.out, *path.split("/"))


def _read(place: str) -> bytes | None:
    if not os.path.lexists(place):
        return None
    with open(place, "rb") as stream:
        return stream.read()


def _restore(place: str, before: bytes | None) -> None:
    if before is None:
        os.unlink(place)
        return
    with open(place, "wb") as stream:
        stream.write(before)
