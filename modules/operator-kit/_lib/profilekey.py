"""Every key that a profile may have, with the kind of its value."""

from __future__ import annotations

import math

from hpp.core.strictjson import kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

__all__ = ["faults", "unknown"]

TEXT, TEXTS, FLAG, SWITCH, MAPPING, ANY = "text", "texts", "flag", "switch", "mapping", "any"
_WHOLE = "whole"
Kind = tuple[str, "tuple[str, ...] | tuple[int, int] | None"]

_PATHS = (
    "state_doc", "boot_doc", "resume_pointer", "memory_dir", "logs_dir", "gate_sheet", "draft_dir",
    "debt_ledger", "goal_ledger", "sources", "expected_root", "mirror_dir", "gotcha_store",
    "health_cache",
)  # fmt: skip
_LISTS = (
    "guardrails.protected_paths", "guardrails.protected_branches", "guardrails.extra_block",
    "guardrails.extra_warn", "guardrails.destructive_verbs", "guardrails.external_send_tools",
    "guardrails.internal_hosts", "autonomy.sensitive_paths", "concurrency.rate_limit_signals",
    "verification.ladder_required", "memory.emphasis_markers", "report.banned_phrases",
    "paths.mirror_globs", "statusline.segments",
)  # fmt: skip
_TEXTS = (
    "project", "language", "distill.rejected_ledger", "distill.target_rule", "loop.charter",
    "loop.work_list", "statusline.donegate_file",
)  # fmt: skip
_BIG = 10**9
_LEVELS = (0, 5)
_KINDS: dict[str, Kind] = {
    **{f"paths.{name}": (TEXT, None) for name in _PATHS},
    **dict.fromkeys(_LISTS, (TEXTS, None)),
    **dict.fromkeys(_TEXTS, (TEXT, None)),
    "guardrails.operation_guard_mode": (TEXT, ("audit", "enforce")),
    "guardrails.ban_floating": (FLAG, None),
    "autonomy.default": (_WHOLE, _LEVELS),
    "autonomy.by_action": ("levels", None),
    "intensity.default": (TEXT, ("lite", "full", "ultra")),
    "concurrency.max_agents": (_WHOLE, (1, 1000)),
    "concurrency.wave_size": (_WHOLE, (1, 1000)),
    "concurrency.fallback": (TEXT, ("abort", "retry-backoff", "sequential-local")),
    "concurrency.backoff_seconds": (_WHOLE, (0, _BIG)),
    "verification.done_criteria": (MAPPING, None),
    "verification.ladder": (MAPPING, None),
    "verification.ladder_min_score": (_WHOLE, (0, _BIG)),
    "verification.determinism_runs": (_WHOLE, (2, 50)),
    "loop.stop_conditions": (ANY, None),
    "loop.forbidden_boundaries": (ANY, None),
    "loop.authorization_triggers": (ANY, None),
    "memory.rule_capture": (SWITCH, None),
    "distill.session_window": (_WHOLE, (1, _BIG)),
    "distill.recurrence_threshold": (_WHOLE, (1, _BIG)),
    "continuity.enforcement": (TEXT, ("block-once", "remind")),
    "continuity.fresh_seconds": (_WHOLE, (60, 86400)),
    "continuity.block_interval_seconds": (_WHOLE, (0, 86400)),
    "continuity.boot_state": (FLAG, None),
    "continuity.checkpoint": (SWITCH, None),
    "gotchas.window_hours": (_WHOLE, (1, _BIG)),
    "gotchas.min_count": (_WHOLE, (1, _BIG)),
    "gotchas.top": (_WHOLE, (1, _BIG)),
    "gotchas.min_gap_seconds": (_WHOLE, (0, _BIG)),
    "health.probes": ("list", None),
    "health.cache_ttl_seconds": (_WHOLE, (0, _BIG)),
    "statusline.autonomy_level": (_WHOLE, _LEVELS),
}
_SECTIONS = frozenset(key.partition(".")[0] for key in _KINDS if "." in key)


def unknown(values: Mapping[str, Any]) -> list[str]:
    """Return the keys that no module of ours knows, sorted."""
    found = []
    for section, inner in values.items():
        if section in _SECTIONS and isinstance(inner, dict):
            found += [f"{section}.{key}" for key in inner if f"{section}.{key}" not in _KINDS]
        elif section not in _SECTIONS and section not in _KINDS:
            found.append(section)
    return sorted(found)


def faults(values: Mapping[str, Any]) -> list[str]:
    """Return a line for each value of the wrong type or out of range, in the order of keys."""
    found = [
        f"{section}: expected a mapping, got {kind_of(values[section])}"
        for section in sorted(_SECTIONS & set(values))
        if not isinstance(values[section], dict) and values[section] is not None
    ]
    for key, (kind, bound) in sorted(_KINDS.items()):
        section, dot, name = key.partition(".")
        holder = values.get(section) if dot else values
        if not isinstance(holder, dict) or (name if dot else key) not in holder:
            continue
        why = _fault(holder[name if dot else key], kind, bound)
        if why:
            found.append(f"{key}: expected {why}")
    return found


def _fault(value: object, kind: str, bound: Any) -> str | None:  # noqa: ANN401, PLR0911 -- as in the table
    if kind == ANY:
        return None
    if kind == TEXT:
        if not isinstance(value, str) or (bound and value not in bound):
            return f"one of {', '.join(bound)}" if bound else "a text"
        return None
    if kind == TEXTS:
        is_list = isinstance(value, list) and all(isinstance(each, str) for each in value)
        return None if is_list else "a list of texts"
    if kind == FLAG:
        return None if isinstance(value, bool) else "true or false"
    if kind == SWITCH:
        return None if isinstance(value, bool) or value in ("on", "off") else "on or off"
    if kind == _WHOLE:
        low, high = bound
        upper = f"from {low} to {high}" if high < _BIG else f"of at least {low}"
        return None if _is_whole(value, low, high) else f"a whole number {upper}"
    if kind == "list":
        return None if isinstance(value, list) else "a list"
    if not isinstance(value, dict):
        return "a mapping"
    is_levels = kind != "levels" or all(_is_whole(each, *_LEVELS) for each in value.values())
    return None if is_levels else "levels from 0 to 5"


def _is_whole(value: object, low: int, high: int) -> bool:
    is_number = isinstance(value, int) and not isinstance(value, bool) and math.isfinite(value)
    return is_number and low <= value <= high  # type: ignore[operator]  # it is a number by now
