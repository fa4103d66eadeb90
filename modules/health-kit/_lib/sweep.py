"""Ask all probes at once, under one deadline, and say what came of each.

One bad probe stops no other, and at the deadline what has not answered is unknown, so
that a slow service never leaves yesterday's answer standing.
"""

from __future__ import annotations

import queue
import threading
import time

from _lib.health_core import data_status, read_data
from _lib.probe import FILES
from _lib.target import shown_target

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from _lib.probe import Probe

    Ask = Callable[[Probe, float], "Found"]

__all__ = ["Found", "entry_of", "sweep"]

WORKERS = 8
_LOOK_S = 0.1
_GRACE_S = 1.0  # so that a probe's own time limit is told as such


class Found:
    """What one probe found.

    Attributes:
        status: Of a service; of data nothing, for the signal's age decides.
        reason: Code of what went wrong, or an empty text.
        signal: Unix seconds that the data tell, or None.
        latency_ms: How long a service took to answer; None when it was not asked.

    """

    __slots__ = ("latency_ms", "reason", "signal", "status")

    def __init__(
        self,
        status: str = "unknown",
        reason: str = "",
        *,
        signal: float | None = None,
        latency_ms: int | None = None,
    ) -> None:
        self.status = status
        self.reason = reason
        self.signal = signal
        self.latency_ms = latency_ms


def sweep(
    probes: Sequence[Probe],
    root: str,
    ask: Mapping[str, Ask],
    limit_s: float,
    check: Callable[[], None] = lambda: None,
) -> dict[str, Found]:
    """Return what each probe found, by name.

    Args:
        probes: Those that may be asked.
        root: The project's folder.
        ask: How each type is asked; it is given the seconds that are left for it.
        limit_s: Most seconds for all together.
        check: Called again and again; it raises when a person stops the run.

    """
    ends = time.monotonic() + min(limit_s, sum(probe.timeout for probe in probes) + _GRACE_S)
    waiting: queue.SimpleQueue[Probe] = queue.SimpleQueue()
    answers: queue.SimpleQueue[tuple[str, Found]] = queue.SimpleQueue()
    for probe in probes:
        waiting.put(probe)

    def work() -> None:
        while True:
            try:
                probe = waiting.get_nowait()
            except queue.Empty:
                return
            left = min(probe.timeout, ends - time.monotonic())
            found = _asked(probe, root, ask, left) if left > 0 else Found(reason="deadline")
            answers.put((probe.name, found))

    for _ in range(min(WORKERS, len(probes))):
        threading.Thread(target=work, daemon=True).start()
    found: dict[str, Found] = {}
    while len(found) < len(probes):
        check()
        left = ends - time.monotonic()
        try:
            name, answer = answers.get(timeout=max(0.0, min(left, _LOOK_S)))
        except queue.Empty:
            if left <= 0:
                break
        else:
            found[name] = answer
    return {probe.name: found.get(probe.name, Found(reason="deadline")) for probe in probes}


def entry_of(probe: Probe, found: Found, now: float, before: dict[str, Any]) -> dict[str, Any]:
    """Return what the cache says of a probe.

    Args:
        probe: The probe.
        found: What it found.
        now: Unix seconds.
        before: Its entry of the former cache, for when a service was last up.

    """
    reason = found.reason or None
    if probe.is_service:
        is_up = found.status == "up"
        return {
            "online": is_up,
            "status": found.status,
            "type": probe.type,
            "target": shown_target(probe.type, probe.target),
            "latency_ms": found.latency_ms,
            "last_up": int(now) if is_up else before.get("last_up"),
            "reason": reason,
            "severity": probe.severity,
            "probed_at": int(now),
        }
    signal = found.signal
    known = signal is not None
    status = (
        data_status(signal, now, probe.freshness, probe.skew_tolerance)
        if signal is not None
        else "unknown"
    )
    return {
        "status": status,
        "last_signal": int(signal) if signal is not None else None,
        "age_seconds": int(now - signal) if signal is not None else None,
        "freshness": probe.freshness if probe.freshness % 1 else int(probe.freshness),
        "reason": None if known else reason,
        "severity": probe.severity,
        "probed_at": int(now),
    }


def _asked(probe: Probe, root: str, ask: Mapping[str, Ask], left_s: float) -> Found:
    try:
        if probe.type in FILES:
            signal, reason = read_data(probe, root)
            return Found(signal=signal, reason=reason)
        return ask[probe.type](probe, left_s)
    except Exception:  # noqa: BLE001 -- a probe that fails in a new way is unknown, no more
        return Found(reason="unparsable")
