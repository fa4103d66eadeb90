"""Messages that a lane was not told of yet, each told once."""

from __future__ import annotations

import os
from hashlib import sha256

from _lib.mailbox import Message, folder_of, messages

from hpp.core.errors import RefusedError
from hpp.core.strictjson import parse_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _lib.config import Config
    from _lib.paths import Place

__all__ = ["told", "unread"]

_WAIT_S = 2.0
_LARGEST = 1024 * 1024
_SHOWN = 8


def unread(place: Place, config: Config, lane: str) -> list[Message]:
    """Return the messages for a lane that nobody archived."""
    return [each for each in messages(folder_of(place, config)) if each.to == lane]


def told(place: Place, config: Config, lane: str, *, again: bool) -> list[str]:
    """Return a line for each message that is to be told now, and remember it.

    Args:
        place: The files.
        config: The settings.
        lane: Who is told.
        again: Tell what was told before as well.

    Raises:
        HppError: What was told before cannot be read or written.

    """
    folder = folder_of(place, config)
    found = messages(folder)
    mine = [each for each in found if each.to == lane]
    lost = [each for each in found if not each.header]
    if not mine and not lost:
        return []
    from hpp.core.portable.fswrite import atomic_write, locked

    beside = os.path.join(folder, ".announced")
    os.makedirs(beside, mode=0o700, exist_ok=True)
    path = os.path.join(beside, f"{lane}.json")
    with locked(path, _WAIT_S):
        seen = _read(path)
        now = {each.name: _digest(each.path) for each in (*mine, *lost)}
        fresh = {name for name, digest in now.items() if seen.get(name) != digest}
        if fresh or seen.keys() - now.keys():
            from hpp.core.output import pretty_json

            atomic_write(path, pretty_json(now))
    lines = [_line(each) for each in mine if again or each.name in fresh]
    lines += [f"a message that goes to nobody: {each.name}" for each in lost if each.name in fresh]
    return [*lines[:_SHOWN], *([f"and {len(lines) - _SHOWN} more"] if len(lines) > _SHOWN else [])]


def _line(message: Message) -> str:
    header = message.header
    about = f" about {header['item']}" if header.get("item") else ""
    return f"unread: {header['kind']} from lane {header['from']}{about}: {message.name}"


def _digest(path: str) -> str:
    try:
        with open(path, "rb") as file:
            return sha256(file.read(_LARGEST)).hexdigest()
    except OSError:
        return ""


def _read(path: str) -> dict[str, str]:
    try:
        with open(path, "rb") as file:
            found = parse_bytes(file.read(_LARGEST), os.path.basename(path), root=dict)
    except FileNotFoundError:
        return {}
    if not all(isinstance(each, str) for each in found.values()):
        raise RefusedError(f"{os.path.basename(path)}: expected texts")
    return dict(found)
