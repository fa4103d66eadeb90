"""A declared program that stays alive and answers one line with one line.

It is started when the first question comes and again after every question that it did not
answer: whatever happened, the process tree of that start is ended first. Memory is bounded
by the longest answer that is allowed.

Standard output is for answers alone. Where anything else is found there, an answer may have
been taken for that of another question, so no answer of that process can be trusted; which
ones those are is known at the latest when the dialogue is closed.
"""

from __future__ import annotations

import os
import time

from hpp.core.outcome import EXITED, TIMEOUT, UNSTARTED, StartError
from hpp.core.reply import ANSWERED, TOO_LONG, Reply
from hpp.core.runner import STDERR_TAIL, Sink

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import TracebackType
    from typing import Any

    from hpp.core.interruption import Interruption

__all__ = ["LONGEST_ANSWER", "Dialogue"]

LONGEST_ANSWER = 8 * 1024 * 1024


class Dialogue:
    """Asks a program, over and over; a context that leaves no process behind.

    Args:
        argv: Program and arguments; no shell reads them.
        interruption: What the main thread entered; a signal ends the dialogue.
        cwd: Working folder; None is this process's.
        longest: Most bytes of one answer, without its line end.
        own_children: This process starts nothing else meanwhile.

    Attributes:
        out_of_step: The starts (see `Reply.process`) whose answers cannot be trusted;
            complete once the dialogue was closed.

    """

    def __init__(
        self,
        argv: Sequence[str],
        *,
        interruption: Interruption,
        cwd: str | None = None,
        longest: int = LONGEST_ANSWER,
        own_children: bool = False,
    ) -> None:
        self.out_of_step: set[int] = set()
        self._argv = list(argv)
        self._interruption = interruption
        self._cwd = cwd
        self._longest = longest
        self._own_children = own_children
        self._process = 0
        self._talk: Any = None  # of this system
        self._stderr = Sink(STDERR_TAIL, tail=True)

    def __enter__(self) -> Dialogue:  # noqa: PYI034 -- Self needs typing at run time on 3.10
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        talk, self._talk = self._talk, None
        if talk is None:
            return
        if kind is not None:
            talk.stop()
            return
        try:
            is_stray = talk.finish()
        except BaseException:
            talk.stop()
            raise
        if is_stray:
            self.out_of_step.add(self._process)

    def ask(self, line: bytes, timeout_s: float) -> Reply:
        """Send a line, which is ended here, and wait for one.

        Args:
            line: The question, without a line feed.
            timeout_s: Seconds for the answer, and for the start when one is needed.

        Returns:
            The answer without its line feed, or why there is none.

        Raises:
            InterruptedRunError: A signal came; the tree was ended.

        """
        deadline = time.monotonic() + timeout_s
        if self._talk is not None and self._talk.is_out_of_step():
            self.out_of_step.add(self._process)
            self._end()
        if self._talk is None:
            reason = self._start()
            if reason is not None:
                return Reply(UNSTARTED, reason=reason, process=self._process)
        ending, answer = self._talk.exchange(line + b"\n", deadline)
        if ending == ANSWERED:
            return Reply(ANSWERED, text=answer, process=self._process)
        return self._failed(ending, timeout_s)

    def _start(self) -> str | None:
        """Start the program; return why it could not be."""
        self._process += 1
        self._stderr = Sink(STDERR_TAIL, tail=True)
        try:
            self._talk = _system()(
                self._argv,
                cwd=self._cwd,
                longest=self._longest,
                stderr=self._stderr,
                own_children=self._own_children,
                signals=self._interruption,
            )
        except StartError as error:
            return str(error)
        return None

    def _failed(self, ending: str, timeout_s: float) -> Reply:
        talk = self._talk
        if ending == EXITED:
            talk.settle()
        self._end()
        reasons = {
            TIMEOUT: f"{timeout_s:g} s",
            TOO_LONG: f"{self._longest // (1024 * 1024)} MiB",
        }
        return Reply(
            ending,
            exit_code=talk.exit_code if ending == EXITED else None,
            reason=reasons.get(ending, ""),
            stderr=self._stderr.stream().kept,
            process=self._process,
        )

    def _end(self) -> None:
        talk, self._talk = self._talk, None
        talk.stop()


def _system() -> Callable[..., Any]:
    if os.name == "nt":
        from hpp.core.windowstalk import begin

        return begin
    from hpp.core.posixtalk import Talk

    return Talk
