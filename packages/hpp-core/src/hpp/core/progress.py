"""A line on a terminal that says how far a long command is; nothing anywhere else."""

from __future__ import annotations

import sys
import threading
import time

from hpp.core.text import shorten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType
    from typing import TextIO

__all__ = ["Progress", "terminal"]

_QUIET_S = 1.0
_BETWEEN_S = 0.2
_CLEAR = "\r\x1b[K"


class Progress:
    """Shows ``done/total`` on a terminal once the work has taken longer than a second.

    The line is drawn by a thread, since a single run may take minutes, and is wiped at the
    end, so that it never stands between two lines of output.

    Args:
        stream: Standard error when it is a terminal; None shows nothing.
        unit: What is counted, in the plural.
        quiet_s: Seconds before the first line.
        between_s: Seconds between two lines.

    """

    def __init__(
        self,
        stream: TextIO | None,
        *,
        unit: str = "runs",
        quiet_s: float = _QUIET_S,
        between_s: float = _BETWEEN_S,
    ) -> None:
        self._stream = stream
        self._unit = unit
        self._quiet_s = quiet_s
        self._between_s = between_s
        self._line = ""
        self._drawn = False
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Progress:  # noqa: PYI034 -- Self needs typing at run time on 3.10
        if self._stream is not None:
            self._thread = threading.Thread(target=self._draw, daemon=True)
            self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._over.set()
        if self._thread is not None:
            self._thread.join()
            if self._drawn:
                self._write(_CLEAR)

    def tell(self, done: int, total: int, name: str = "") -> None:
        """Say how far the work is and what comes next, where that is known."""
        coming = f", now {shorten(name, 40)}" if name else ""
        self._line = f"{done}/{total} {self._unit}{coming}"

    def _draw(self) -> None:
        started = time.monotonic()
        wait_s = self._quiet_s
        while not self._over.wait(wait_s):
            wait_s = self._between_s
            self._write(f"{_CLEAR}{self._line} ({time.monotonic() - started:.0f} s)")
            self._drawn = True

    def _write(self, text: str) -> None:
        assert self._stream is not None  # noqa: S101 -- there is no thread without it
        try:
            self._stream.write(text)
            self._stream.flush()
        except (OSError, ValueError):  # a terminal that went away is no reason to stop
            self._over.set()


def terminal(environment: Mapping[str, str]) -> TextIO | None:
    """Return standard error when a moving line can be shown on it, else None."""
    stream = sys.stderr
    if stream is None or environment.get("TERM") == "dumb" or environment.get("CI"):
        return None
    try:
        return stream if stream.isatty() else None
    except ValueError:  # it is closed
        return None
