from __future__ import annotations

import json
import sys
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpp.core.control import Control
from hpp.core.evaluation import CaseResult, Evaluation, Run, run_cases
from hpp.core.suite import Suite, parse_suite

OUTCOMES = st.lists(st.lists(st.booleans(), min_size=3, max_size=3), min_size=1, max_size=12)


def judged(outcomes: list[list[bool]], gate: str = "both") -> Evaluation:
    cases = [CaseResult(str(n), runs, ["replayed"] * len(runs)) for n, runs in enumerate(outcomes)]
    return Evaluation(Run({}, {}, 3, gate), cases)


def suite(*cases: dict[str, Any], controls: dict[str, Control] | None = None) -> Suite:
    data = json.dumps({"version": "1", "cases": cases}).encode()
    return parse_suite(data, "s", "s", controls or {})


def runs(k: int, *cases: dict[str, Any], **controls: Control) -> list[tuple[list[bool], list[str]]]:
    chosen = suite(*cases, controls=controls).cases
    results = run_cases(chosen, k, lambda *_: None)
    return [(result.outcomes, result.reasons) for result in results]


def python(code: str, **rest: Any) -> dict[str, Any]:  # noqa: ANN401 -- any JSON
    return {"id": code, "runner": "command", "command": [sys.executable, "-c", code], **rest}


def test_a_replay_gives_its_outcomes_in_turn() -> None:
    case = {"id": "a", "runner": "replay", "outcomes": [True, False]}

    assert runs(5, case) == [([True, False, True, False, True], ["replayed"] * 5)]


def test_the_exit_status_of_a_command_decides_and_is_told() -> None:
    cases = [
        python("pass"),
        python("raise SystemExit(3)"),
        python("import os; os.write(1, b'\\377')"),
    ]

    found = runs(1, *cases)

    assert found == [([True], ["passed"]), ([False], ["exit:3"]), ([True], ["passed"])]


def test_a_command_that_cannot_start_fails_with_a_reason_of_its_own() -> None:
    case = {"id": "a", "runner": "command", "command": ["no-such-program-here"]}

    assert runs(2, case) == [([False, False], ["could-not-start"] * 2)]


def test_a_command_that_takes_too_long_fails() -> None:
    assert runs(1, python("import time; time.sleep(60)", timeout=0.3)) == [([False], ["timeout"])]


@pytest.mark.skipif(sys.platform == "win32", reason="no signals there")
def test_a_command_that_a_signal_ends_tells_which() -> None:
    case = python("import os, signal; os.kill(os.getpid(), signal.SIGKILL)")

    assert runs(1, case) == [([False], ["signal:9"])]


def test_a_control_passes_only_with_true() -> None:
    def fails() -> bool:
        raise ValueError

    def needing() -> bool:
        return True

    needing.needs = ("no-such-program-here",)  # type: ignore[attr-defined]  # what a control may carry
    proofs: dict[str, Any] = {"yes": lambda: True, "no": lambda: False, "odd": lambda: 1}
    proofs |= {"raises": fails, "needs": needing}
    controls = {name: Control(lambda proof=proof: proof) for name, proof in proofs.items()}  # type: ignore[misc]  # a default argument binds it

    found = runs(1, *[{"id": name, "runner": "hpp-control"} for name in proofs], **controls)

    assert found == [
        ([True], ["control"]),
        ([False], ["control"]),
        ([False], ["control"]),
        ([False], ["control"]),
        ([False], ["could-not-start"]),
    ]


def test_a_control_that_cannot_be_loaded_fails() -> None:
    def absent() -> Any:  # noqa: ANN401 -- it never returns
        raise ImportError

    assert Control(absent).run() == (False, "control")


def test_progress_is_told_before_each_run() -> None:
    told: list[tuple[int, int, str]] = []
    cases = [{"id": name, "runner": "replay", "outcomes": [True]} for name in "ab"]

    run_cases(suite(*cases).cases, 2, lambda *step: told.append(step))

    assert told == [(0, 4, "a"), (1, 4, "a"), (2, 4, "b"), (3, 4, "b")]


def test_one_case_that_always_fails_is_not_hidden_by_the_average() -> None:
    evaluation = judged([[True] * 5] * 29 + [[False] * 5])

    assert evaluation.capability_ok
    assert not evaluation.regression_ok
    assert not evaluation.passed
    assert evaluation.document()["cases"][29]["pass_at_k"] is False


@pytest.mark.parametrize(
    ("passing", "total", "holds"), [(9, 10, True), (8, 9, False), (18, 20, True), (17, 19, False)]
)
def test_capability_is_decided_in_integers(passing: int, total: int, *, holds: bool) -> None:
    outcomes = [[True, False]] * passing + [[False, False]] * (total - passing)

    assert judged(outcomes, "capability").passed is holds


@given(OUTCOMES, st.sampled_from(["capability", "regression", "both"]))
def test_metrics_and_gates_follow_from_the_outcomes(outcomes: list[list[bool]], gate: str) -> None:
    document = judged(outcomes, gate).document()
    total = len(outcomes)
    some, every = sum(map(any, outcomes)), sum(map(all, outcomes))

    assert document["metrics"]["fractions"] == {
        "pass_at_k": {"numerator": some, "denominator": total},
        "pass_caret_k": {"numerator": every, "denominator": total},
        "flaky": {"numerator": some - every, "denominator": total},
    }
    assert document["metrics"]["flaky"] == (some - every) / total
    capability, regression = Fraction(some, total) >= Fraction(9, 10), every == total
    expected = {
        "capability": capability,
        "regression": regression,
        "both": capability and regression,
    }
    assert document["gate"]["passed"] is expected[gate]


def test_control_a_flaky_case_fails_the_gate_of_regressions_alone() -> None:
    flaky = [[True, False, True]]

    assert judged(flaky, "capability").passed
    assert not judged(flaky, "regression").passed
