"""Whether a check says the same every time, and whether it can say no."""

from __future__ import annotations

import re

from hpp.core.canonical import sha256_hex
from hpp.core.errors import RefusedError
from hpp.core.runner import EXITED, run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from _lib.commandtext import Declared

    Rule = tuple[re.Pattern[str], str]

__all__ = ["judge", "read_rules", "repeat"]

_MOST_OUTPUT = 16 * 1024 * 1024
_OVERFLOW = "too-much-output"


def read_rules(texts: Sequence[str]) -> list[Rule]:
    """Return what is put in the place of what; the last ``=`` parts a rule.

    Raises:
        RefusedError: One has no ``=``, or no regular expression before it.

    """
    found = []
    for text in texts:
        pattern, sign, instead = text.rpartition("=")
        if not sign or not pattern:
            raise RefusedError(f"--normalise: {text!r}: expected REGEX=TEXT")
        try:
            found.append((re.compile(pattern), instead))
        except re.error as error:
            raise RefusedError(f"--normalise: {pattern!r}: {error}") from None
    return found


def repeat(
    command: Declared, times: int, rules: Sequence[Rule], root: str, timeout_s: float
) -> list[dict[str, Any]]:
    """Run a command so many times; return ending, status and digest of each run."""
    from _lib.measure import echo

    found = []
    for _ in range(times):
        echo(command.text)
        outcome = run(command.argv, timeout_s=timeout_s, cwd=root, keep_stdout=_MOST_OUTPUT)
        ending = _OVERFLOW if outcome.stdout.overflow else outcome.ending
        digest = sha256_hex(_normal(outcome.stdout.kept, rules))
        found.append({"ending": ending, "exit": outcome.exit_code, "digest": digest})
    return found


def judge(runs: Sequence[dict[str, Any]], negative: dict[str, Any] | None) -> dict[str, Any]:
    """Return the verdict on runs and on the control that has to fail."""
    digests = sorted({each["digest"] for each in runs})
    reasons = []
    if any(each["ending"] != EXITED for each in runs):
        endings = sorted({each["ending"] for each in runs} - {EXITED})
        reasons.append(f"a run did not end by itself: {', '.join(endings)}")
    if any(each["ending"] == EXITED and each["exit"] != 0 for each in runs):
        reasons.append("a run did not exit 0")
    if len(digests) > 1:
        reasons.append(f"{len(digests)} different outputs in {len(runs)} runs")
    if negative is not None and negative["ending"] != EXITED:
        reasons.append(f"the negative control proves nothing: {negative['ending']}")
    elif negative is not None and negative["exit"] == 0:
        reasons.append("the negative control passed: the check cannot say no")
    return {
        "passed": not reasons,
        "runs": len(runs),
        "distinct": len(digests),
        "digests": digests,
        "exits": [each["exit"] for each in runs],
        "negative": negative,
        "reasons": reasons,
    }


def _normal(data: bytes, rules: Sequence[Rule]) -> bytes:
    unified = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if not rules:
        return unified
    text = unified.decode("utf-8", "surrogateescape")
    for pattern, instead in rules:
        text = pattern.sub(lambda _, put=instead: put, text)  # type: ignore[misc]  # bound early
    return text.encode("utf-8", "surrogateescape")
