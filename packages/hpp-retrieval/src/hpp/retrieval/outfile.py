"""A file that a person names for output: looked at before any work, written whole or not."""

from __future__ import annotations

import os

from hpp.core import durable
from hpp.core.errors import MachineError, RefusedError
from hpp.core.folder import Folder, is_link
from hpp.core.text import printable

__all__ = ["OutFile", "make_folder"]


class OutFile:
    """Where a result goes; a file that is there is replaced.

    Args:
        path: As it was typed.
        option: Name of the option, for messages.

    Raises:
        RefusedError: It is empty, a link, a folder, or in a folder that is not there.

    """

    def __init__(self, path: str, option: str) -> None:
        place = f"{option}: {printable(path)}"
        if not path or "\0" in path:
            raise RefusedError(f"{place}: not a file name")
        self._folder, self._name = os.path.split(os.path.abspath(path))
        if is_link(os.path.abspath(path)):
            raise RefusedError(f"{place}: it is a link")
        if os.path.isdir(path) or not self._name:
            raise RefusedError(f"{place}: it is a folder")
        if not os.path.isdir(self._folder):
            raise RefusedError(f"{place}: there is no such folder")
        self._place = place

    def write(self, data: bytes) -> None:
        """Write the whole file.

        Raises:
            MachineError: The system refused; a former file is as it was.

        """
        try:
            with Folder(self._folder, (), create=False) as folder:
                durable.replace(folder, self._name, data)
        except OSError as error:
            raise MachineError(f"{self._place}: cannot be written: {error.strerror}") from None


def make_folder(path: str, option: str) -> None:
    """Create a folder, with its parents, unless it is there.

    Raises:
        RefusedError: Something else has that name, or the system refuses.

    """
    try:
        if not path:
            raise RefusedError(f"{option}: an empty name is not a folder")
        os.makedirs(path, exist_ok=True)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not a folder name"
        raise RefusedError(f"{option}: {printable(path)}: {reason}") from None
