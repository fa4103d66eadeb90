"""The checks that `health_probe.py` makes of itself, in a project of its own."""

from __future__ import annotations

import json
import os
import sys
import time
from functools import partial

from _lib.approval import approval_of, is_approved
from _lib.health_core import EXPIRED, OK, UNREADABLE, data_status, read_cache
from _lib.healthrun import judge_cache
from _lib.probe import parse_probes
from _lib.setting import Settings, read_settings
from _lib.timestamp import seconds_of

from hpp.core.errors import RefusedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from _lib.healthrun import Judged

    from hpp.core.portable.selftest import Checks, Project

__all__ = ["check_health"]

_MADE = "made-by-a-probe"


def check_health(checks: Checks, project: Project, probing: Callable[[Settings], Judged]) -> None:
    """Check rules, approval, cache and exit codes."""
    _check_rules(checks)
    os.mkdir(os.path.join(project.root, ".git"))
    make = [sys.executable, "-c", f"open({_MADE!r}, 'w')"]
    settings = _configured(project, {"name": "job", "type": "cmd", "target": make})
    judged = probing(settings)
    checks.equal("unapproved is unknown", (judged.status, _status(judged)), (1, "unknown"))
    checks.check("and was not run", not os.path.exists(os.path.join(project.root, _MADE)))
    _approve(settings)
    judged = probing(settings)
    checks.equal("approved is run", (judged.status, _status(judged)), (0, "up"))
    checks.check("it ran", os.path.exists(os.path.join(project.root, _MADE)))
    edited = _configured(project, {"name": "job", "type": "cmd", "target": [*make, "x"]})
    checks.check("an edit voids it", is_approved(edited.probes, edited.root) is False)
    _check_cache(checks, settings)
    _check_feed(checks, project, probing)


def _check_rules(checks: Checks) -> None:
    checks.equal("milliseconds", seconds_of(1_760_000_000_000)[0], 1_760_000_000.0)
    checks.equal("a zone is needed", seconds_of("2026-01-01T00:00:00")[1], "no-zone")
    checks.equal("the future", data_status(100, 90, 60, 5), "skew")
    checks.equal("old", data_status(10, 90, 60, 5), "stale")
    for target in ("sh -c x", "file:///etc/hostname", "http://" + "a@h/"):
        kind = "cmd" if " " in target else "http"
        given = [{"name": "x", "type": kind, "target": target}]
        parse = partial(parse_probes, given, "probes")
        checks.raises(f"{target} is refused", RefusedError, parse)


def _check_cache(checks: Checks, settings: Settings) -> None:
    now = time.time()
    checks.equal("a new cache", read_cache(settings.cache, now).state, OK)
    checks.equal("two hours later", read_cache(settings.cache, now + 7200).state, EXPIRED)
    checks.equal("and that is not good", judge_cache(settings, now + 7200).status, 1)
    with open(settings.cache, "w", encoding="utf-8") as file:
        file.write("{")
    checks.equal("a broken cache", read_cache(settings.cache, now).state, UNREADABLE)


def _check_feed(checks: Checks, project: Project, probing: Callable[[Settings], Judged]) -> None:
    feed = {"name": "orders", "type": "json-timestamp", "target": "o.json", "field": "at",
            "freshness": 60}  # fmt: skip
    for shift, status in ((-10, "fresh"), (-3600, "stale"), (3600, "skew")):
        project.write("o.json", json.dumps({"at": time.time() + shift}))
        judged = probing(_configured(project, feed))
        checks.equal(f"a feed at {shift}", judged.feeds["orders"]["status"], status)


def _configured(project: Project, *probes: dict[str, Any]) -> Settings:
    document = {"health": {"probes": list(probes)}}
    project.write("operator-profile.json", json.dumps(document))
    return read_settings(project.root, project.root, {})


def _approve(settings: Settings) -> None:
    from hpp.core.portable.anchor_write import add_health_probe

    add_health_probe(settings.root, approval_of(settings.probes) or "", "2026-01-01T00:00:00Z")


def _status(judged: Judged) -> str:
    return str(judged.services["job"]["status"])
