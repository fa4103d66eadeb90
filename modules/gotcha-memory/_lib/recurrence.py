"""From single failures to lessons: what happened again, within a window of time."""

from __future__ import annotations

from _lib.family import KNOWN, STRATEGIES, STRATEGY, severity_of

from hpp.core.strictjson import JsonRefusedError, parse_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from _lib.setting import Settings

__all__ = ["Lesson", "Record", "group_count", "parse", "recurring"]

_MOST_AHEAD_S = 300
_EXCERPT = 120
_LATEST = 1e11  # the year 5138


class Record:
    """One failure, as far as recurrence needs it."""

    __slots__ = ("cmd_key", "error", "family", "session", "strategy", "task_key", "ts")

    def __init__(self, found: dict[str, Any]) -> None:
        self.ts = float(found["ts"])
        self.task_key: str = found["task_key"]
        self.family: str = found["family"]
        self.cmd_key = _text(found, "cmd_key")
        self.session = _text(found, "session")
        self.error = _text(found, "error")
        strategy = _text(found, "strategy")
        self.strategy = strategy if strategy in STRATEGIES else STRATEGY[self.family]


class Lesson:
    """What to say: something that recurs, or a rule of the person.

    Attributes:
        keys: By any of them it is found; the first one is shown.
        count: How often; 0 for a rule.
        text: Excerpt of the newest error, or the rule.
        members: Which records it comes from.

    """

    __slots__ = (
        "count", "family", "first", "keys", "last", "members", "severity", "strategy", "text",
    )  # fmt: skip

    def __init__(  # noqa: PLR0913 -- one value an attribute
        self,
        keys: tuple[str, ...],
        family: str,
        severity: int,
        text: str,
        *,
        count: int = 0,
        first: float = 0.0,
        last: float = 0.0,
        strategy: str = "",
        members: frozenset[int] = frozenset(),
    ) -> None:
        self.keys = keys
        self.family = family
        self.severity = severity
        self.text = text
        self.count = count
        self.first = first
        self.last = last
        self.strategy = strategy
        self.members = members

    def order(self) -> tuple[int, int, float, str]:
        """Return by what lessons are sorted: severity, count and last seen go down."""
        return -self.severity, -self.count, -self.last, self.keys[0]


def parse(lines: Iterable[bytes], now: float) -> tuple[list[Record], int]:
    """Return the records in lines, and how many lines are none; it never fails."""
    records: list[Record] = []
    bad = 0
    for line in lines:
        try:
            found = parse_bytes(line, "line", root=dict)
        except JsonRefusedError:
            bad += 1
            continue
        if _is_record(found, now):
            records.append(Record(found))
        else:
            bad += 1
    return records, bad


def recurring(records: Sequence[Record], settings: Settings, now: float) -> list[Lesson]:
    """Return what recurs; the two groupings of the same records are one lesson."""
    oldest = now - settings.window_hours * 3600
    groups: dict[tuple[str, str], set[int]] = {}
    for number, record in enumerate(records):
        if record.ts < oldest:
            continue
        for key in (record.task_key, record.cmd_key):
            if key:
                groups.setdefault((key, record.family), set()).add(number)
    merged: dict[tuple[str, frozenset[int]], list[str]] = {}
    for (key, family), members in groups.items():
        merged.setdefault((family, frozenset(members)), []).append(key)
    lessons = []
    for (family, numbers), keys in merged.items():
        chosen = [records[number] for number in numbers]
        if _count(chosen, settings.min_gap_seconds) >= settings.min_count:
            lessons.append(_lesson(tuple(keys), family, chosen, settings, numbers))
    return lessons


def group_count(
    records: Iterable[Record], key: str, family: str, settings: Settings, now: float
) -> int:
    """Return how often a key failed in a family within the window."""
    oldest = now - settings.window_hours * 3600
    chosen = [
        each
        for each in records
        if each.family == family and each.ts >= oldest and key in (each.task_key, each.cmd_key)
    ]
    return _count(chosen, settings.min_gap_seconds) if key else 0


def _lesson(
    keys: tuple[str, ...],
    family: str,
    chosen: list[Record],
    settings: Settings,
    numbers: frozenset[int],
) -> Lesson:
    newest = max(chosen, key=lambda record: record.ts)
    lines = newest.error.strip().splitlines()
    return Lesson(
        keys,
        family,
        severity_of(family, newest.strategy),
        lines[0][:_EXCERPT] if lines else "",
        count=_count(chosen, settings.min_gap_seconds),
        first=min(record.ts for record in chosen),
        last=newest.ts,
        strategy=newest.strategy,
        members=numbers,
    )


def _count(records: Iterable[Record], min_gap_s: float) -> int:
    """Return how many count: in one session, those too close to the one before do not."""
    if not min_gap_s:
        return sum(1 for _ in records)
    counted: dict[str, float] = {}
    count = 0
    for record in sorted(records, key=lambda each: each.ts):
        before = counted.get(record.session)
        if before is None or record.ts - before >= min_gap_s:
            counted[record.session] = record.ts
            count += 1
    return count


def _is_record(found: dict[str, Any], now: float) -> bool:
    ts = found.get("ts")
    if (
        isinstance(ts, bool)
        or not isinstance(ts, (int, float))
        or not 0 <= ts <= min(now + _MOST_AHEAD_S, _LATEST)
    ):
        return False
    family = found.get("family")
    return isinstance(found.get("task_key"), str) and isinstance(family, str) and family in KNOWN


def _text(found: dict[str, Any], key: str) -> str:
    value = found.get(key)
    return value if isinstance(value, str) else ""
