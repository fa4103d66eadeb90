"""Run declared commands and say by their exit statuses how they came out."""

from __future__ import annotations

import math
import os
import sys

from hpp.core.errors import RefusedError
from hpp.core.portable.redact import shown
from hpp.core.runner import EXITED, TIMEOUT, run
from hpp.core.text import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from _lib.commandtext import Declared

    from hpp.core.runner import Outcome

__all__ = ["Measured", "checked_seconds", "echo", "measure"]

TIMED_OUT, NOT_STARTED = 124, 127
TAIL = 400
_KEPT = 8 * 1024
_LONGEST_S = 24 * 3600


class Measured:
    """How one command came out.

    Attributes:
        declared: What was run.
        exit: Its status; 124 when its time was over, 127 when it could not start, 128 + N
            when signal N ended it.
        timed_out: Its time was over.
        seconds: How long it took.
        tail: The end of what it wrote, secrets masked.

    """

    __slots__ = ("declared", "exit", "seconds", "tail", "timed_out")

    def __init__(self, declared: Declared, outcome: Outcome) -> None:
        self.declared = declared
        self.timed_out = outcome.ending == TIMEOUT
        self.exit = _status(outcome)
        self.seconds = round(outcome.duration_s, 3)
        self.tail = _tail(outcome)

    @property
    def passed(self) -> bool:
        """Say whether it left with 0."""
        return self.exit == 0

    def document(self) -> dict[str, Any]:
        """Return the result as reports list it."""
        return {
            "cmd": shown(self.declared.text),
            "argv": [shown(word) for word in self.declared.argv],
            "passed": self.passed,
            "exit": self.exit,
            "seconds": self.seconds,
            "timed_out": self.timed_out,
            "tail": self.tail,
        }

    def line(self) -> str:
        """Return the result in a line."""
        ended = "timed out" if self.timed_out else f"exit {self.exit}"
        return f"{'ok' if self.passed else 'FAILED'} ({ended}) {shown(self.declared.text)}"


def measure(declared: Declared, root: str, timeout_s: float) -> Measured:
    """Say what is run, run it in a folder with its standard input closed, and tell.

    Raises:
        RefusedError: A batch file whose arguments cannot be passed safely (Windows).
        InterruptedRunError: Somebody stopped us; what ran was ended.

    """
    echo(declared.text)
    outcome = run(
        declared.argv,
        timeout_s=timeout_s,
        cwd=root,
        environment=_environment(root),
        keep_stdout=_KEPT,
        keep_stderr=_KEPT,
        tail_stdout=True,
    )
    return Measured(declared, outcome)


def echo(text: str) -> None:
    """Tell a person which command is about to run."""
    sys.stderr.write(f"+ {printable(shown(text))}\n")
    sys.stderr.flush()


def checked_seconds(value: float, where: str) -> float:
    """Return a limit in seconds.

    Raises:
        RefusedError: It is not more than 0, or longer than a day.

    """
    if not math.isfinite(value) or not 0 < value <= _LONGEST_S:
        raise RefusedError(f"{where}: expected seconds, more than 0 and at most {_LONGEST_S}")
    return value


def _environment(root: str) -> dict[str, str]:
    # A criterion has no business with the session that asked for it.
    kept = {name: value for name, value in os.environ.items() if name != "HPP_SESSION_ID"}
    return {**kept, "PWD": root}


def _status(outcome: Outcome) -> int:
    if outcome.ending == TIMEOUT:
        return TIMED_OUT
    if outcome.ending != EXITED or outcome.exit_code is None:
        return NOT_STARTED
    return outcome.exit_code if outcome.exit_code >= 0 else 128 - outcome.exit_code


def _tail(outcome: Outcome) -> str:
    if outcome.reason:
        return shown(outcome.reason)[-TAIL:]
    data = outcome.stdout.kept + outcome.stderr.kept
    text = data.decode("utf-8", "replace").replace("\r\n", "\n").strip()
    # Masked first: half a secret at the cut might not look like one.
    return shown(text)[-TAIL:].lstrip()
