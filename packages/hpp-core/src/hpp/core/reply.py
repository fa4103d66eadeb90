"""What a declared program said to one question, whichever way it was asked."""

from __future__ import annotations

from hpp.core.outcome import EXITED, TIMEOUT, UNSTARTED, last_line

__all__ = ["ANSWERED", "OUT_OF_STEP", "TOO_LONG", "Reply"]

ANSWERED = "answered"
TOO_LONG = "too-long"
OUT_OF_STEP = "out-of-step"


class Reply:
    """The end of one question.

    Attributes:
        ending: ``answered``, ``timeout``, ``exited`` (before it answered, or with another
            code than 0), ``could-not-start``, ``too-long`` or ``out-of-step``.
        text: The bytes of the answer; empty unless it answered.
        exit_code: Of a program that ended; ``-N`` when signal N ended it; None when it still
            ran or cannot be known.
        reason: Why it could not start, or how long the limit was; see `fault`.
        stderr: The end of its standard error.
        process: Which start of the program answered, counted from 1.

    """

    __slots__ = ("ending", "exit_code", "process", "reason", "stderr", "text")

    def __init__(  # noqa: PLR0913 -- one value an attribute
        self,
        ending: str,
        *,
        text: bytes = b"",
        exit_code: int | None = None,
        reason: str = "",
        stderr: bytes = b"",
        process: int = 1,
    ) -> None:
        self.ending = ending
        self.text = text
        self.exit_code = exit_code
        self.reason = reason
        self.stderr = stderr
        self.process = process

    def fault(self) -> str | None:
        """Return why there is no answer to judge, in one line, or None when there is one."""
        if self.ending == ANSWERED:
            return None if self.text.strip() else "it printed nothing"
        if self.ending == EXITED:
            code = f" with exit code {self.exit_code}" if self.exit_code else ""
            return f"it ended{code} before it answered: {last_line(self.stderr)}"
        return {
            UNSTARTED: f"it could not start: {self.reason}",
            TIMEOUT: f"no answer within {self.reason}",
            TOO_LONG: f"it printed more than {self.reason}",
            OUT_OF_STEP: "it printed lines that nobody asked for, so none of its answers counts",
        }[self.ending]
