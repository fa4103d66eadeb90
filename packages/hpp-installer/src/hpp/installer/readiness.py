"""Readiness: eleven checks and what became of each; what was not run is neither 0 nor 100."""

from __future__ import annotations

from hpp.installer.host import CODEX
from hpp.installer.shellword import folder_word, word
from hpp.installer.stage import SKIPPED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hpp.installer.stage import Stage

__all__ = ["CELLS", "ITEMS", "readiness"]

VERIFIED, FAILED, NOT_VERIFIED = "verified", "failed", "not-verified"
ITEMS = (
    "host", "python", "manifest", "distribution", "checksums", "profile",
    "policy", "graph", "events", "benchmark", "wiring",
)  # fmt: skip
CELLS = 20
_LABELS = {
    "host": "target looked at",
    "python": "Python is new enough",
    "manifest": "manifest keeps its contract",
    "distribution": "distribution agrees with it",
    "checksums": "module files are the published ones",
    "profile": "choices are on disk",
    "policy": "policy tells good from bad",
    "graph": "capability graph is not empty",
    "events": "event log replays",
    "benchmark": "every control passes",
    "wiring": "host is wired",
}
_NOT_RUN = (NOT_VERIFIED, "not run")
_PROFILE = {
    "written": VERIFIED,
    "unchanged": VERIFIED,
    "conflict": FAILED,
    "refused": FAILED,
    "would-write": NOT_VERIFIED,
    "withheld": NOT_VERIFIED,
}


def readiness(stages: Mapping[str, Stage], command: str, target: str) -> dict[str, Any]:
    """Return the bar and the items, all of them whatever was run.

    Args:
        stages: By name; what a halted run did not reach is among them, skipped.
        command: The command line of this run, which reproduces what has none of its own.
        target: As the person typed it.

    """
    ran = {name: stage for name, stage in stages.items() if stage.status != SKIPPED}
    items = [
        _host(ran, command),
        *_checked(ran, command),
        _checksums(ran, command),
        _profile(ran, command),
        *_controls(ran, command),
        _wiring(ran, target),
    ]
    counts = {
        status: sum(item["status"] == status for item in items)
        for status in (VERIFIED, FAILED, NOT_VERIFIED)
    }
    return {
        "items": items,
        "verified": counts[VERIFIED],
        "failed": counts[FAILED],
        "not_verified": counts[NOT_VERIFIED],
        "total": len(items),
        "cells": _cells(counts[VERIFIED], counts[FAILED]),
    }


def _cells(verified: int, failed: int) -> dict[str, int]:
    good, bad = (round(CELLS * count / len(ITEMS)) for count in (verified, failed))
    return {VERIFIED: good, FAILED: bad, NOT_VERIFIED: CELLS - good - bad}


def _item(name: str, status: str, evidence: str, command: str) -> dict[str, str]:
    return {
        "id": name,
        "label": _LABELS[name],
        "status": status,
        "evidence": evidence,
        "command": command,
    }


def _host(ran: Mapping[str, Stage], command: str) -> dict[str, str]:
    found = ran.get("detect")
    status, evidence = (VERIFIED, found.summary) if found else _NOT_RUN
    return _item("host", status, evidence, command)


def _checked(ran: Mapping[str, Stage], command: str) -> list[dict[str, str]]:
    stage = ran.get("prereqs")
    checks = {check["id"]: check for check in stage.detail["checks"]} if stage else {}
    items = []
    for name in ("python", "manifest", "distribution"):
        check = checks.get(name)
        if check is None:
            items.append(_item(name, *_NOT_RUN, command))
            continue
        status = VERIFIED if check["verified"] else NOT_VERIFIED if check["ok"] else FAILED
        items.append(_item(name, status, check["measured"], check["command"]))
    return items


def _checksums(ran: Mapping[str, Stage], command: str) -> dict[str, str]:
    stage = ran.get("configure")
    if stage is None:
        return _item("checksums", *_NOT_RUN, command)
    counts = stage.detail["checksums"]
    status = VERIFIED if counts["verified"] == counts["total"] else NOT_VERIFIED
    if counts["mismatch"]:
        status = FAILED
    evidence = f"{counts['verified']} of {counts['total']} verified"
    if counts["mismatch"]:
        evidence += f", {counts['mismatch']} differ"
    if counts["measurable"] < counts["total"]:
        evidence += f", {counts['total'] - counts['measurable']} not beside the manifest"
    return _item("checksums", status, evidence, command)


def _profile(ran: Mapping[str, Stage], command: str) -> dict[str, str]:
    stage = ran.get("profile")
    if stage is None:
        return _item("profile", *_NOT_RUN, command)
    return _item("profile", _PROFILE[stage.detail["action"]], stage.summary, command)


def _controls(ran: Mapping[str, Stage], command: str) -> list[dict[str, str]]:
    stage = ran.get("smoke")
    controls = {one["id"]: one for one in stage.detail["controls"]} if stage else {}
    statuses = {True: VERIFIED, False: FAILED, None: NOT_VERIFIED}
    items = []
    for name in ("policy", "graph", "events", "benchmark"):
        one = controls.get(name)
        if one is None:
            items.append(_item(name, *_NOT_RUN, command))
        else:
            items.append(_item(name, statuses[one["ok"]], one["measured"], one["command"]))
    return items


def _wiring(ran: Mapping[str, Stage], target: str) -> dict[str, str]:
    stage = ran.get("wire-suggest")
    host = stage.detail["host"] if stage else "HOST"
    evidence = "a manual gate: a person pastes the lines, and no file of the host is read"
    if host == CODEX:
        evidence += "; hooks run only after a person accepts the trust prompt"
    command = f"hpp kit status --target {folder_word(target)} --host {word(host)}"
    return _item("wiring", NOT_VERIFIED, evidence, command)
