"""Run another program: no shell, a time limit, the whole tree ended, output never trusted.

Every command that a person declares runs through here. Its output is hashed as a stream,
so memory does not grow with it; what a report needs is kept up to a limit.
"""

from __future__ import annotations

import hashlib
import os
import time
from contextlib import nullcontext

from hpp.core.errors import RefusedError
from hpp.core.interruption import Interruption
from hpp.core.outcome import EXITED, TIMEOUT, UNSTARTED, Outcome, Stream, stderr_tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

__all__ = ["EXITED", "TIMEOUT", "UNSTARTED", "Outcome", "Sink", "Stream", "run", "stderr_tail"]

STDERR_TAIL = 64 * 1024


class Sink:
    """Takes the bytes of one stream: counts and hashes all, keeps some.

    Args:
        keep: Most bytes kept; None keeps none.
        tail: Keep the last bytes, not the first.

    """

    def __init__(self, keep: int | None, *, tail: bool = False) -> None:
        self._hasher = hashlib.sha256()
        self._kept = bytearray()
        self._keep = keep or 0
        self._tail = tail
        self.count = 0

    @property
    def overflow(self) -> bool:
        """Say whether more came than may be kept."""
        return self.count > self._keep

    def take(self, data: bytes | memoryview) -> None:
        """Add what was read."""
        self._hasher.update(data)
        self.count += len(data)
        if self._tail:
            self._kept += data[-self._keep :] if self._keep else b""
            del self._kept[: -self._keep or None]
        elif len(self._kept) < self._keep:
            self._kept += data[: self._keep - len(self._kept)]

    def stream(self) -> Stream:
        """Return what came."""
        return Stream(
            self.count, self._hasher.hexdigest(), bytes(self._kept), overflow=self.overflow
        )


def _system() -> Callable[..., tuple[str, int | None, str]]:
    if os.name == "nt":
        from hpp.core.windowsrun import run_child
    else:
        from hpp.core.posixrun import run_child
    return run_child


def run(  # noqa: PLR0913 -- keywords, all but the limit with a default
    argv: Sequence[str],
    *,
    timeout_s: float,
    cwd: str | None = None,
    environment: Mapping[str, str] | None = None,
    input_bytes: bytes | None = None,
    keep_stdout: int | None = None,
    keep_stderr: int = STDERR_TAIL,
    tail_stdout: bool = False,
    own_children: bool = False,
    interruption: Interruption | None = None,
) -> Outcome:
    """Run a program to its end, or to its time limit.

    Args:
        argv: Program and arguments; no shell reads them.
        timeout_s: Seconds; when they are over, the program and what descends from it are
            asked to stop, and killed half a second later. The call returns within three
            seconds of the limit even if something cannot be killed.
        cwd: Working folder; None is this process's.
        environment: Every variable that the program sees; None is this process's own.
        input_bytes: Fed to standard input; None closes it.
        keep_stdout: Most bytes of standard output to keep; the rest is read, hashed and
            marked as overflow.
        keep_stderr: How much of the end of standard error to keep.
        tail_stdout: Keep the end of standard output too, not its beginning.
        own_children: This process starts nothing else meanwhile, so that every process it
            adopts descends from this program.
        interruption: What the main thread entered, when other threads run programs; None
            watches for signals during this run alone.

    Returns:
        How it ended. A program that exited and left a child on its pipes is not waited for
        longer than a second, and the child is left running.

    Raises:
        RefusedError: A batch file whose arguments cannot be passed safely (Windows).
        InterruptedRunError: SIGINT, SIGTERM or SIGHUP came; the tree was stopped.

    """
    if not argv or any("\0" in word for word in argv):
        raise RefusedError("a program to run needs a name, and no argument holds NUL")
    sinks = (Sink(keep_stdout, tail=tail_stdout), Sink(keep_stderr, tail=True))
    started = time.monotonic()
    with nullcontext(interruption) if interruption else Interruption() as signals:
        ending, exit_code, reason = _system()(
            list(argv),
            cwd=cwd,
            environment=environment,
            input_bytes=input_bytes,
            sinks=sinks,
            deadline=started + timeout_s,
            own_children=own_children,
            signals=signals,
        )
    return Outcome(
        ending,
        exit_code=exit_code,
        reason=reason,
        duration_s=time.monotonic() - started,
        stdout=sinks[0].stream(),
        stderr=sinks[1].stream(),
    )
