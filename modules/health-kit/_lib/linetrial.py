"""The checks that the status line makes of itself, in a project of its own."""

from __future__ import annotations

import json
import time

from _lib.health_core import DEFAULT_CACHE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from hpp.core.portable.selftest import Checks, Project

__all__ = ["check_line"]


def check_line(checks: Checks, project: Project, parts: Callable[[], list[str]]) -> None:
    """Check each segment against files that were written by hand."""
    checks.equal("nothing is there", parts(), [])
    project.write(".git/HEAD", "ref: refs/heads/main\n")
    _cache(project, 10)
    checks.equal("a current cache", parts(), ["api:OK db:DOWN", "orders:2h46m!", "main"])
    _cache(project, 7200)
    checks.equal("an old one", parts(), ["health:OLD 2h", "data:OLD 2h", "main"])
    _cache(project, -60)
    checks.equal("one from the future", parts(), ["health:CLOCK", "data:CLOCK", "main"])
    project.write(DEFAULT_CACHE, "{")
    checks.equal("a broken one", parts(), ["health:ERR", "data:ERR", "main"])
    project.write(
        "docs/plans/execution/00-STATE.md",
        "- [x] outside\n<!-- CHECKLIST -->\n- [x] a\n- [ ] b\n<!-- /CHECKLIST -->\n",
    )
    checks.check("half is done", " 50% " in parts()[0])
    gate = "| id | state |\n|---|---|\n| 1 | open |\n| 2 | closed |\n"
    project.write("docs/GATES.md", gate)
    project.write("done.json", '{"passed": 1, "total": 3}')
    project.write(
        "operator-profile.json",
        '{"statusline": {"segments": ["gates", "nobody", "autonomy", "donegate"],'
        ' "autonomy_level": 3, "donegate_file": "done.json"}}',
    )
    checks.equal("in the order that was set", parts(), ["gates:1", "L3", "dod:1/3"])
    project.write("operator-profile.json", "{")
    checks.check("a broken profile is told", parts()[0] == "profile:ERR")


def _cache(project: Project, age_s: int) -> None:
    now = int(time.time())
    service = {"severity": "warn", "online": True}
    document = {
        "schema": "health.cache/v1", "written_at": now - age_s, "ttl_seconds": 900,
        "services": {"api": {**service, "status": "up"}, "db": {**service, "status": "down"}},
        "feeds": {"orders": {"status": "stale", "last_signal": now - 10000, "freshness": 60}},
    }  # fmt: skip
    project.write(DEFAULT_CACHE, json.dumps(document))
