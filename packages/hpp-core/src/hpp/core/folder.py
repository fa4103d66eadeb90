"""Folders of the workspace that we write in, reached without following a link.

A repository can carry links, and one named ``.hpp`` would send our writes anywhere. So a
folder is opened component by component, each relative to the one before and never through
a link. Where the system has no such calls (Windows), each component is looked at first.
"""

from __future__ import annotations

import errno
import os
import stat

from hpp.core.errors import MachineError, RefusedError
from hpp.core.text import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Folder", "is_link"]

_BY_HANDLE = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")
_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
_COMMON = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOINHERIT", 0)
# What a writer must not meet: the disk's own faults; everything else is the input's.
_MACHINE = {errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC, errno.EDQUOT, errno.EIO}


class Folder:
    """An open folder below a root; use as a context manager.

    Args:
        root: Folder the walk begins in; it may itself be reached through links.
        names: Components below it, none of which may be a link.
        create: Make what is missing, and flush the parents of what was made.

    Raises:
        RefusedError: A component is a link, or something else than a folder, or absent.
        MachineError: The system refuses to create one.

    """

    def __init__(self, root: str, names: tuple[str, ...], *, create: bool) -> None:
        self.path = os.path.join(root, *names)
        self._shown = "/".join(names)
        self._by_handle = _BY_HANDLE
        self._handle = -1
        place = root
        if self._by_handle:
            self._handle = os.open(root, os.O_RDONLY | os.O_DIRECTORY | _COMMON)
        try:
            for number, name in enumerate(names, 1):
                place = os.path.join(place, name)
                self._enter(place, name, "/".join(names[:number]), create=create)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the folder."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1

    def exists(self, name: str) -> bool:
        """Say whether the folder has an entry of that name, be it a dangling link."""
        try:
            if self._by_handle:
                os.stat(name, dir_fd=self._handle, follow_symlinks=False)
            else:
                os.lstat(os.path.join(self.path, name))
        except OSError:
            return False
        return True

    def open_file(self, name: str, flags: int) -> int:
        """Open a regular file in the folder and return its descriptor.

        Args:
            name: One component.
            flags: As for `os.open`; never following a link is added.

        Raises:
            RefusedError: It is a link or no regular file.
            MachineError: The system refuses to create or open it for writing.
            FileNotFoundError, FileExistsError: As `os.open` says.

        """
        shown = printable(f"{self._shown}/{name}" if self._shown else name)
        flags |= _COMMON | _NOFOLLOW | getattr(os, "O_NONBLOCK", 0)
        try:
            if self._by_handle:
                handle = os.open(name, flags, 0o666, dir_fd=self._handle)
            else:
                path = os.path.join(self.path, name)
                if is_link(path):
                    raise RefusedError(f"{shown}: it is a link; HPP writes through none")
                handle = os.open(path, flags, 0o666)
        except (FileNotFoundError, FileExistsError):
            raise
        except OSError as error:
            raise self._refusal(shown, error) from None
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            os.close(handle)
            raise RefusedError(f"{shown}: it is not a regular file")
        return handle

    def sync(self) -> None:
        """Flush the folder's entries to disk, where the system can."""
        if self._handle >= 0:
            os.fsync(self._handle)

    def link(self, source: str, target: str) -> None:
        """Give a file a second name that must be free; falls back to a rename.

        Raises:
            FileExistsError: The name is taken.

        """
        try:
            if self._by_handle:
                os.link(source, target, src_dir_fd=self._handle, dst_dir_fd=self._handle)
            else:
                os.link(self._at(source), self._at(target))
        except FileExistsError:
            raise
        except (OSError, NotImplementedError):  # a file system without hard links
            if self.exists(target):
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), target) from None
            self.rename(source, target)
            return
        self.remove(source)

    def rename(self, source: str, target: str) -> None:
        """Put a file in another's place in one step."""
        if self._by_handle:
            os.replace(source, target, src_dir_fd=self._handle, dst_dir_fd=self._handle)
        else:
            os.replace(self._at(source), self._at(target))

    def remove(self, name: str) -> None:
        """Remove a file that may be gone already."""
        try:
            if self._by_handle:
                os.unlink(name, dir_fd=self._handle)
            else:
                os.unlink(self._at(name))
        except FileNotFoundError:
            return

    def _at(self, name: str) -> str:
        return name if self._by_handle else os.path.join(self.path, name)

    def _enter(self, place: str, name: str, shown: str, *, create: bool) -> None:
        try:
            self._step(place, name, shown)
        except FileNotFoundError:
            if not create:
                raise RefusedError(f"{printable(shown)}: there is no such folder") from None
            self._make(place, name, shown)
            self._step(place, name, shown)

    def _step(self, place: str, name: str, shown: str) -> None:
        if not self._by_handle:
            if is_link(place):
                raise RefusedError(f"{printable(shown)}: it is a link; HPP writes through none")
            if not stat.S_ISDIR(os.lstat(place).st_mode):
                raise RefusedError(f"{printable(shown)}: it is not a folder")
            return
        flags = os.O_RDONLY | os.O_DIRECTORY | _NOFOLLOW | _COMMON
        try:
            handle = os.open(name, flags, dir_fd=self._handle)
        except FileNotFoundError:
            raise
        except OSError as error:
            if is_link(place):
                raise RefusedError(
                    f"{printable(shown)}: it is a link; HPP writes through none"
                ) from None
            raise self._refusal(shown, error) from None
        os.close(self._handle)
        self._handle = handle

    def _make(self, place: str, name: str, shown: str) -> None:
        try:
            if self._by_handle:
                os.mkdir(name, dir_fd=self._handle)
                os.fsync(self._handle)
            else:
                os.mkdir(place)
        except FileExistsError:
            return  # another writer was quicker
        except OSError as error:
            raise self._refusal(shown, error) from None

    def _refusal(self, shown: str, error: OSError) -> RefusedError | MachineError:
        shown = printable(shown)
        if error.errno == errno.ENOTDIR:
            return RefusedError(f"{shown}: it is not a folder")
        if error.errno in (errno.ELOOP, errno.EMLINK):
            return RefusedError(f"{shown}: it is a link; HPP writes through none")
        if error.errno in (errno.EISDIR, errno.ENXIO, errno.ENODEV):
            return RefusedError(f"{shown}: it is not a regular file")
        if error.errno in _MACHINE:
            return MachineError(f"{shown}: cannot be written: {error.strerror}")
        return MachineError(f"{shown}: {error.strerror}")


def is_link(path: str) -> bool:
    """Say whether a path is itself a symbolic link, or a junction on Windows."""
    try:
        found = os.lstat(path)
    except OSError:
        return False
    return stat.S_ISLNK(found.st_mode) or _is_junction(found)


def _is_junction(found: os.stat_result) -> bool:
    tag = getattr(stat, "IO_REPARSE_TAG_MOUNT_POINT", 0xA0000003)
    return getattr(found, "st_reparse_tag", 0) == tag
