"""An orderly end when a person or a supervisor stops a command that waits for programs."""

from __future__ import annotations

import os
import signal
import threading

from hpp.core.errors import InterruptedRunError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["Interruption"]

_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")


class Interruption:
    """Notes the signals that end a command while it is entered; whoever waits asks `check`.

    Only the main thread of a process may hold handlers, so threads that run programs are
    given the one that the main thread entered. A signal that was set to be ignored, as
    `nohup` does, stays ignored.

    Attributes:
        handle: A descriptor that is readable once a signal came (POSIX), or -1.

    """

    def __init__(self) -> None:
        self.handle = -1
        self._writer = -1
        self._seen: str | None = None
        self._former: dict[int, Any] = {}

    def __enter__(self) -> Interruption:  # noqa: PYI034 -- Self needs typing at run time on 3.10
        if threading.current_thread() is not threading.main_thread():
            return self
        if os.name != "nt":
            self.handle, self._writer = os.pipe()
            os.set_blocking(self.handle, False)
            os.set_blocking(self._writer, False)
        for name in _SIGNALS:
            number = getattr(signal, name, None)
            former = None if number is None else signal.getsignal(number)
            if number is not None and former is not signal.SIG_IGN and former is not None:
                self._former[number] = signal.signal(number, self._note)
        return self

    def __exit__(self, *_: object) -> None:
        for number, former in self._former.items():
            signal.signal(number, former)
        for handle in (self.handle, self._writer):
            if handle >= 0:
                os.close(handle)
        self.handle = self._writer = -1

    def check(self) -> None:
        """End the work if a signal came.

        Raises:
            InterruptedRunError: One came.

        """
        if self._seen is not None:
            raise InterruptedRunError(f"stopped by {self._seen}; nothing recorded")

    def _note(self, number: int, _frame: object) -> None:
        self._seen = signal.Signals(number).name
        if self._writer >= 0:
            try:
                os.write(self._writer, b"\0")  # wakes every poll; nobody reads it
            except OSError:
                return
