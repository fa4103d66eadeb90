"""The checks that the memory's parts make of themselves, in a project of their own."""

from __future__ import annotations

from _lib.gotchas_memory import lessons, records, render
from _lib.setting import DEFAULT_STORE, read_settings
from _lib.taskkey import Task

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hpp.core.portable.selftest import Checks, Project

__all__ = ["LINES", "NOW", "check_memory"]

NOW = 1_760_000_000.0
LINES = "".join(
    f'{{"v":1,"ts":{NOW - place},"task_key":"run the tests","cmd_key":"pytest",'
    f'"family":"transient","strategy":"retry","error":"ETIMEDOUT","session":"s"}}\n'
    for place in (30, 20, 10)
)
_BAD = '{"ts": null}\n1\n[]\n{"half\n\x00\n'


def check_memory(checks: Checks, project: Project) -> None:
    """Check reading, recurrence and rendering against lines that were written by hand."""
    project.write(f"{DEFAULT_STORE}/failures.jsonl", LINES + _BAD)
    settings = read_settings(project.root, project.root, {})
    task = Task("pytest -q", "Run the tests.")
    found, bad = records(settings, NOW)
    checks.equal("good lines are read", len(found), 3)
    checks.equal("bad lines are counted", bad, 5)
    known = lessons(task, settings, NOW)
    checks.equal("one lesson of two groupings", [each.count for each in known], [3])
    checks.check("it is told", "[3x] transient" in render(known, NOW))
    other = lessons(Task("make", "Build it"), settings, NOW)
    checks.equal("nothing about another task", len(other), 0)
    later = lessons(task, settings, NOW + 90_000)
    checks.equal("nothing after the window", len(later), 0)
    settings.min_gap_seconds = 60
    checks.equal("close together counts once", len(lessons(task, settings, NOW)), 0)
