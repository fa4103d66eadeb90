"""Points in time as RFC 3339 texts, read and written without the packages that cost a start."""

from __future__ import annotations

import time

__all__ = ["DAY_S", "age", "compact", "parse", "stamp"]

DAY_S = 86400
_UNITS = ((DAY_S, "d"), (3600, "h"), (60, "min"))
_DAYS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_DIGITS = frozenset("0123456789")


def stamp(seconds: float) -> str:
    """Return a time, in seconds since 1970, as ``2026-05-01T12:00:00Z``."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def compact(seconds: float) -> str:
    """Return a time as it stands in the name of a file: ``20260501T120000Z``."""
    return time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(seconds))


def age(seconds: float) -> str:
    """Return a length of time in its largest unit; what lies ahead counts as none."""
    for size, unit in _UNITS:
        if seconds >= size:
            return f"{int(seconds // size)} {unit}"
    return f"{max(0, int(seconds))} s"


def parse(text: object) -> float | None:
    """Return the seconds since 1970 of an RFC 3339 date-time; None for anything else."""
    if type(text) is not str or len(text) < len("2026-01-01T00:00:00Z") or text[10] not in "Tt ":
        return None
    day = _day(text[:10])
    second = _second(text[11:19])
    rest = text[19:]
    if rest[:1] == ".":
        digits = len(rest[1:]) - len(rest[1:].lstrip("0123456789"))
        if not digits:
            return None
        rest = rest[1 + digits :]
    offset = _offset(rest)
    if day is None or second is None or offset is None:
        return None
    return float(day * DAY_S + second - offset)


def _day(text: str) -> int | None:
    """Return the days since 1970 of ``YYYY-MM-DD``, by the proleptic Gregorian calendar."""
    if text[4] != "-" or text[7] != "-":
        return None
    year, month, day = _number(text[:4]), _number(text[5:7]), _number(text[8:10])
    if year is None or month is None or day is None or not 1 <= month <= len(_DAYS):
        return None
    is_leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    most = 28 if month == 2 and not is_leap else _DAYS[month - 1]  # noqa: PLR2004 -- February
    if not year or not 1 <= day <= most:
        return None
    shifted = year - (month <= 2)  # noqa: PLR2004 -- the year begins in March here
    position = (month + 9) % 12
    days = shifted * 365 + shifted // 4 - shifted // 100 + shifted // 400
    return days + (position * 306 + 5) // 10 + day - 1 - 719468


def _second(text: str) -> int | None:
    if text[2] != ":" or text[5] != ":":
        return None
    hour, minute, second = _number(text[:2]), _number(text[3:5]), _number(text[6:8])
    if hour is None or minute is None or second is None:
        return None
    if hour > 23 or minute > 59 or second > 60:  # noqa: PLR2004 -- a clock; 60 is a leap second
        return None
    return hour * 3600 + minute * 60 + second


def _offset(text: str) -> int | None:
    if text in ("Z", "z"):
        return 0
    if len(text) != len("+00:00") or text[0] not in "+-":
        return None
    second = _second(f"{text[1:]}:00")
    if second is None:
        return None
    return second if text[0] == "+" else -second


def _number(text: str) -> int | None:
    return int(text) if text and _DIGITS.issuperset(text) else None
