from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from hpp.core.errors import RefusedError
from hpp.core.readiness import read_history, readiness
from hpp.core.workgraph import WorkGraph, compile_spec
from hpp.core.workspec import parse_spec

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from hpp.core.loop import Loop

FULL = ["work_started", "evidence_recorded", "check_passed", "human_approved", "verified"]


@pytest.fixture
def graph() -> WorkGraph:
    """Return a diamond: spec, then build and docs, then close."""
    wanted = {"spec": [], "build": ["spec"], "docs": ["spec"], "close": ["docs", "build"]}
    work = [
        {"id": unit, "depends_on": before, "acceptance": ["x"], "tier": "economy"}
        for unit, before in wanted.items()
    ]
    return compile_spec(parse_spec({"work": work}, "s"))


@pytest.fixture
def standing(
    graph: WorkGraph, loop: Loop, make_log: Callable[..., list[bytes]], tmp_path: Path
) -> Callable[..., dict[str, Any]]:
    """Return a reader: how many steps of the loop each piece of work has taken."""

    def read(**steps: int) -> dict[str, Any]:
        events = [(kind, {"work": work}) for work, count in steps.items() for kind in FULL[:count]]
        path = tmp_path / "log.jsonl"
        path.write_bytes(b"".join(line + b"\n" for line in make_log(events)))
        return readiness(graph, read_history(str(path), loop))

    return read


def names(result: dict[str, Any]) -> dict[str, list[str]]:
    lists = ("ready", "begun", "blocked", "verified")
    return {name: [entry["id"] for entry in result[name]] for name in lists if result[name]}


def test_at_first_only_what_waits_for_nothing_is_ready(
    standing: Callable[..., dict[str, Any]],
) -> None:
    result = standing()

    assert names(result) == {"ready": ["spec"], "blocked": ["build", "docs", "close"]}
    assert result["blocked"][2]["waits_for"] == ["build", "docs"]
    assert result["progress"] == {"numerator": 0, "denominator": 4}


@pytest.mark.parametrize("steps", [1, 2, 3, 4])
def test_nothing_short_of_verified_releases_a_dependent(
    standing: Callable[..., dict[str, Any]], steps: int
) -> None:
    result = standing(spec=steps)

    assert names(result) == {"begun": ["spec"], "blocked": ["build", "docs", "close"]}


def test_verified_dependencies_release_a_unit(standing: Callable[..., dict[str, Any]]) -> None:
    assert names(standing(spec=5)) == {
        "ready": ["build", "docs"],
        "blocked": ["close"],
        "verified": ["spec"],
    }
    assert names(standing(spec=5, build=5)) == {
        "ready": ["docs"],
        "blocked": ["close"],
        "verified": ["spec", "build"],
    }
    assert names(standing(spec=5, docs=5, build=5))["ready"] == ["close"]


def test_what_went_ahead_of_its_dependencies_is_shown(
    standing: Callable[..., dict[str, Any]],
) -> None:
    result = standing(close=1, build=5, other=1)

    assert result["begun"] == [
        {"id": "close", "tier": "economy", "wave": 3, "waits_for": ["docs"], "state": "active"}
    ]
    assert result["verified"][0]["waits_for"] == ["spec"]
    assert result["other_work"] == ["other"]


def test_without_a_log_nothing_has_begun(
    graph: WorkGraph, loop: Loop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    result = readiness(graph, read_history(None, loop))

    assert (result["events"], result["head_sha256"]) == (0, None)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("given", ["", "absent.jsonl", "."])
def test_a_log_that_is_named_has_to_be_there(
    loop: Loop, given: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    with pytest.raises(RefusedError, match=given or "--events"):
        read_history(given, loop)


def test_a_corrupt_log_is_refused_by_its_own_name(loop: Loop, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(b"{}\n")

    with pytest.raises(RefusedError, match=r"log\.jsonl: line 1: seq: expected 1"):
        read_history(str(path), loop)


def test_control_another_order_of_events_is_refused(
    loop: Loop, make_log: Callable[..., list[bytes]], tmp_path: Path
) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(make_log([("verified", {"work": "spec"})])[0] + b"\n")

    with pytest.raises(RefusedError, match="line 1"):
        read_history(str(path), loop)
