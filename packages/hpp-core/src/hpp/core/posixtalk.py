"""A living program on POSIX: one line in, one line out, all pipes watched at once."""

from __future__ import annotations

import os
import select
import subprocess
import time
from contextlib import suppress

from hpp.core.outcome import EXITED, TIMEOUT
from hpp.core.posixrun import close, exit_handle, has_exited, start
from hpp.core.reply import ANSWERED, TOO_LONG

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO

    from hpp.core.interruption import Interruption
    from hpp.core.runner import Sink

__all__ = ["Talk"]

_BLOCK = 256 * 1024
_PAUSE_S = 0.02  # between two looks at a child whose end wakes nobody
_LAST_WORDS_S = 0.5
_GRACE_S = 1.0
_COLLECT_S = 0.25


class Talk:
    """One start of a program; see `dialogue.Dialogue`.

    Args:
        argv: Program and arguments.
        cwd: Working folder; None is this process's.
        longest: Most bytes of an answer.
        stderr: Takes the standard error.
        own_children: This process starts nothing else meanwhile.
        signals: What the main thread entered.

    Raises:
        StartError: It could not be started.

    """

    def __init__(  # noqa: PLR0913 -- what the dialogue was given
        self,
        argv: list[str],
        *,
        cwd: str | None,
        longest: int,
        stderr: Sink,
        own_children: bool,
        signals: Interruption,
    ) -> None:
        self._child, self._tree = start(argv, cwd=cwd, has_input=True, own_children=own_children)
        self._longest = longest
        self._stderr = stderr
        self._signals = signals
        self._buffer = memoryview(bytearray(_BLOCK))
        self._read = bytearray()
        self._unsent = memoryview(b"")
        self._is_eof = self._has_exited = False
        self._poll = select.poll()
        self._in = _handle(self._child.stdin)
        self._out = _handle(self._child.stdout)
        self._err = _handle(self._child.stderr)
        self._exit = exit_handle(self._child.pid)
        for handle in (self._out, self._err, self._exit, signals.handle):
            if handle >= 0:
                self._poll.register(handle, select.POLLIN)

    @property
    def exit_code(self) -> int | None:
        """Return the code of the program once it was stopped; None when nobody could end it."""
        return self._child.returncode

    def exchange(self, line: bytes, deadline: float) -> tuple[str, bytes]:
        """Send a line and return ``(ending, answer)``; only `ANSWERED` leaves it usable."""
        if self._is_over:
            return EXITED, b""
        self._unsent = memoryview(line)
        self._poll.register(self._in, select.POLLOUT)
        looked_at = 0
        while True:
            end = self._read.find(b"\n", looked_at)
            if max(end, len(self._read) if end < 0 else 0) > self._longest:
                return TOO_LONG, b""
            if end >= 0:
                answer = bytes(self._read[:end])
                del self._read[: end + 1]
                return ANSWERED, answer
            looked_at = len(self._read)
            if self._is_over:
                return EXITED, b""
            left_s = deadline - time.monotonic()
            if left_s <= 0:
                return TIMEOUT, b""
            self._wait(left_s)

    def is_out_of_step(self) -> bool:
        """Say whether something came that nobody asked for, or was said before we were heard."""
        if not self._is_over:
            self._wait(0.0)
        return bool(self._read or self._unsent)

    def finish(self) -> bool:
        """Close the input, wait a little for the end, and say whether it is out of step."""
        was_unheard = bool(self._unsent)
        self._hush()
        _shut(self._child.stdin)
        self._wait_until_over(_GRACE_S)
        self.stop()
        return was_unheard or bool(self._read)

    def settle(self) -> None:
        """Give a program that has stopped talking the time to end by itself."""
        self._hush()
        end = time.monotonic() + _LAST_WORDS_S
        while not self._has_exited and (left_s := end - time.monotonic()) > 0:
            self._wait(left_s)

    def stop(self) -> None:
        """End the program and everything that descends from it."""
        self._hush()
        # The child is not collected before this: until then its id means nobody else.
        self._tree.stop()
        self._drain()
        with suppress(subprocess.TimeoutExpired):  # it waits for a device; `close` gives it up
            self._child.wait(timeout=_COLLECT_S)
        if self._exit >= 0:
            os.close(self._exit)
        _shut(self._child.stdin)
        close(self._child)

    @property
    def _is_over(self) -> bool:
        return self._is_eof or self._has_exited

    def _wait_until_over(self, limit_s: float) -> None:
        end = time.monotonic() + limit_s
        while not (self._is_over or self._read) and (left_s := end - time.monotonic()) > 0:
            self._wait(left_s)

    def _wait(self, limit_s: float) -> None:
        """Wait until something happens, and take it."""
        may_have_exited = self._exit < 0
        if may_have_exited:
            limit_s = min(limit_s, _PAUSE_S)
        for handle, _ in self._poll.poll(max(0, int(limit_s * 1000 + 0.999))):
            if handle == self._in:
                self._send()
            elif handle in (self._out, self._err):
                self._take(handle)
            elif handle == self._exit:
                may_have_exited = True
        self._signals.check()
        if may_have_exited and not self._has_exited and has_exited(self._child):
            self._has_exited = True
            self._drain()
            if self._exit >= 0:
                self._poll.unregister(self._exit)

    def _send(self) -> None:
        try:
            sent = os.write(self._in, self._unsent)
        except BlockingIOError:
            return
        except OSError:  # it closed its input, which is its right
            sent = len(self._unsent)
        self._unsent = self._unsent[sent:]
        if not self._unsent:
            self._poll.unregister(self._in)

    def _take(self, handle: int) -> bool:
        """Read once; say whether there may be more."""
        try:
            count = os.readv(handle, [self._buffer])
        except BlockingIOError:
            return False
        if not count:
            self._poll.unregister(handle)
            if handle == self._out:
                self._is_eof, self._out = True, -1
            else:
                self._err = -1
        elif handle == self._out:
            self._read += self._buffer[:count]
        else:
            self._stderr.take(self._buffer[:count])
        return count > 0

    def _drain(self) -> None:
        """Take what stands in the pipes of an ended program; a descendant may still write."""
        end = time.monotonic() + _COLLECT_S
        while (
            self._out >= 0
            and len(self._read) <= self._longest
            and time.monotonic() < end
            and self._take(self._out)
        ):
            pass
        while self._err >= 0 and time.monotonic() < end and self._take(self._err):
            pass

    def _hush(self) -> None:
        """Send nothing more."""
        if self._unsent:
            self._poll.unregister(self._in)
            self._unsent = memoryview(b"")


def _handle(stream: IO[bytes] | None) -> int:
    assert stream is not None  # noqa: S101 -- opened as a pipe
    os.set_blocking(stream.fileno(), False)
    return stream.fileno()


def _shut(stream: IO[bytes] | None) -> None:
    assert stream is not None  # noqa: S101 -- opened as a pipe
    try:
        stream.close()
    except OSError:
        return
