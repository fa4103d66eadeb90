"""Each control passes, and fails as soon as the mechanism that it proves is broken by hand."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import pytest

from hpp.core import coreproof
from hpp.core.control import Control

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CONTROLS = {name: getattr(coreproof, name) for name in coreproof.__all__}


def nothing(*_: Any, **__: Any) -> list[Any]:  # noqa: ANN401 -- it takes the place of a check
    return []


@pytest.mark.parametrize("name", CONTROLS)
def test_a_control_passes_every_time(name: str) -> None:
    assert [CONTROLS[name]() for _ in range(3)] == [True] * 3


MUTATIONS: dict[str, tuple[str, str, object]] = {
    "no rule of a manifest": (
        "manifest_contract",
        "hpp.core.manifestrule.manifest_faults",
        nothing,
    ),
    "every manifest is broken": (
        "manifest_contract",
        "hpp.core.manifestrule.manifest_faults",
        lambda _: ["x: broken"],
    ),
    "one wave for all": ("workgraph_waves", "hpp.core.workgraph._levels", lambda units, _: [units]),
    "the cycle in another order": (
        "workgraph_waves",
        "hpp.core.workgraph._find_cycle",
        lambda _: ["b", "a", "b"],
    ),
    "no secret is seen": ("context_provenance", "hpp.core.secret.first_kind", lambda _: None),
    "everything is a secret": ("context_provenance", "hpp.core.secret.first_kind", lambda _: "x"),
    "another hash": ("context_provenance", "hpp.core.context.hashlib.sha256", hashlib.sha384),
    "no refusal": ("event_evidence_gate", "hpp.core.loop.Replay._not_allowed", SystemError),
    "another genesis": ("event_evidence_gate", "hpp.core.eventlog.GENESIS", "0" * 64),
}


@pytest.mark.parametrize(("name", "target", "broken"), MUTATIONS.values(), ids=MUTATIONS)
def test_a_broken_mechanism_fails_its_control(
    monkeypatch: pytest.MonkeyPatch, name: str, target: str, broken: object
) -> None:
    monkeypatch.setattr(target, broken)

    assert Control(lambda: CONTROLS[name]).run()[0] is False


def test_a_loop_that_lets_anything_pass_fails_its_control(monkeypatch: pytest.MonkeyPatch) -> None:
    from hpp.core.loop import Loop

    def lenient(*_: object) -> Loop:
        kinds = ("work_started", "evidence_recorded", "check_passed", "human_approved")
        moves = [("planned", kind, "planned") for kind in kinds]
        return Loop("planned", [*moves, ("planned", "verified", "verified")])

    monkeypatch.setattr(Loop, "of", lenient)
    monkeypatch.setattr("hpp.core.loop.VERIFIED", "nothing")  # nor does it ask for evidence

    assert coreproof.event_evidence_gate() is False


def test_a_log_that_a_refused_event_leaves_behind_fails_the_control(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from hpp.core.journal import Journal

    original: Callable[..., Any] = Journal.append

    def careless(self: Journal, *rest: Any) -> Any:  # noqa: ANN401 -- as the original
        from pathlib import Path

        Path(self.root, ".hpp").mkdir(exist_ok=True)
        return original(self, *rest)

    monkeypatch.setattr(Journal, "append", careless)

    assert coreproof.event_evidence_gate() is False


def test_nothing_of_the_working_folder_is_read_or_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "hpp.manifest.json").write_text("broken", encoding="utf-8")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))

    assert all(control() for control in CONTROLS.values())
    assert [path.name for path in tmp_path.iterdir()] == ["hpp.manifest.json"]
