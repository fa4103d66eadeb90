"""A report for a person: the same content as its JSON, and no more."""

from __future__ import annotations

from hpp.core.text import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

__all__ = ["human"]

_QUIET = ("same", "skip-same")


def human(report: dict[str, Any]) -> str:
    """Return a report as lines of text."""
    stages = report.get("stages", [])
    lines = [_head(report), *(f"  {s['stage']:<14}{s['status']}" for s in stages)]
    for module in report.get("modules", []):
        shown = f"{module['module']} {module['version'] or '?'} on {module['host']}"
        lines.append(f"  {shown}: {module['state']}, {module['files']} files")
    lines += _actions(report)
    lines += _wiring(report)
    for problem in report["problems"]:
        place = f"{problem['path']}: " if problem["path"] else ""
        lines.append(f"{problem['severity']}: {problem['code']}: {place}{problem['measured']}")
        lines.append(f"    expected: {problem['expected']}")
        lines.append(f"    next: {problem['next']}")
    told = {problem["next"] for problem in report["problems"]}
    lines += [f"next: {step}" for step in report.get("next", []) if step not in told]
    return "".join(f"{printable(line)}\n" for line in lines)


def _head(report: dict[str, Any]) -> str:
    kit = report.get("kit") or {}
    name = kit.get("id") or report.get("module") or ""
    version = kit.get("version") or report.get("version") or ""
    what = report.get("verb") or report.get("mode") or "verify"
    where = f" in {report['target']}" if report.get("target") else ""
    words = " ".join(filter(None, (what, name, version)))
    return f"{words}{where}: {report['status']} (exit {report['exit_code']})"


def _actions(report: dict[str, Any]) -> Iterator[str]:
    actions = report.get("actions", [])
    quiet = [action for action in actions if action["action"] in _QUIET]
    for action in actions:
        if action["action"] not in _QUIET:
            yield f"  {action['action']:<14}{action['path']}"
    if quiet:
        yield f"  unchanged     {len(quiet)} files"


def _wiring(report: dict[str, Any]) -> Iterator[str]:
    for stage in report.get("stages", []):
        detail = stage["detail"]
        if stage["stage"] != "wire-suggest" or not detail:
            continue
        for hook in detail["hooks"]:
            groups = hook["capabilities"]
            known = ", ".join(groups) if groups is not None else "not known without a distribution"
            events = ", ".join(hook["events"])
            yield f"  hook {hook['id']}: {events}; {hook['exit_policy']}; {known}"
        if detail["lines"]:
            yield f"to paste, by a person ({detail['settings_path']}):"
            yield from (f"  {line}" for line in detail["lines"])
