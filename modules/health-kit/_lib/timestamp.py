"""A moment in time, as data tell it: Unix seconds, or RFC 3339 with a zone."""

from __future__ import annotations

import math
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["MISSING", "NO_ZONE", "UNPARSABLE", "at_field", "field_steps", "seconds_of"]

MISSING, UNPARSABLE, NO_ZONE = "missing", "unparsable", "no-zone"
_MILLISECONDS_FROM = 1e11
_LATEST = 2.5e11  # in seconds; the last year that RFC 3339 can tell is 9999
_NUMBER = re.compile(r"[0-9]{1,15}(?:\.[0-9]{1,9})?")
_RFC3339 = re.compile(
    r"(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2}:\d{2})(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})?", re.ASCII
)
_STEP = re.compile(r"([^.\[\]]+)((?:\[\d{1,6}\])*)(?:\.|$)")


def seconds_of(value: object, *, is_header: bool = False) -> tuple[float | None, str]:
    """Return Unix seconds, or None and the reason.

    Args:
        value: What stands in the data.
        is_header: It is the value of an HTTP header, whose dates have a form of their own.

    """
    if isinstance(value, str):
        return _of_text(value.strip(), is_header=is_header)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None, MISSING if value is None else UNPARSABLE
    return _of_number(float(value))


def _of_text(text: str, *, is_header: bool) -> tuple[float | None, str]:
    if _NUMBER.fullmatch(text):
        return _of_number(float(text))
    found = _RFC3339.fullmatch(text)
    if found is None:
        return _of_http_date(text) if is_header else (None, UNPARSABLE)
    if found[4] is None:
        return None, NO_ZONE
    return _of_parts(found)


def field_steps(field: str) -> list[str | int]:
    """Return the steps of a path such as ``rows[0].at``; none when it is no path."""
    steps: list[str | int] = []
    at = 0
    while at < len(field):
        found = _STEP.match(field, at)
        if found is None or found.end() == at:
            return []
        steps.append(found[1])
        steps += [int(index) for index in re.findall(r"\d+", found[2])]
        at = found.end()
    return [] if field.endswith(".") else steps


def at_field(document: Any, field: str) -> Any:  # noqa: ANN401 -- any JSON value
    """Return what stands at a path of a document; None when the way ends before."""
    for step in field_steps(field):
        if isinstance(step, int):
            if not isinstance(document, list) or step >= len(document):
                return None
        elif not isinstance(document, dict) or step not in document:
            return None
        document = document[step]
    return document


def _of_number(value: float) -> tuple[float | None, str]:
    if not math.isfinite(value) or value < 0:
        return None, UNPARSABLE
    seconds = value / 1000 if value > _MILLISECONDS_FROM else value
    return (seconds, "") if seconds <= _LATEST else (None, UNPARSABLE)


def _of_parts(found: re.Match[str]) -> tuple[float | None, str]:
    from datetime import datetime

    zone = "+00:00" if found[4] in "Zz" else found[4]
    # A leap second is a second that the calendar here does not have.
    clock = found[2].replace(":60", ":59")
    fraction = float(found[3]) if found[3] else 0.0
    try:
        return datetime.fromisoformat(f"{found[1]}T{clock}{zone}").timestamp() + fraction, ""
    except (ValueError, OverflowError):
        return None, UNPARSABLE


def _of_http_date(text: str) -> tuple[float | None, str]:
    """Read a date as RFC 9110 has it, such as ``Tue, 15 Nov 1994 12:45:26 GMT``."""
    from email.utils import parsedate_to_datetime

    if not text.endswith("GMT"):
        return None, UNPARSABLE
    try:
        return parsedate_to_datetime(text).timestamp(), ""
    except (TypeError, ValueError, OverflowError):
        return None, UNPARSABLE
