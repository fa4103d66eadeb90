"""Bounds on numbers that a person types, alike in every family."""

from __future__ import annotations

from hpp.core.errors import RefusedError

__all__ = ["LONGEST_TIMEOUT_S", "check_count", "check_timeout"]

LONGEST_TIMEOUT_S = 86400


def check_timeout(seconds: float) -> None:
    """Check the value of ``--timeout``.

    Raises:
        RefusedError: It is not finite, not above 0, or longer than a day.

    """
    if not 0 < seconds <= LONGEST_TIMEOUT_S:
        told = f"expected more than 0 and at most {LONGEST_TIMEOUT_S} seconds"
        raise RefusedError(f"--timeout {seconds:g}: {told}")


def check_count(name: str, count: int) -> None:
    """Check the most that something may number.

    Raises:
        RefusedError: It is below 0.

    """
    if count < 0:
        raise RefusedError(f"{name}: expected 0 or more, got {count}")
