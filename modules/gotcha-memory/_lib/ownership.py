"""Whose memory it is: one that came with a repository is not this person's."""

from __future__ import annotations

import os
import stat

from hpp.core.errors import RefusedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "ARCHIVE",
    "CURATED",
    "FAILURES",
    "FOREIGN",
    "MISSING",
    "OWN",
    "STORE",
    "STORE_SCHEMA",
    "UNANCHORED",
    "owner_of",
    "store_id",
    "tail",
]

FAILURES, ARCHIVE = "failures.jsonl", "failures.archive.jsonl"
CURATED, STORE = "curated.jsonl", "store.json"
STORE_SCHEMA = "gotcha.store/v1"
MISSING, OWN, UNANCHORED, FOREIGN = "missing", "own", "unanchored", "foreign"
_CONTENT = (FAILURES, ARCHIVE, CURATED, STORE)
_ID_LENGTH = 32
_HEX = frozenset("0123456789abcdef")
_LARGEST_STORE_FILE = 4096


def owner_of(root: str, store: str) -> str:
    """Return whose store it is: `OWN`, `UNANCHORED`, `FOREIGN`, or `MISSING`.

    What lies there without an id, or with one that git's own folder does not name, came
    from elsewhere. Where there is no git folder nobody can tell.
    """
    if not any(os.path.lexists(os.path.join(store, name)) for name in _CONTENT):
        return MISSING
    from hpp.core.portable.anchor import read

    try:
        trust = read(root)
    except RefusedError:
        return FOREIGN
    if trust is None:
        return UNANCHORED
    own = store_id(store)
    return OWN if own is not None and own in trust["gotcha_stores"] else FOREIGN


def store_id(store: str) -> str | None:
    """Return the id of a store; None when it has none that is sound."""
    from hpp.core.strictjson import parse_bytes

    try:
        data = b"\n".join(tail(os.path.join(store, STORE), _LARGEST_STORE_FILE))
        found = parse_bytes(data, STORE, root=dict)
    except (OSError, RefusedError):
        return None
    own = found.get("store_id")
    is_sound = isinstance(own, str) and len(own) == _ID_LENGTH and _HEX.issuperset(own)
    return own if is_sound and found.get("schema") == STORE_SCHEMA else None


def tail(path: str, most: int | None, needles: Iterable[bytes] = ()) -> list[bytes]:
    """Return the whole lines at the end of a regular file; none when there is no file.

    Args:
        path: The file.
        most: Most bytes to read; None for all.
        needles: Only lines that hold one of these, or an escape that may spell one.

    Raises:
        OSError: It is there and cannot be read, or is no regular file.

    """
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return []
    if not stat.S_ISREG(found.st_mode):
        raise OSError(0, "not a regular file", path)
    with open(path, "rb") as file:
        start = 0 if most is None else max(0, found.st_size - most)
        file.seek(max(0, start - 1))
        data = file.read(-1 if most is None else most + 1)
    if start:
        data = data.partition(b"\n")[2]
    wanted = tuple(needles)
    if wanted:
        return _holding(data, (*wanted, b"\\u"))
    return [line for line in data.split(b"\n") if line.strip()]


def _holding(data: bytes, needles: Iterable[bytes]) -> list[bytes]:
    """Return the lines that hold one of some texts, in their order, without a look at others."""
    found: dict[int, bytes] = {}
    for needle in needles:
        at = data.find(needle)
        while at >= 0:
            start = data.rfind(b"\n", 0, at) + 1
            end = data.find(b"\n", at)
            end = len(data) if end < 0 else end
            found[start] = data[start:end]
            at = data.find(needle, end)
    return [found[start] for start in sorted(found)]
