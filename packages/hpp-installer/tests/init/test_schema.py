"""The published schemas say what the loaders say, and results fit their own."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hpp.core.schema import checker, find_schema
from hpp.installer.answer import answers_faults
from hpp.installer.command import main
from hpp.installer.profile import profile_faults

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from hpp.core.validation import Checker

    Init = Callable[..., tuple[int, dict[str, Any]]]

PROFILE: dict[str, Any] = {
    "schema": "hpp.init/v1",
    "protocol_version": "2.1",
    "product_version": "0.1.0",
    "host": "codex",
    "bundle": "custom",
    "modules": ["lane-kit", "operator-kit"],
    "policy_mode": "audit",
    "decision_advisor": "typesafe",
}
ANSWERS: dict[str, Any] = {
    "host": "codex",
    "bundle": "b",
    "modules": ["a"],
    "policy_mode": "loud",
    "decision_advisor": "off",
}
JUNK = st.sampled_from(
    [None, True, 0, 1.5, "", " ", "\x1c", "\u00a0", "a", "audit", "enforce", "off", "openrouter",
     "hpp.init/v1", [], {}, [""], [" "], ["a"], ["a", "a"], ["a", 1], [["a"]], {"a": 1}],
)  # fmt: skip
KEYS = st.sampled_from([*PROFILE, "colour", ""])
CHANGES = st.lists(st.tuples(KEYS, st.one_of(JUNK, st.just(...))), max_size=4)


@pytest.fixture(scope="module")
def profile_schema() -> Checker:
    return checker(find_schema("init").document())


@pytest.fixture(scope="module")
def answers_schema() -> Checker:
    return checker(find_schema("init-answers").document())


def changed(document: dict[str, Any], changes: list[tuple[str, object]]) -> dict[str, Any]:
    made = copy.deepcopy(document)
    for key, value in changes:
        if value is ...:
            made.pop(key, None)
        else:
            made[key] = value
    return made


@settings(max_examples=250, deadline=None)
@given(CHANGES)
def test_schema_and_loader_agree_on_profiles(
    profile_schema: Checker, changes: list[tuple[str, object]]
) -> None:
    document = changed(PROFILE, changes)

    assert bool(profile_schema.faults(document)) == bool(profile_faults(document)), document


@settings(max_examples=250, deadline=None)
@given(CHANGES)
def test_schema_and_loader_agree_on_answers(
    answers_schema: Checker, changes: list[tuple[str, object]]
) -> None:
    document = changed(ANSWERS, changes)

    assert bool(answers_schema.faults(document)) == bool(answers_faults(document)), document


def test_control_sound_documents_pass_and_broken_ones_do_not(
    profile_schema: Checker, answers_schema: Checker
) -> None:
    assert profile_schema.faults(PROFILE) == [] == profile_faults(PROFILE)
    assert answers_schema.faults(ANSWERS) == [] == answers_faults(ANSWERS)
    assert profile_faults({**PROFILE, "schema": "hpp.init/v2"})
    assert answers_faults({"colour": 1}) == [
        "colour: unknown question; there are host, bundle, modules, policy_mode, decision_advisor"
    ]


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("--apply",),
        ("--host", "codex", "--decision-advisor", "compatible"),
        ("--host", "codex", "--modules", "claude-dev-kit"),
        ("--manifest", "dist/hpp.manifest.json"),
        ("--manifest", "torn/hpp.manifest.json"),
    ],
)
def test_every_report_fits_its_schema(
    init: Init, tree: Path, project: Path, words: tuple[str, ...]
) -> None:
    import shutil

    assert project.is_dir()
    shutil.copytree(tree, tree.parent / "torn")
    (tree.parent / "torn/multi-session/lane-kit-0.1.0/README.md").unlink()

    _, report = init(*words)

    schema = checker(find_schema("init-report").document())
    assert schema.faults(report) == []
    assert schema.faults({**report, "writes": 2})


@pytest.mark.parametrize("host", ["codex", "claude-code"])
def test_every_plan_fits_its_schema(capfdbinary: pytest.CaptureFixture[bytes], host: str) -> None:
    words = ["install", "--bundle", "reliable-coding", "--host", host, "--target", "t"]
    assert main(words) == 0

    plan = json.loads(capfdbinary.readouterr().out)
    schema = checker(find_schema("install-plan").document())
    assert schema.faults(plan) == []
    assert schema.faults({**plan, "mode": "applied"})
