"""A person's own rules: what one has to look like, and which one is about a task."""

from __future__ import annotations

from _lib.family import FAMILIES, MANUAL, SEVERITY, UNKNOWN
from _lib.recurrence import Lesson
from _lib.taskkey import is_about

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from _lib.taskkey import Task

__all__ = ["MOST_ENTRIES", "entry_fault", "matching", "sound"]

MOST_ENTRIES = 500
_MOST_ALWAYS = 2
_LONGEST = {"key": 120, "prevention": 400}
_FIELDS = frozenset({"key", "prevention", "family", "severity", "added"})
_FAMILIES = frozenset({*FAMILIES, UNKNOWN, MANUAL})
_WORST = 100


def entry_fault(entry: object) -> str | None:
    """Return what is wrong with an entry, or None; `added` may be missing."""
    if not isinstance(entry, dict):
        return "expected an object"
    unknown = sorted(entry.keys() - _FIELDS)
    if unknown:
        return f"{unknown[0]!a}: no such key is known"
    return _text_fault(entry) or _weight_fault(entry)


def _text_fault(entry: dict[str, Any]) -> str | None:
    for name, most in _LONGEST.items():
        text = entry.get(name)
        if not isinstance(text, str) or not text.strip() or len(text) > most:
            return f"{name}: expected 1 to {most} characters"
        if not text.isprintable():
            return f"{name}: line breaks and control characters are not allowed"
    key = entry["key"].strip()
    return None if key == "*" or key.strip(" .,;:*") else "key: expected a word to look for"


def _weight_fault(entry: dict[str, Any]) -> str | None:
    severity = entry.get("severity", SEVERITY[MANUAL])
    if type(severity) is not int or not 0 <= severity <= _WORST:
        return f"severity: expected a whole number from 0 to {_WORST}"
    family = entry.get("family", MANUAL)
    if not isinstance(family, str) or family not in _FAMILIES:
        return f"family: expected one of {', '.join(sorted(_FAMILIES))}"
    return None


def sound(entries: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the entries that can be used, each once; the first one of a kind counts."""
    kept: dict[tuple[str, str], dict[str, Any]] = {}
    for entry in entries:
        if entry_fault(entry) is None:
            kept.setdefault((entry["key"], entry["prevention"]), entry)
    return list(kept.values())[:MOST_ENTRIES]


def matching(entries: Iterable[dict[str, Any]], task: Task) -> list[Lesson]:
    """Return the rules about a task; of those about everything the two that weigh most."""
    found = sorted((_lesson(each) for each in entries if is_about(each["key"], task)), key=_order)
    always = [lesson for lesson in found if lesson.keys[0].strip() == "*"][:_MOST_ALWAYS]
    return [lesson for lesson in found if lesson.keys[0].strip() != "*" or lesson in always]


def _order(lesson: Lesson) -> tuple[int, int, float, str]:
    return lesson.order()


def _lesson(entry: dict[str, Any]) -> Lesson:
    severity = entry.get("severity", SEVERITY[MANUAL])
    return Lesson((entry["key"],), entry.get("family", MANUAL), severity, entry["prevention"])
