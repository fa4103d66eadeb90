"""The event log: one JSON object a line, each bound to the line before by its SHA-256.

Reading stops at the first line that breaks the contract; nothing is skipped, repaired or
guessed. The lines that our own writer leaves are recognised by their bytes, so that only
their data is parsed; every other line goes through the strict reader.
"""

from __future__ import annotations

import hashlib
import os
import time

from hpp.core.errors import RefusedError
from hpp.core.strictjson import DEEPEST, JsonRefusedError, make_scanner, parse_bytes
from hpp.core.text import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Visit = Callable[[int, str, dict[str, Any]], object]

__all__ = ["GENESIS", "LOG", "SECOND_LOOK_S", "Chain", "CorruptLogError", "read_log", "scan_log"]

LOG = os.path.join(".hpp", "events.jsonl")
GENESIS = hashlib.sha256(b"").hexdigest()
SECOND_LOOK_S = 0.05
_FEW = 100  # brackets: half of the depth that is refused
_HEAD = '{"data":'
_SCAN = make_scanner(pairs=False)


class CorruptLogError(RefusedError):
    """A line that breaks the contract of the log.

    Attributes:
        line: Its physical number, from 1.
        reason: What is wrong with it.
        event: ``event:<seq>`` when the line is sound and its link is not; else None.
        is_malformed: The line is no JSON object at all.
        torn_at: Offset in bytes where the whole lines before a cut last line end; else None.

    """

    def __init__(  # noqa: PLR0913 -- what a message tells
        self,
        line: int,
        reason: str,
        *,
        event: str | None = None,
        is_malformed: bool = False,
        torn_at: int | None = None,
        name: str = LOG,
    ) -> None:
        place = f"line {line}" if event is None else f"line {line}, {event}"
        advice = ""
        if torn_at is not None:
            advice = (
                "; it was cut short and its writer never had an answer,"
                f" the whole lines before it end at byte {torn_at}"
            )
        super().__init__(f"{printable(name)}: {place}: {reason}{advice}")
        self.line = line
        self.reason = reason
        self.event = event
        self.is_malformed = is_malformed
        self.torn_at = torn_at


class Chain:
    """What a reading of the log found.

    Attributes:
        events: Well-formed events, one with a broken link included.
        chained: Links that hold.
        legacy: Events without a link.
        head: SHA-256 of the last good line, or None.
        ends_open: The last line has no terminator.

    """

    __slots__ = ("chained", "ends_open", "events", "head", "legacy")

    def __init__(self) -> None:
        self.events = 0
        self.chained = 0
        self.legacy = 0
        self.head: str | None = None
        self.ends_open = False

    @property
    def status(self) -> str:
        """Return ``empty``, ``intact`` or ``legacy``; a broken log raises instead."""
        if not self.events:
            return "empty"
        return "legacy" if self.legacy else "intact"


def read_log(
    read: Callable[[], bytes | None], make_visit: Callable[[], Visit], *, name: str = LOG
) -> Chain:
    """Read a whole log, and a second time when a writer may have been in the middle.

    Args:
        read: Returns the bytes of the log, or None when there is none.
        make_visit: Returns a fresh visitor for each reading.
        name: What messages call the log.

    Raises:
        CorruptLogError: A line breaks the contract.
        RefusedError: What the visitor raises, with the line in front.

    """
    try:
        chain = Chain()
        scan_log(chain, read(), make_visit(), name=name)
    except CorruptLogError as error:
        if error.torn_at is None:
            raise
        time.sleep(SECOND_LOOK_S)
        chain = Chain()
        scan_log(chain, read(), make_visit(), name=name)
    return chain


def ignore(seq: int, kind: str, data: dict[str, Any]) -> None:
    """Visit an event of which only the chain matters."""


def scan_log(chain: Chain, data: bytes | None, visit: Visit = ignore, *, name: str = LOG) -> None:
    """Read a log line by line into `chain`, which also holds what was sound before a breach.

    The loop that every command on a long log waits for.

    Raises:
        CorruptLogError: A line breaks the contract.
        RefusedError: What the visitor raises, with the line in front.

    """
    if not data:
        return
    lines = data.split(b"\n")
    chain.ends_open = bool(lines[-1])
    if b"\r" in data:
        lines = [line[:-1] if line.endswith(b"\r") else line for line in lines]
    sha256, kinds = hashlib.sha256, _Kinds()
    seq, head, number = 0, GENESIS, 0
    try:
        for raw in lines:
            number += 1
            found = _own_line(raw, seq + 1, head, kinds)
            if found is None:
                chain.events = seq
                found = _other_line(chain, raw, number, head)
                if found is None:
                    continue
            seq += 1
            head = sha256(raw).hexdigest()
            visit(seq, *found)
    except CorruptLogError as error:
        is_torn = number == len(lines) and error.is_malformed
        raise CorruptLogError(
            number,
            error.reason,
            event=error.event,
            is_malformed=error.is_malformed,
            torn_at=len(data) - len(data.rpartition(b"\n")[2]) if is_torn else None,
            name=name,
        ) from None
    except RefusedError as error:
        raise RefusedError(f"{printable(name)}: line {number}: {error}") from None
    finally:
        chain.events = max(chain.events, seq)
        chain.chained = seq - chain.legacy
        chain.head = head if seq else None


class _Kinds(dict[str, "str | None"]):
    """The end of a line after ``"type":"``, and the type it spells, or None."""

    def __missing__(self, tail: str) -> str | None:
        kind = tail[:-2]
        sound = tail.endswith('"}') and '"' not in kind and kind.isprintable() and kind.strip()
        self[tail] = kind if sound else None
        return self[tail]


def _own_line(
    raw: bytes, seq: int, head: str, kinds: dict[str, str | None]
) -> tuple[str, dict[str, Any]] | None:
    """Return type and data of a line that is, byte for byte, what our writer makes of them.

    None leaves the line to the strict reader. Every key but those of the data is compared
    as text, so only the data is parsed. Without a backslash in the line, as many colons as
    keys (and colons in texts) means that no key is repeated: a repeated one would add a
    colon and no key.
    """
    try:
        text = raw.decode()
        if not text.startswith(_HEAD) or "\\" in text:
            return None
        data, end = _SCAN(text, 8)
    except (ValueError, StopIteration, RecursionError, SystemError):
        return None
    mark = f',"id":"event:{seq}","prev_sha256":"{head}","seq":{seq},"type":"'
    if not text.startswith(mark, end) or type(data) is not dict:
        return None
    colons = text.count(":", 8, end)
    # Flat data with no colon in a text, the common case, needs no walk. Only arrays can
    # nest without colons.
    if (colons != len(data) or text.count("[") > _FEW) and colons != _colons(data, 2):
        return None
    kind = kinds[text[end + len(mark) :]]
    return None if kind is None else (kind, data)


def _colons(value: object, depth: int) -> int:
    """Count the keys, and the colons in texts, of a value; -1 for one nested too deep."""
    if type(value) is str:
        return value.count(":")
    if type(value) is dict:
        total = len(value)
        members = [*value, *value.values()]
    elif type(value) is list:
        total = 0
        members = value
    else:
        return 0
    if depth > DEEPEST:
        return -(2**40)
    for member in members:
        total += _colons(member, depth + 1)
    return total


def _other_line(
    chain: Chain, raw: bytes, number: int, head: str
) -> tuple[str, dict[str, Any]] | None:
    """Return type and data of any line; None for a blank one.

    Raises:
        CorruptLogError: It breaks the contract.

    """
    if not raw.strip(b" \t\r"):
        return None
    if raw.startswith(b"\xef\xbb\xbf"):
        raise CorruptLogError(number, "a byte-order mark", is_malformed=True)
    try:
        event = parse_bytes(raw, "", root=dict)
    except JsonRefusedError as error:
        raise CorruptLogError(number, error.reason, is_malformed=True) from None
    seq = chain.events + 1
    _check_event(event, number, seq)
    link = event.get("prev_sha256", _NO_LINK)
    if link is _NO_LINK:
        if chain.legacy < chain.events:
            raise _broken(chain, number, seq, "it has no prev_sha256, and a line before it has one")
        chain.legacy += 1
    elif link != head:
        raise _broken(chain, number, seq, "its prev_sha256 is not the hash of the line before")
    return event["type"], event["data"]


def _check_event(event: dict[str, Any], number: int, seq: int) -> None:
    found = event.get("seq")
    if type(found) is not int or found != seq:
        raise CorruptLogError(number, f"seq: expected {seq}")
    if event.get("id") != f"event:{seq}":
        raise CorruptLogError(number, f'id: expected "event:{seq}"')
    kind = event.get("type")
    if not isinstance(kind, str) or not kind.strip():
        raise CorruptLogError(number, "type: expected a non-blank text")
    if not isinstance(event.get("data"), dict):
        raise CorruptLogError(number, "data: expected an object")


def _broken(chain: Chain, number: int, seq: int, reason: str) -> CorruptLogError:
    chain.events = seq
    return CorruptLogError(number, reason, event=f"event:{seq}")


_NO_LINK = object()
