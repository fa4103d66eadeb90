"""One run: probe what a person allowed, write the cache, and judge it; or only read it."""

from __future__ import annotations

from _lib.approval import is_approved
from _lib.cache_store import write_cache
from _lib.health_core import OK, exit_code, read_cache, summary
from _lib.sweep import Found, entry_of, sweep
from _lib.target import shown_target

from hpp.core.errors import RefusedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from _lib.probe import Probe
    from _lib.setting import Settings
    from _lib.sweep import Ask

__all__ = ["Judged", "judge_cache", "monitors", "probe_all"]


class Judged:
    """What a run or a look at the cache comes to.

    Attributes:
        status: The exit code.
        line: Both questions in one line.
        services, feeds: Entries by name.
        state: State of the cache.

    """

    __slots__ = ("feeds", "line", "services", "state", "status")

    def __init__(
        self,
        status: int,
        line: str,
        services: dict[str, dict[str, Any]],
        feeds: dict[str, dict[str, Any]],
        state: str = OK,
    ) -> None:
        self.status = status
        self.line = line
        self.services = services
        self.feeds = feeds
        self.state = state


def probe_all(  # noqa: PLR0913 -- keywords, all but four with a default
    settings: Settings,
    asks: Mapping[str, Ask],
    now: float,
    limit_s: float,
    *,
    only: Sequence[str] = (),
    allow_unanchored: bool = False,
    check: Callable[[], None] = lambda: None,
) -> Judged:
    """Probe, write the cache, and return what it comes to.

    Args:
        settings: What to probe.
        asks: How each type is asked.
        now: Unix seconds.
        limit_s: Most seconds for all together.
        only: Names of the probes to ask; none for all.
        allow_unanchored: A person said so where no git folder could hold an approval.
        check: Called again and again; it raises when a person stops the run.

    Raises:
        RefusedError: A name is not configured, or the trust cannot be read.
        MachineError: The cache cannot be written.

    """
    names = {probe.name for probe in settings.probes}
    for name in only:
        if name not in names:
            raise RefusedError(f"--only: there is no probe {name!a}")
    chosen = [probe for probe in settings.probes if not only or probe.name in only]
    may_ask = any(probe.needs_approval for probe in chosen) and _may_ask(
        settings, allow_unanchored=allow_unanchored
    )
    allowed = [probe for probe in chosen if may_ask or not probe.needs_approval]
    found = sweep(allowed, settings.root, asks, limit_s, check)
    before = read_cache(settings.cache, now)
    known = {**before.services, **before.feeds}
    entries = {
        probe.name: entry_of(
            probe,
            found.get(probe.name, Found(reason="unapproved")),
            now,
            known.get(probe.name, {}),
        )
        for probe in chosen
    }
    for probe in settings.probes:
        kept = _kept(known.get(probe.name), settings, now)
        if probe.name not in entries and kept is not None:
            entries[probe.name] = kept
    services, feeds = _parted(settings.probes, entries)
    write_cache(settings, now, services, feeds)
    return _judged(settings.probes, services, feeds)


def judge_cache(settings: Settings, now: float, max_age_s: float | None = None) -> Judged:
    """Return what the cache comes to; nothing is probed."""
    cache = read_cache(settings.cache, now, max_age_s)
    if cache.state == OK:
        services = {p.name: cache.services[p.name] for p in settings.probes if p.is_service
                    and p.name in cache.services}  # fmt: skip
        feeds = {p.name: cache.feeds[p.name] for p in settings.probes if not p.is_service
                 and p.name in cache.feeds}  # fmt: skip
        return _judged(settings.probes, services, feeds)
    has_block = any(probe.severity == "block" for probe in settings.probes)
    return Judged(2 if has_block else 1, f"cache {cache.state}", {}, {}, cache.state)


def monitors(settings: Settings, now: float) -> list[dict[str, Any]]:
    """Return the probes as monitors; a signal that nobody has seen is left out."""
    cache = read_cache(settings.cache, now)
    listed = []
    for probe in settings.probes:
        if probe.is_service:
            signal = cache.services.get(probe.name, {}).get("last_up")
            freshness = 2 * probe.cadence
        else:
            signal = cache.feeds.get(probe.name, {}).get("last_signal")
            freshness = int(-(-probe.freshness // 1))
        monitor: dict[str, Any] = {
            "id": probe.name,
            "target": shown_target(probe.type, probe.target),
            "type": "command" if probe.is_service else "timestamp",
            "cadence": probe.cadence,
            "freshness": freshness,
            "severity": probe.severity,
            "cost": probe.cost,
            "consumer_gate": probe.consumer_gate,
        }
        if isinstance(signal, (int, float)):
            monitor["last_signal"] = int(signal)
        listed.append(monitor)
    return listed


def _may_ask(settings: Settings, *, allow_unanchored: bool) -> bool:
    answer = is_approved(settings.probes, settings.root)
    return allow_unanchored if answer is None else answer


def _kept(entry: dict[str, Any] | None, settings: Settings, now: float) -> dict[str, Any] | None:
    """Return an entry of the former cache that is still current by its own age."""
    if entry is None:
        return None
    probed_at = entry.get("probed_at")
    is_time = isinstance(probed_at, (int, float)) and not isinstance(probed_at, bool)
    return entry if is_time and abs(now - probed_at) <= settings.ttl_s else None  # type: ignore[operator] # it is a number


def _parted(
    probes: Sequence[Probe], entries: dict[str, dict[str, Any]]
) -> tuple[dict[str, dict[str, Any]], dict[str, dict[str, Any]]]:
    services = {p.name: entries[p.name] for p in probes if p.is_service and p.name in entries}
    feeds = {p.name: entries[p.name] for p in probes if not p.is_service and p.name in entries}
    return services, feeds


def _judged(
    probes: Sequence[Probe],
    services: dict[str, dict[str, Any]],
    feeds: dict[str, dict[str, Any]],
) -> Judged:
    # What is configured and not in the cache was not probed: unknown, and never good.
    entries = {**services, **feeds}
    pairs = [(entries.get(p.name, {"status": "unknown"})["status"], p.severity) for p in probes]
    return Judged(exit_code(pairs), summary(services, feeds), services, feeds)
