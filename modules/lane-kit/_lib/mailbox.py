"""Messages between lanes: one file each, complete when it appears, never edited.

A fenced header in the first lines says who it is for, and nothing else routes it; quoted
text stands behind ``> `` on every line, so that it cannot look like a header.
"""

from __future__ import annotations

import os

from hpp.core.errors import MachineError, RefusedError
from hpp.core.portable.lane import is_lane_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from _lib.config import Config
    from _lib.paths import Place

__all__ = ["KINDS", "Message", "archive", "folder_of", "message_text", "messages", "put", "quoted"]

KINDS = ("verdict", "fix", "review", "reorient", "note")
READ = "_read"
_KEYS = ("to", "from", "kind", "item", "at", "id")
_MOST = 4096
_SAFE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-:")


class Message:
    """The header of one message.

    Attributes:
        name: Of its file.
        path: Of its file.
        header: Its keys; empty when there is no valid header, and then nobody gets it.

    """

    __slots__ = ("header", "name", "path")

    def __init__(self, path: str, header: Mapping[str, str]) -> None:
        self.path = path
        self.name = os.path.basename(path)
        self.header = dict(header)

    @property
    def to(self) -> str:
        """Return the lane it is for, or an empty text."""
        return self.header.get("to", "")


def folder_of(place: Place, config: Config) -> str:
    """Return the mailbox.

    Raises:
        RefusedError: The settings name a place outside of the repository, or behind a link.

    """
    from hpp.core.portable.fsread import contain

    named: str = config.values["mailbox"]["dir"]
    if named == ".claude/lanes/mailbox":  # beside everything else, wherever that is
        return place.path("mailbox")
    return contain(named, place.root)


def quoted(text: str) -> str:
    """Return a text with ``> `` in front of every line, whatever ends a line."""
    lines = text.splitlines() or [""]
    return "".join(f"> {line}\n" for line in lines)


def message_text(header: Mapping[str, str], body: str) -> str:
    """Return a message."""
    lines = "".join(f"{key}: {header[key]}\n" for key in _KEYS if header.get(key))
    return f"---\n{lines}---\n\n{body}"


def put(folder: str, header: Mapping[str, str], body: str) -> tuple[str, bool]:
    """Write a message, unless one of its name is there or was read; return its name, and whether.

    Raises:
        MachineError: The system refuses it.

    """
    from hpp.core.portable.fswrite import atomic_write

    name = f"{header['to']}--{header['kind']}--{header['id']}.md"
    try:
        os.makedirs(os.path.join(folder, READ), mode=0o700, exist_ok=True)
    except OSError as error:
        raise MachineError(f"mailbox: cannot be made: {error.strerror}") from None
    if any(os.path.lexists(os.path.join(folder, *way, name)) for way in ((), (READ,))):
        return name, False
    atomic_write(os.path.join(folder, name), message_text(header, body).encode())
    return name, True


def messages(folder: str) -> list[Message]:
    """Return the messages that were not archived, by name; those without a header as well."""
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return []
    paths = (os.path.join(folder, name) for name in names if name.endswith(".md"))
    return [Message(path, _header(path)) for path in paths if not name_is_hidden(path)]


def name_is_hidden(path: str) -> bool:
    """Say whether a file is one that a writer has not finished."""
    return os.path.basename(path).startswith(".")


def archive(folder: str, name: str) -> str:
    """Move a message to those that were read, and return where it is.

    Raises:
        RefusedError: There is no such message.

    """
    place = os.path.join(folder, checked_name(name))
    there = os.path.join(folder, READ, name)
    try:
        os.makedirs(os.path.dirname(there), mode=0o700, exist_ok=True)
        os.replace(place, there)
    except FileNotFoundError:
        raise RefusedError(f"{name}: there is no such message") from None
    except OSError as error:
        raise MachineError(f"{name}: cannot be moved: {error.strerror}") from None
    return there


def checked_name(name: str) -> str:
    """Return the name of a message.

    Raises:
        RefusedError: It is none.

    """
    if not name.endswith(".md") or name.startswith(".") or not _SAFE.issuperset(name):
        raise RefusedError(f"{name!r}: expected the name of a message")
    return name


def _header(path: str) -> dict[str, str]:
    try:
        with open(path, "rb") as file:
            text = file.read(_MOST).decode("utf-8", "replace")
    except OSError:
        return {}
    lines = text.split("\n")
    if lines[0].rstrip("\r") != "---":
        return {}
    found: dict[str, str] = {}
    for line in lines[1 : len(_KEYS) + 2]:
        plain = line.rstrip("\r")
        if plain == "---":
            return found if _is_valid(found) else {}
        key, colon, value = plain.partition(": ")
        if not colon or key not in _KEYS or key in found:
            return {}
        found[key] = value
    return {}


def _is_valid(found: Mapping[str, str]) -> bool:
    return (
        is_lane_id(found.get("to", ""))
        and is_lane_id(found.get("from", ""))
        and found.get("kind") in KINDS
        and bool(found.get("id"))
        and all(value and _SAFE.issuperset(value) for value in found.values())
    )
