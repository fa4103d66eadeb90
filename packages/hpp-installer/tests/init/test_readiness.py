"""Eleven items whatever was run, and a bar that rounds as Python does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from hpp.installer.readiness import ITEMS, readiness
from hpp.installer.smoke import smoke
from hpp.installer.stage import STAGES, Stage

if TYPE_CHECKING:
    from pathlib import Path

    from hpp.core.manifest import Manifest


def stages(verified: int, failed: int = 0) -> dict[str, Stage]:
    """Return stages of which that many items came out; at most seven."""
    left = 7 - verified - failed
    marks: list[bool | None] = [*[True] * verified, *[False] * failed, *[None] * left]
    found = {name: Stage.skipped(name, "x") for name in STAGES}
    checks = [
        {"id": name, "ok": mark is not False, "verified": mark is True, "measured": "m",
         "command": "c"}
        for name, mark in zip(("python", "manifest", "distribution"), marks[:3], strict=True)
    ]  # fmt: skip
    found["prereqs"] = Stage("prereqs", "ok", "s", {"checks": checks})
    controls = [
        {"id": name, "ok": mark, "measured": "m", "command": "c"}
        for name, mark in zip(("policy", "graph", "events", "benchmark"), marks[3:], strict=True)
    ]
    found["smoke"] = Stage("smoke", "ok", "s", {"controls": controls})
    return found


@pytest.mark.parametrize(
    ("verified", "failed", "cells"),
    [(0, 0, (0, 0)), (6, 0, (11, 0)), (7, 0, (13, 0)), (4, 3, (7, 5)), (0, 7, (0, 13))],
)
def test_the_bar_has_twenty_cells(verified: int, failed: int, cells: tuple[int, int]) -> None:
    found = readiness(stages(verified, failed), "c", "t")

    assert [item["id"] for item in found["items"]] == list(ITEMS)
    assert (found["verified"], found["failed"]) == (verified, failed)
    assert found["not_verified"] == 11 - verified - failed
    bar = found["cells"]
    assert (bar["verified"], bar["failed"]) == cells
    assert sum(bar.values()) == 20


def test_control_what_was_not_run_is_neither_verified_nor_failed() -> None:
    nothing = {name: Stage.skipped(name, "detect") for name in STAGES}

    found = readiness(nothing, "c", "t")

    assert {item["status"] for item in found["items"]} == {"not-verified"}
    assert all(item["evidence"] and item["command"] for item in found["items"])
    assert found["total"] == 11


@pytest.mark.parametrize(
    ("action", "status"),
    [
        ("written", "verified"),
        ("unchanged", "verified"),
        ("conflict", "failed"),
        ("refused", "failed"),
        ("would-write", "not-verified"),
        ("withheld", "not-verified"),
    ],
)
def test_the_profile_counts_when_it_is_on_disk(action: str, status: str) -> None:
    found = stages(0)
    found["profile"] = Stage("profile", "ok", "s", {"action": action})

    assert readiness(found, "c", "t")["items"][5]["status"] == status


@pytest.mark.parametrize(
    ("counts", "status"),
    [
        ((6, 0, 6), "verified"),
        ((5, 0, 6), "not-verified"),
        ((0, 0, 6), "not-verified"),
        ((5, 1, 6), "failed"),
        ((0, 1, 6), "failed"),
    ],
)
def test_checksums_need_every_module(counts: tuple[int, int, int], status: str) -> None:
    verified, mismatch, total = counts
    found = stages(0)
    detail = {"verified": verified, "mismatch": mismatch, "measurable": verified + mismatch}
    found["configure"] = Stage("configure", "ok", "s", {"checksums": {**detail, "total": total}})

    assert readiness(found, "c", "t")["items"][4]["status"] == status


class Seen:
    event_count = 0
    log_fault = ""


def run(manifest: Manifest, *, benchmark: bool = True) -> dict[str, Any]:
    stage = smoke(manifest, "", "t", Seen(), benchmark=benchmark)  # type: ignore[arg-type]  # two of its facts
    return {"stage": stage, **{one["id"]: one for one in stage.detail["controls"]}}


def test_without_the_suite_of_another_family_it_is_not_run(
    packaged: Manifest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.metadata.entry_points", lambda **_: [])

    found = run(packaged)

    assert found["benchmark"]["ok"] is None
    assert "hpp-cli" in found["benchmark"]["measured"]
    assert found["stage"].status == "ok"
    assert run(packaged, benchmark=False)["benchmark"]["ok"] is None


@pytest.mark.parametrize("name", ["policy", "graph", "benchmark"])
def test_control_every_control_can_fail(
    packaged: Manifest, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    class Empty:
        nodes = edges = ()
        counts = {"pass_caret_k": 0}  # noqa: RUF012 -- never changed
        cases = (None,)
        passed = False
        action = "ALLOW"

    broken = {
        "policy": ("judge", lambda *_: Empty()),
        "graph": ("manifest_graph", lambda *_: Empty()),
        "benchmark": ("find_service", lambda *_: lambda _k, **_words: (Empty(), [])),
    }
    where, what = broken[name]
    monkeypatch.setattr(f"hpp.installer.smoke.{where}", what)

    found = run(packaged, benchmark=name == "benchmark")

    assert found[name]["ok"] is False
    assert (found["stage"].status, found["stage"].exit_hint) == ("fail", 1)
    assert [problem.label for problem in found["stage"].problems] == [name]


def test_the_commands_name_the_target(packaged: Manifest, tmp_path: Path) -> None:
    stage = smoke(packaged, "", str(tmp_path), Seen(), benchmark=False)  # type: ignore[arg-type]  # two of its facts

    assert stage.detail["controls"][2]["command"].startswith('cd "')
