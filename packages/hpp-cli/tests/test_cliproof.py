"""Each control passes, and fails as soon as the mechanism that it proves is broken by hand."""

from __future__ import annotations

import itertools
import os
from typing import TYPE_CHECKING

import pytest

from hpp.cli import cliproof
from hpp.core.control import OWNERS, Control, installed_controls
from hpp.core.policy.classifier import Findings, Hit

if TYPE_CHECKING:
    from pathlib import Path

CONTROLS = {name: getattr(cliproof, name) for name in cliproof.__all__}
COUNT = itertools.count()
POLICY = "hpp.core.policy.verdict.classify"


NOTHING = Findings([], [])
BLOCKED = Findings([Hit("recursive-delete", "x")], [])  # whatever the text is

MUTATIONS: dict[str, tuple[str, str, object]] = {
    "every command is allowed": ("policy_enforcement", POLICY, lambda *_, **__: NOTHING),
    "every command is blocked": ("policy_enforcement", POLICY, lambda *_, **__: BLOCKED),
    "a block ends with one": (
        "policy_enforcement",
        "hpp.cli.policy._EXIT",
        {"ALLOW": 0, "MANUAL": 1, "BLOCK": 1},
    ),
    "the dead live": ("lane_collision", "hpp.core.lanemap._liveness", lambda *_: "alive"),
    "nothing collides": ("lane_collision", "hpp.core.territory.Claims.overlaps", lambda _: {}),
    "everything is fresh": (
        "monitor_freshness",
        "hpp.core.monitormap._status",
        lambda *_: "healthy",
    ),
    "everything is stale": ("monitor_freshness", "hpp.core.monitormap._status", lambda *_: "stale"),
    "an empty graph": (
        "graph_determinism",
        "hpp.core.graph._DRAWERS",
        {"capability": lambda *_: None},
    ),
    "another graph each time": (
        "graph_determinism",
        "hpp.core.graph.Graph.document",
        lambda _: {"nodes": [next(COUNT)], "edges": [1]},
    ),
}


@pytest.mark.parametrize("name", CONTROLS)
def test_a_control_passes_every_time(name: str) -> None:
    assert [CONTROLS[name]() for _ in range(3)] == [True] * 3


@pytest.mark.parametrize(("name", "target", "broken"), MUTATIONS.values(), ids=MUTATIONS)
def test_a_broken_mechanism_fails_its_control(
    monkeypatch: pytest.MonkeyPatch, name: str, target: str, broken: object
) -> None:
    monkeypatch.setattr(target, broken)

    assert Control(lambda: CONTROLS[name]).run()[0] is False


def test_this_distribution_registers_what_it_owns() -> None:
    own = {name for name, owner in OWNERS.items() if owner == "hpp-cli"}

    assert own <= set(installed_controls())
    assert len(own) == len(CONTROLS)


def test_neither_a_policy_nor_a_manifest_of_the_user_is_met(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".hpp").mkdir()
    (tmp_path / ".hpp" / "policy.json").write_text("broken", encoding="utf-8")
    (tmp_path / "hpp.manifest.json").write_text("broken", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))

    assert all(control() for control in CONTROLS.values())
    assert os.getcwd() == str(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [".hpp", "hpp.manifest.json"]


@pytest.mark.skipif(os.name == "nt", reason="a working folder cannot be removed there")
def test_a_working_folder_that_is_gone_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()

    assert cliproof.policy_enforcement() is True
