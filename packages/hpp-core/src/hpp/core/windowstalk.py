"""A living program on Windows: one line in, one line out, each pipe with a thread.

Only the start needs Windows; the rest is plain and is exercised on every system.
"""

from __future__ import annotations

import os
import queue
import threading
import time
from contextlib import suppress

from hpp.core.outcome import EXITED, TIMEOUT
from hpp.core.reply import ANSWERED, TOO_LONG
from hpp.core.windowsrun import start, stop

TYPE_CHECKING = False
if TYPE_CHECKING:
    import subprocess
    from typing import IO

    from hpp.core.interruption import Interruption
    from hpp.core.runner import Sink
    from hpp.core.windowsrun import Job

__all__ = ["Talk", "begin"]

_BLOCK = 64 * 1024
_SLICE_S = 0.05  # a wait on a lock cannot be interrupted there
_LAST_WORDS_S = 0.5
_GRACE_S = 1.0


def begin(  # noqa: PLR0913 -- what the dialogue was given
    argv: list[str],
    *,
    cwd: str | None,
    longest: int,
    stderr: Sink,
    own_children: bool,  # noqa: ARG001 -- the job knows what descends from the child
    signals: Interruption,
) -> Talk:
    """Start a program to talk with; see `posixtalk.Talk`.

    Raises:
        StartError: It could not be started.

    """
    child, job = start(argv, cwd=cwd, has_input=True)
    return Talk(child, job, longest=longest, stderr=stderr, signals=signals)


class Talk:
    """One start of a program, already made."""

    def __init__(
        self,
        child: subprocess.Popen[bytes],
        job: Job,
        *,
        longest: int,
        stderr: Sink,
        signals: Interruption,
    ) -> None:
        self._child = child
        self._job = job
        self._longest = longest
        self._signals = signals
        self._change = threading.Condition()
        self._read = bytearray()
        self._is_eof = self._is_closing = False
        self._unsent = 0
        self._lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        assert child.stdin is not None  # noqa: S101 -- opened as a pipe
        assert child.stdout is not None  # noqa: S101 -- opened as a pipe
        assert child.stderr is not None  # noqa: S101 -- opened as a pipe
        self._out = _begin(self._take_answers, child.stdout)
        self._err = _begin(_pour, child.stderr, stderr)
        _begin(self._send, child.stdin)

    @property
    def exit_code(self) -> int | None:
        """Return the code of the program once it was stopped; None when nobody could end it."""
        return self._child.returncode

    def exchange(self, line: bytes, deadline: float) -> tuple[str, bytes]:
        """Send a line and return ``(ending, answer)``; only `ANSWERED` leaves it usable."""
        if self._is_over():
            return EXITED, b""
        with self._change:
            self._unsent += 1
        self._lines.put(line)
        while True:
            with self._change:
                found = self._next_line()
                if found is not None:
                    return found
                is_over = self._is_over()
                if not is_over:
                    self._change.wait(min(_SLICE_S, max(0.0, deadline - time.monotonic())))
                    found = self._next_line()
            self._signals.check()
            if found is not None:
                return found
            if is_over:
                return self._after_the_end()
            if time.monotonic() >= deadline:
                return TIMEOUT, b""

    def is_out_of_step(self) -> bool:
        """Say whether something came that nobody asked for, or was said before we were heard."""
        with self._change:
            # An answer can be here before the thread that sent the question says that it did.
            self._change.wait_for(lambda: self._read or not self._unsent, timeout=_LAST_WORDS_S)
            return bool(self._read or self._unsent)

    def finish(self) -> bool:
        """Close the input, wait a little for the end, and say whether it is out of step."""
        is_stray = self.is_out_of_step()
        self._lines.put(None)
        end = time.monotonic() + _GRACE_S
        while self._child.poll() is None and not self._read and time.monotonic() < end:
            self._signals.check()
            time.sleep(0.01)
        self._out.join(timeout=_LAST_WORDS_S if self._child.poll() is not None else 0.0)
        is_stray = is_stray or bool(self._read)
        self.stop()
        return is_stray

    def settle(self) -> None:
        """Give a program that has stopped talking the time to end by itself."""
        end = time.monotonic() + _LAST_WORDS_S
        while self._child.poll() is None and time.monotonic() < end:
            self._signals.check()
            time.sleep(0.01)
        self._err.join(timeout=_LAST_WORDS_S)

    def stop(self) -> None:
        """End the program and everything that descends from it."""
        with self._change:
            self._is_closing = True
            self._change.notify_all()
        self._lines.put(None)
        if self._child.poll() is None:
            stop(self._child, self._job)
        else:
            self._job.kill()
        self._job.release()
        for thread in (self._out, self._err):
            thread.join(timeout=_LAST_WORDS_S)

    def _is_over(self) -> bool:
        return self._is_eof or self._child.poll() is not None

    def _after_the_end(self) -> tuple[str, bytes]:
        """Return the line that was still on its way when the program ended, if there was one."""
        self._out.join(timeout=_LAST_WORDS_S)
        with self._change:
            return self._next_line() or (EXITED, b"")

    def _next_line(self) -> tuple[str, bytes] | None:
        end = self._read.find(b"\n")
        if max(end, len(self._read) if end < 0 else 0) > self._longest:
            return TOO_LONG, b""
        if end < 0:
            return None
        answer = bytes(self._read[:end])
        del self._read[: end + 1]
        self._change.notify_all()
        return ANSWERED, answer

    def _take_answers(self, stream: IO[bytes]) -> None:
        """Read until the end, but never more than one answer ahead."""
        try:
            while block := os.read(stream.fileno(), _BLOCK):
                with self._change:
                    self._read += block
                    self._change.notify_all()
                    self._change.wait_for(
                        lambda: len(self._read) <= self._longest or self._is_closing
                    )
        except (OSError, ValueError):
            pass  # it was closed under the reader
        with self._change:
            self._is_eof = True
            self._change.notify_all()
        _shut(stream)

    def _send(self, stream: IO[bytes]) -> None:
        """Write what is put on the queue; None closes the input."""
        while (line := self._lines.get()) is not None:
            with suppress(OSError, ValueError):  # it closed its input, which is its right
                left = memoryview(line)
                while left:
                    left = left[stream.write(left) :]
            with self._change:
                self._unsent -= 1
                self._change.notify_all()
        _shut(stream)


def _begin(work: object, *given: object) -> threading.Thread:
    thread = threading.Thread(target=work, args=given, daemon=True)  # type: ignore[arg-type]  # a method
    thread.start()
    return thread


def _pour(stream: IO[bytes], sink: Sink) -> None:
    try:
        while block := os.read(stream.fileno(), _BLOCK):
            sink.take(block)
    except (OSError, ValueError):
        pass  # it was closed under the reader
    _shut(stream)


def _shut(stream: IO[bytes]) -> None:
    try:
        stream.close()
    except OSError:
        return
