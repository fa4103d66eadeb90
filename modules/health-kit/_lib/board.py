"""A board of metrics: its panels, and what each one lacks."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

__all__ = ["faults", "mentions", "panels"]

_DEEPEST = 20


def panels(board: object, depth: int = 0) -> Iterator[dict[str, Any]]:
    """Yield every panel of a board, those inside a row too; a row itself is none."""
    if depth > _DEEPEST:
        return
    if isinstance(board, list):
        for each in board:
            yield from panels(each, depth + 1)
    if not isinstance(board, dict):
        return
    for key, value in board.items():
        if key == "panels" and isinstance(value, list):
            for panel in value:
                if isinstance(panel, dict) and panel.get("type") != "row":
                    yield panel
        yield from panels(value, depth + 1)


def faults(panel: dict[str, Any]) -> list[str]:
    """Return what a panel lacks, in the order of title, unit, threshold."""
    holders = [panel, _defaults(panel)]
    lacking = []
    if not _is_text(panel.get("title")):
        lacking.append("no title")
    if not any(_is_text(holder.get("unit")) for holder in holders):
        lacking.append("no unit")
    if not any(_has_threshold(holder) for holder in holders):
        lacking.append("no threshold")
    return lacking


def mentions(value: object, metric: str, depth: int = 0) -> bool:
    """Say whether a panel's texts name a metric."""
    if depth > _DEEPEST:
        return False
    if isinstance(value, str):
        return metric in value
    if isinstance(value, dict):
        value = list(value.values())
    return isinstance(value, list) and any(mentions(each, metric, depth + 1) for each in value)


def _defaults(panel: dict[str, Any]) -> dict[str, Any]:
    """Return where some platforms keep what holds for all fields of a panel."""
    config = panel.get("fieldConfig")
    found = config.get("defaults") if isinstance(config, dict) else None
    return found if isinstance(found, dict) else {}


def _has_threshold(holder: dict[str, Any]) -> bool:
    for key in ("threshold", "thresholds"):
        value = holder.get(key)
        if isinstance(value, dict):
            value = [step for step in value.get("steps", []) if _is_step(step)]
        if isinstance(value, list):
            return bool(value)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return True
    return False


def _is_step(step: object) -> bool:
    """Say whether a step has a value: the first one of a scale often has none."""
    return isinstance(step, dict) and isinstance(step.get("value"), (int, float))


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())
