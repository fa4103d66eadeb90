"""Text documents that people and scripts both write: read whole, changed under a lock."""

from __future__ import annotations

import os

from hpp.core.errors import RefusedError
from hpp.core.portable.fsread import read_bounded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["change", "create", "read_text"]

_LARGEST = 8 * 1024 * 1024


def read_text(path: str, name: str) -> str:
    """Return a file's text, its line ends as they are; a mark of byte order is left out.

    Raises:
        RefusedError: It is absent, unreadable, larger than 8 MiB or not UTF-8.

    """
    data = read_bounded(path, _LARGEST, name, "larger than 8 MiB")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise RefusedError(f"{name}: line {line}: not UTF-8") from None


def change(root: str, path: str, name: str, make: Callable[[str], str]) -> None:
    """Put another text in a document's place while nobody else writes it.

    Args:
        root: The project's folder.
        path: The document; it exists.
        name: How messages name it.
        make: Returns the new text for the old one, or raises to leave it.

    Raises:
        HppError: It cannot be read, locked or written; or what `make` raises.

    """
    from hpp.core.portable.fswrite import atomic_write, locked

    with locked(_lock(root, name)):
        text = read_text(path, name)
        made = make(text)
        if made != text:
            mark = b"\xef\xbb\xbf" if _has_mark(path) else b""
            atomic_write(path, mark + made.encode("utf-8"))


def _lock(root: str, name: str) -> str:
    """Return what stands for a document's lock: beside the document git would show it."""
    from hpp.core.portable.digest import text_digest
    from hpp.core.portable.fsread import contain
    from hpp.core.portable.fswrite import state_dir

    folder = state_dir(contain(".claude/operator-kit", root))
    return os.path.join(folder, text_digest(name)[:16])


def create(path: str, name: str, text: str) -> None:
    """Write a new document, its folders included.

    Raises:
        RefusedError: Something is there already.
        MachineError: The system refused.

    """
    from hpp.core.errors import MachineError

    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0))
    except FileExistsError:
        raise RefusedError(f"{name}: it exists already") from None
    except OSError as error:
        raise MachineError(f"{name}: cannot be written: {error.strerror}") from None
    with os.fdopen(handle, "wb") as file:
        file.write(text.encode("utf-8"))
        file.flush()
        os.fsync(file.fileno())


def _has_mark(path: str) -> bool:
    with open(path, "rb") as file:
        return file.read(3) == b"\xef\xbb\xbf"
