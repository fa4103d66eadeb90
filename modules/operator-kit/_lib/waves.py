"""Waves of a work graph cut into batches, and what a rate limit looks like."""

from __future__ import annotations

from hpp.core.portable import profile_loader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from _lib.setting import Setting

    from hpp.core.workgraph import WorkGraph

__all__ = ["batches", "limits", "signal_in"]

_SIGNALS = ("429", "rate limit", "quota", "overloaded")
_FALLBACKS = ("abort", "retry-backoff", "sequential-local")
_MOST = 1000


def limits(setting: Setting) -> dict[str, Any]:
    """Return the limits in effect, defaults included.

    Raises:
        RefusedError: A value of the profile is of another type or out of range.

    """
    values = setting.values
    agents = profile_loader.integer(values, "concurrency.max_agents", 3, 1, _MOST)
    return {
        "max_agents": agents,
        "wave_size": profile_loader.integer(values, "concurrency.wave_size", agents, 1, _MOST),
        "rate_limit_signals": profile_loader.texts(
            values, "concurrency.rate_limit_signals", _SIGNALS
        ),
        "fallback": profile_loader.text(
            values, "concurrency.fallback", "sequential-local", _FALLBACKS
        ),
        "backoff_seconds": profile_loader.integer(values, "concurrency.backoff_seconds", 30, 0),
    }


def batches(graph: WorkGraph, size: int) -> Iterator[dict[str, Any]]:
    """Yield the batches: units of one wave, at most so many, in the order of their ids."""
    number = 0
    for wave, units in enumerate(graph.waves, 1):
        ids = [unit.id for unit in units]
        for start in range(0, len(ids), size):
            number += 1
            yield {"batch": number, "wave": wave, "work": ids[start : start + size]}


def signal_in(text: str, signals: Sequence[str]) -> str | None:
    """Return the first signal that a text holds; a signal of digits is a whole number."""
    lowered = text.casefold()
    for signal in signals:
        wanted = signal.casefold()
        at = lowered.find(wanted) if wanted else -1
        while at >= 0:
            around = lowered[max(0, at - 1) : at] + lowered[at + len(wanted) :][:1]
            if not (wanted.isdecimal() and any(char.isdecimal() for char in around)):
                return signal
            at = lowered.find(wanted, at + 1)
    return None
