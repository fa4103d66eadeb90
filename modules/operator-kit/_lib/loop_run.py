"""Run the criteria of a loop: all of them, each in its time, and say which failed and how."""

from __future__ import annotations

import os
import re

from hpp.core.runner import EXITED, TIMEOUT, run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from hpp.core.outcome import Outcome

__all__ = ["Failure", "failures", "failures_digest", "shown_criterion"]

TIMED_OUT, UNSTARTED = 124, 127
_KEPT = 1024 * 1024
_TAIL = 300
# How long something took differs from run to run and says nothing about why it failed.
_SECONDS = re.compile(r"\b\d{1,9}[.:]\d{1,9}(?:[.:]\d{1,9})? ?(?:s\b|sec|ms\b|min)")


class Failure:
    """A criterion that did not exit 0.

    Attributes:
        number: Its place in the list.
        criterion: As it was armed.
        exit: Its status; 124 for too long, 127 for one that could not start.
        tail: The end of what it printed.
        output: A digest of all of it, durations left out.

    """

    __slots__ = ("criterion", "exit", "number", "output", "tail")

    def __init__(
        self,
        number: int,
        criterion: Mapping[str, Any],
        exit: int,  # noqa: A002 -- the name of the field
        text: str,
    ) -> None:
        from hpp.core.portable.digest import text_digest

        self.number = number
        self.criterion = criterion
        self.exit = exit
        self.tail = text.strip()[-_TAIL:]
        self.output = text_digest(_SECONDS.sub("<time>", text))


def failures(criteria: Sequence[Mapping[str, Any]], root: str, timeout_s: float) -> list[Failure]:
    """Run every criterion in its order and return those that failed."""
    environment = {name: value for name, value in os.environ.items() if name != "HPP_SESSION_ID"}
    found: list[Failure] = []
    for number, criterion in enumerate(criteria):
        outcome = run(
            _argv(criterion),
            timeout_s=timeout_s,
            cwd=root,
            environment=environment,
            keep_stdout=_KEPT,
            keep_stderr=_KEPT,
        )
        status = _status(outcome)
        if status:
            found.append(Failure(number, criterion, status, _text(outcome)))
    return found


def failures_digest(found: Sequence[Failure]) -> str:
    """Return a digest of which criteria failed, how, and with what output."""
    from hpp.core.portable.digest import text_digest

    return text_digest("\n".join(f"{each.number} {each.exit} {each.output}" for each in found))


def shown_criterion(criterion: Mapping[str, Any]) -> str:
    """Return a criterion as a person would type it."""
    if "shell" in criterion:
        return str(criterion["shell"])
    from shlex import join

    return join(criterion["argv"])


def _argv(criterion: Mapping[str, Any]) -> list[str]:
    if "shell" not in criterion:
        return list(criterion["argv"])
    if os.name == "nt":
        return [os.environ.get("COMSPEC") or "cmd.exe", "/d", "/s", "/c", criterion["shell"]]
    return ["/bin/sh", "-c", criterion["shell"]]


def _status(outcome: Outcome) -> int:
    if outcome.ending == TIMEOUT:
        return TIMED_OUT
    if outcome.ending != EXITED or outcome.exit_code is None:
        return UNSTARTED
    return outcome.exit_code


def _text(outcome: Outcome) -> str:
    if outcome.reason:
        return outcome.reason
    data = outcome.stdout.kept + outcome.stderr.kept
    return data.decode("utf-8", "replace")
