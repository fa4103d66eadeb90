from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from hpp.core.schema import faults, find_schema

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Call = Callable[..., tuple[int, Any, str]]
    Make = Callable[..., Any]
    Put = Callable[[str, object], str]

SPLIT = ("high low medium", "high low medium")  # ends with grounded dissent
AGREED = ("high high high",)


@pytest.fixture
def record(  # noqa: PLR0913, PLR0917 -- fixtures
    program: Call, put: Put, panel: Make, turns: Make, judge: Make, rationale: Make
) -> Callable[..., tuple[int, Any, str]]:
    """Return a caller of `record` on a session, a judge's value and the answered positions."""

    def call(
        rounds: tuple[str, ...],
        judged: object = "high",
        answered: str = "",
        changes: dict[str, Any] | None = None,
        out: str = "r.json",
    ) -> tuple[int, Any, str]:
        made = panel(**(changes or {}))
        words = ["--panel", put("p.json", made), "--turns", put("t.json", turns(made, *rounds))]
        if judged is not None:
            document = judged if isinstance(judged, dict) else judge(judged)
            words += ["--judge", put("j.json", document)]
        if answered:
            words += ["--rationale", put("a.json", rationale(made, *answered.split()))]
        return program("deliberate", "record", *words, "--out", out)

    return call


def test_a_record_holds_everything_that_it_derives_from(
    record: Callable[..., Any], workspace: Path, digest: Callable[[object], str], judge: Make
) -> None:
    code, printed, _ = record(SPLIT, "high", "low medium", {"evidence": {"ids": ["r1"]}})

    assert code == 0
    assert faults(find_schema("deliberation-recorded").document(), printed) == []
    assert (printed["status"], printed["record"]) == ("recorded", "r.json")
    written = json.loads((workspace / "r.json").read_text(encoding="utf-8"))
    assert faults(find_schema("deliberation").document(), written) == []
    sealed = {k: v for k, v in written.items() if k not in ("record_sha256", "human_decision")}
    assert written["record_sha256"] == printed["record_sha256"] == digest(sealed)
    assert written["human_decision"] is None
    assert written["usage"] == {"rounds": 2, "chars": 60, "max_rounds": 2, "max_chars": 1000}
    assert written["verdict"] == {"status": "recommendation", "value": "high", "reason": "judge"}
    assert (
        written["dissent"]
        == printed["dissent"]
        == [
            {"seat": "b", "position": "low", "grounded": True},
            {"seat": "c", "position": "medium", "grounded": True},
        ]
    )
    assert written["metrics"] == {
        "blind_agreement": 1 / 3,
        "final_agreement": 1 / 3,
        "flips_without_new_evidence": 0,
        "ungrounded_share": 0.0,
        "families": 2,
    }
    assert (written["evidence_gate"], written["judge_independence"]) == (
        "declared-unsourced",
        "full",
    )
    assert written["judge"]["outcome"] == judge()["outcome"]
    assert written["stop"]["reason"] == "no-new-evidence"
    assert [t["seat"] for t in written["turns"]] == list("abcabc")
    assert len(written["tally"]) == 2


def test_the_session_is_one_decision(record: Callable[..., Any], program: Call, put: Put) -> None:
    code, printed, _ = record(AGREED)

    assert code == 0
    decision = printed["decision"]
    assert decision["method"] == "panel"
    assert decision["provider"] == {"id": "p1", "model_served": "m-j"}
    assert decision["raw_response_sha256"] == printed["record_sha256"]
    assert decision["outcome"] == {
        "status": "recommendation",
        "value": "high",
        "confidence": None,
    }
    assert (decision["direction"], decision["declared"]) == ("informational", None)
    assert program("validate", put("d.json", decision))[0] == 0


def test_the_judge_s_direction_and_declared_value_stay(
    record: Callable[..., Any], judge: Make, program: Call, put: Put
) -> None:
    printed = record(AGREED, judge("low", direction="raise-only", declared="medium"), "high")[1]

    effective = program("validate", put("d.json", printed["decision"]))[1]["effective"]
    assert effective == {"value": "medium", "action": "kept", "declared": "medium"}


@pytest.mark.parametrize(
    ("rounds", "judged", "status", "code"),
    [
        (AGREED, "high", "recommendation", 0),
        (SPLIT, None, "abstention", 0),
        (("high high -",), "none", "blocked", 1),
        (AGREED, "failed", "instrument-failure", 1),
    ],
)
def test_the_status_is_that_of_the_verdict(  # noqa: PLR0913, PLR0917 -- the columns of the table
    record: Callable[..., Any],
    judge: Make,
    rounds: tuple[str, ...],
    judged: str | None,
    status: str,
    code: int,
) -> None:
    document: Any = {
        "high": judge("high"),
        None: judge(None),
        "none": None,
        "failed": judge(outcome={"status": "instrument-failure", "error": "boom"}),
    }[judged]

    found, printed, _ = record(rounds, document)

    assert (found, printed["verdict"]["status"]) == (code, status)
    assert printed["dissent"] == []
    outcome = printed["decision"]["outcome"]
    assert outcome["status"] == ("instrument-failure" if status == "blocked" else status)
    if status == "blocked":
        assert printed["verdict"] == {"status": "blocked", "value": None, "reason": "not-judged"}
        assert outcome["error"] == "not-judged: no turn of c in round 1"
    if status == "instrument-failure":
        assert (printed["verdict"]["error"], outcome["error"]) == ("boom", "boom")


def test_nobody_is_asked_after_a_round_with_a_missing_seat(
    record: Callable[..., Any], workspace: Path
) -> None:
    code, printed, told = record(("high high -",), "high")

    assert (code, printed["verdict"]["status"]) == (1, "blocked")
    assert "j.json: left out, since a seat is missing in the last round" in told
    assert json.loads((workspace / "r.json").read_text(encoding="utf-8"))["judge"] is None


@pytest.mark.parametrize(
    ("rounds", "judged", "answered", "told"),
    [
        (("high low medium",), "high", "", "the session goes on: not-converged"),
        ((), "high", "", "the session goes on: no-turns-yet"),
        (AGREED, None, "", "--judge: the judge's record is needed"),
        (SPLIT, "high", "", "--rationale: a rationale is needed: grounded dissent of b, c"),
        (SPLIT, "high", "low", 'steelman: the dissenting position "medium" is not answered'),
        (AGREED, "high", "low", "a.json: there is no grounded dissent that it could answer"),
    ],
)
def test_nothing_is_written_when_a_rule_is_broken(  # noqa: PLR0913, PLR0917 -- the columns of the table
    record: Callable[..., Any],
    workspace: Path,
    rounds: tuple[str, ...],
    judged: str | None,
    answered: str,
    told: str,
) -> None:
    code, _, message = record(rounds, judged, answered, out="deep/r.json")

    assert (code, told in message) == (2, True), message
    assert not (workspace / "deep").exists()


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"question__id": "x"}, "question: it is another question"),
        ({"state_sha256": "0" * 64}, "state_sha256: it is another state"),
        ({"method": "human", "outcome__confidence": None}, "method: expected one of local-model"),
        ({"method": "panel", "outcome__confidence": None}, "method: expected one of local-model"),
        ({"provider__id": "x"}, "provider.id: it is not that of the judge's seat"),
        ({"provider__model_served": "m-9"}, "provider.model_served: it is not that of the judge"),
        ({"authority": "binding"}, "authority: expected"),
    ],
)
def test_the_judge_is_the_one_who_sits_there(
    record: Callable[..., Any], judge: Make, changes: dict[str, Any], told: str
) -> None:
    code, _, message = record(AGREED, judge(**changes))

    assert (code, f"j.json: {told}" in message) == (2, True), message


def test_dissent_without_a_ground_needs_no_answer(record: Callable[..., Any]) -> None:
    code, printed, _ = record(("high high/ low/", "high high/ low/"), "high")

    assert (code, printed["dissent"]) == (0, [])


def test_a_judge_may_decide_against_everybody(record: Callable[..., Any]) -> None:
    code, printed, _ = record(AGREED, "low", "high")

    assert code == 0
    assert [each["seat"] for each in printed["dissent"]] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("rounds", "metrics"),
    [
        (AGREED, (1.0, 1.0, 0, 0.0)),
        (("high high low", "high high high"), (2 / 3, 1.0, 1, 0.0)),
        (("high/ low/ abstain", "high/ low/ abstain"), (0.5, 0.5, 0, 1.0)),
        (("abstain abstain abstain", "abstain abstain abstain"), (None, None, 0, None)),
        (("high/ low low", "high low low"), (2 / 3, 2 / 3, 0, 1 / 6)),
    ],
)
def test_metrics_by_hand(
    record: Callable[..., Any],
    judge: Make,
    workspace: Path,
    rounds: tuple[str, ...],
    metrics: tuple[Any, ...],
) -> None:
    assert record(rounds, judge(None))[0] == 0

    written = json.loads((workspace / "r.json").read_text(encoding="utf-8"))["metrics"]
    names = ("blind_agreement", "final_agreement", "flips_without_new_evidence")
    assert tuple(written[name] for name in (*names, "ungrounded_share")) == metrics
