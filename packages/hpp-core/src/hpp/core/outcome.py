"""What a run of another program came to."""

from __future__ import annotations

__all__ = [
    "EXITED",
    "TIMEOUT",
    "UNSTARTED",
    "Outcome",
    "StartError",
    "Stream",
    "last_line",
    "stderr_tail",
]

EXITED = "exited"
TIMEOUT = "timeout"
UNSTARTED = "could-not-start"
_TAIL_CHARS = 200


class StartError(Exception):
    """A program could not be started; the text says why."""


class Stream:
    """One output stream, hashed as it was read.

    Attributes:
        bytes: How many were read.
        sha256: Their hash, in lower-case hexadecimal digits.
        kept: What was asked to be kept of them.
        overflow: Whether there was more than what may be kept.

    """

    __slots__ = ("bytes", "kept", "overflow", "sha256")

    def __init__(self, count: int, sha256: str, kept: bytes, *, overflow: bool) -> None:
        self.bytes = count
        self.sha256 = sha256
        self.kept = kept
        self.overflow = overflow


class Outcome:
    """The end of a run.

    Attributes:
        ending: ``exited``, ``timeout`` or ``could-not-start``.
        exit_code: Of a program that exited; ``-N`` when signal N ended it; else None.
        reason: Why it could not start; else an empty text.
        duration_s: Wall seconds.
        stdout, stderr: What it wrote.

    """

    __slots__ = ("duration_s", "ending", "exit_code", "reason", "stderr", "stdout")

    def __init__(  # noqa: PLR0913 -- one value an attribute
        self,
        ending: str,
        *,
        exit_code: int | None,
        reason: str,
        duration_s: float,
        stdout: Stream,
        stderr: Stream,
    ) -> None:
        self.ending = ending
        self.exit_code = exit_code
        self.reason = reason
        self.duration_s = duration_s
        self.stdout = stdout
        self.stderr = stderr


def stderr_tail(outcome: Outcome) -> str:
    """Return the last line of standard error that says something, fit for a report."""
    return last_line(outcome.stderr.kept)


def last_line(kept: bytes) -> str:
    """Return the last line of what was kept of standard error, fit for a report.

    Nothing of it is shown when what was kept looks like it holds a secret.
    """
    from hpp.core.secret import find

    text = kept.decode("utf-8", "replace")
    lines = [line.strip() for line in text.splitlines()]
    last = next((line for line in reversed(lines) if line), None)
    if last is None:
        return "no stderr"
    if find(text):
        return "stderr withheld: secret-like text"
    return "".join(char for char in last if char.isprintable())[:_TAIL_CHARS]
