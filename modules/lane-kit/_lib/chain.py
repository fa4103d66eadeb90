"""A file of JSON lines that only grows, each line bound to the one before it by its SHA-256.

Every writing is one append under a lock that the system drops when its holder dies. What
does not check is corrupt: nothing is skipped, guessed or written over.
"""

from __future__ import annotations

import os
import time
from hashlib import sha256

from _lib.refusal import no

from hpp.core.durable import append
from hpp.core.filelock import acquire
from hpp.core.strictjson import JsonRefusedError, parse_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from typing_extensions import Self

    Event = dict[str, Any]

__all__ = ["WAIT_S", "ChainFile", "Held", "encode", "now_text"]

WAIT_S = 5.0
_SECOND_LOOK_S = 0.05
_FLAGS = (
    getattr(os, "O_BINARY", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOINHERIT", 0)
)


def now_text(seconds: float | None = None) -> str:
    """Return a time, now when None, as RFC 3339 in UTC."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def encode(value: Event) -> bytes:
    """Return one line, without its end."""
    import json

    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()


class Held:
    """The lock of a file, held; use as a context manager.

    Args:
        path: The file that is guarded; the lock is on ``<path>.lock``, which stays.
        timeout_s: Most seconds to wait.
        shared: Readers hold it together. Where the system has no such lock (Windows) a reader
            holds nothing.

    Raises:
        Refusal: ``BUSY``; another process kept it.

    """

    __slots__ = ("_handle", "_path", "_shared", "_timeout_s")

    def __init__(self, path: str, *, timeout_s: float = WAIT_S, shared: bool = False) -> None:
        self._path = f"{path}.lock"
        self._timeout_s = timeout_s
        self._shared = shared
        self._handle = -1

    def __enter__(self) -> Self:
        if self._shared:
            self._share()
            return self
        try:
            handle = os.open(self._path, os.O_RDWR | os.O_CREAT | _FLAGS, 0o600)
        except OSError as error:
            raise no("BUSY", f"{self._name} cannot be opened: {error.strerror}") from None
        if not self._take(handle):
            os.close(handle)
            raise no("BUSY", f"{self._name} is held by another process{self._holder()}")
        self._handle = handle
        # Behind the byte that Windows locks, for whoever waits.
        os.lseek(handle, 0, os.SEEK_SET)
        os.write(handle, b" %-19d\n" % os.getpid())
        return self

    def __exit__(self, *_: object) -> None:
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1

    @property
    def _name(self) -> str:
        return os.path.basename(self._path)

    def _take(self, handle: int) -> bool:
        try:
            return acquire(handle, timeout_s=self._timeout_s)
        except BaseException:
            os.close(handle)
            raise

    def _share(self) -> None:
        if os.name == "nt":
            return
        import fcntl

        try:
            handle = os.open(self._path, os.O_RDONLY | _FLAGS)
        except OSError:
            return  # nobody has written yet, or not for us to lock: a torn end is looked at twice
        deadline = time.monotonic() + self._timeout_s
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
                break
            except OSError:
                if time.monotonic() >= deadline:
                    os.close(handle)
                    raise no("BUSY", f"{self._name} is held{self._holder()}") from None
                time.sleep(0.005)
        self._handle = handle

    def _holder(self) -> str:
        try:
            with open(self._path, "rb") as file:
                file.seek(1)
                pid = file.read(19).strip()
        except OSError:
            return ""
        return f" (pid {pid.decode()})" if pid.isdigit() else ""


class ChainFile:
    """One such file.

    Args:
        path: Where it is.
        schema: What its first line has to say.

    """

    def __init__(self, path: str, schema: str) -> None:
        self.path = path
        self.schema = schema
        self.name = os.path.basename(path)
        self._head = b""

    def read(self) -> list[Event]:
        """Return the events, without the header; a file that is absent has none."""
        if not os.path.lexists(self.path):
            return []
        with Held(self.path, shared=True):
            data = self._bytes()
        if data and not data.endswith(b"\n"):
            time.sleep(_SECOND_LOOK_S)  # a writer may have been in the middle, on Windows
            data = self._bytes()
        return self._checked(data)

    def held(self, timeout_s: float = WAIT_S) -> Held:
        """Return the lock, for what has to be read and written in one step."""
        return Held(self.path, timeout_s=timeout_s)

    def read_held(self) -> list[Event]:
        """Return the events while the lock is held."""
        return self._checked(self._bytes())

    def append_held(self, events: list[Event], seq: int) -> list[Event]:
        """Add events with one write, while the lock is held, and return them as they lie there.

        Args:
            events: Without ``seq``, ``prev`` and ``ts``.
            seq: How many are there already, without the header.

        """
        lines: list[bytes] = []
        ts = now_text()
        head = self._head
        if not head:
            header = {"v": 1, "schema": self.schema, "seq": 0, "kind": "header",
                      "board": os.urandom(8).hex(), "ts": ts}  # fmt: skip
            head = encode(header)
            lines.append(head)
        made: list[Event] = []
        for number, event in enumerate(events, seq + 1):
            whole = {"seq": number, "prev": sha256(head).hexdigest(), "ts": ts, **event}
            head = encode(whole)
            lines.append(head)
            made.append(whole)
        handle = os.open(self.path, os.O_RDWR | os.O_CREAT | _FLAGS, 0o600)
        try:
            append(handle, b"".join(line + b"\n" for line in lines), self.name)
        finally:
            os.close(handle)
        self._head = head
        return made

    def torn_at(self) -> int | None:
        """Return where an incomplete last line begins, when all before it checks; else None."""
        data = self._bytes()
        if not data or data.endswith(b"\n"):
            return None
        place = data.rfind(b"\n") + 1
        self._checked(data[:place])
        return place

    def cut_held(self, place: int) -> str:
        """Move an incomplete last line to a file of its own and return that file's name."""
        torn = f"{self.path}.torn-{now_text().replace(':', '')}"
        number = 0
        while True:
            try:
                name = f"{torn}-{number}" if number else torn
                handle = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _FLAGS, 0o600)
                break
            except FileExistsError:
                number += 1
        with os.fdopen(handle, "wb") as file:
            file.write(self._bytes()[place:])
            file.flush()
            os.fsync(file.fileno())
        handle = os.open(self.path, os.O_RDWR | _FLAGS)
        try:
            os.ftruncate(handle, place)
            os.fsync(handle)
        finally:
            os.close(handle)
        return os.path.basename(name)

    def _bytes(self) -> bytes:
        try:
            handle = os.open(self.path, os.O_RDONLY | _FLAGS)
        except FileNotFoundError:
            return b""
        except OSError as error:
            raise no("CORRUPT", f"{self.name} cannot be read: {error.strerror}") from None
        with os.fdopen(handle, "rb") as file:
            return file.read()

    def _checked(self, data: bytes) -> list[Event]:
        self._head = b""
        if not data:
            return []
        if not data.endswith(b"\n"):
            number = data.count(b"\n") + 1
            raise self._corrupt(number, "it has no end; `repair` shows what can be done")
        events = list(self._lines(data[:-1].split(b"\n")))
        return events[1:]

    def _lines(self, lines: list[bytes]) -> Iterator[Event]:
        head = b""
        for number, line in enumerate(lines):
            try:
                event: Event = parse_bytes(line, "line", root=dict)
            except JsonRefusedError as error:
                raise self._corrupt(number + 1, error.reason) from None
            if event.get("seq") != number or type(event["seq"]) is not int:
                raise self._corrupt(number + 1, f"its seq is not {number}")
            if number == 0:
                self._check_header(event)
            elif event.get("prev") != sha256(head).hexdigest():
                raise self._corrupt(number + 1, "it does not follow the line before it")
            head = line
            yield event
        self._head = head

    def _check_header(self, event: Event) -> None:
        if event.get("schema") != self.schema or event.get("kind") != "header":
            raise self._corrupt(1, f"it is no header of {self.schema}")
        if event.get("v") != 1:
            raise self._corrupt(1, "it is of another version")

    def _corrupt(self, line: int, why: str) -> Exception:
        return no("CORRUPT", f"{self.name} line {line}: {why}; nothing was written")
