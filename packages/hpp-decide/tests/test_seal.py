from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from hpp.core.errors import RefusedError
from hpp.core.schema import faults, find_schema
from hpp.core.service import find_service
from hpp.decide.seal import broken_reason, sealed_record

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Call = Callable[..., tuple[int, Any, str]]
    Make = Callable[..., Any]
    Put = Callable[[str, object], str]
    Digest = Callable[[object], str]

NOT_SEALED = ("record_sha256", "human_decision")


@pytest.fixture
def record(  # noqa: PLR0913, PLR0917 -- fixtures
    program: Call, put: Put, panel: Make, turns: Make, judge: Make, rationale: Make, workspace: Path
) -> dict[str, Any]:
    """Return a record with dissent that was answered."""
    made = panel()
    spoken = turns(made, "high low medium", "high low medium")
    words = ["--panel", put("p.json", made), "--turns", put("t.json", spoken)]
    words += ["--judge", put("j.json", judge())]
    words += ["--rationale", put("a.json", rationale(made, "low", "medium"))]
    assert program("deliberate", "record", *words, "--out", "r.json")[0] == 0
    written: dict[str, Any] = json.loads((workspace / "r.json").read_text(encoding="utf-8"))
    return written


@pytest.fixture
def resealed(changed: Make, digest: Digest) -> Make:
    """Return a function that changes a record and seals it again."""

    def call(record: dict[str, Any], changes: dict[str, object]) -> dict[str, Any]:
        made: dict[str, Any] = changed(record, changes)
        sealed = {key: value for key, value in made.items() if key not in NOT_SEALED}
        return {**made, "record_sha256": digest(sealed)}

    return call


def test_a_record_is_intact(record: dict[str, Any], program: Call) -> None:
    code, printed, _ = program("deliberate", "verify", "r.json")

    assert code == 0
    assert printed == {
        "status": "intact",
        "schema": "hpp.deliberation/v2",
        "record_sha256": record["record_sha256"],
        "verdict": record["verdict"],
        "stop": record["stop"],
    }
    assert faults(find_schema("deliberation-verification").document(), printed) == []
    assert program("deliberate", "validate", "r.json")[:2] == (0, printed)


def test_every_value_is_under_the_seal(record: dict[str, Any]) -> None:
    for key in record.keys() - set(NOT_SEALED):
        told = broken_reason({**record, key: "edited"})
        assert told is not None, key
    assert broken_reason({**record, "record_sha256": "0" * 64}) == (
        "record_sha256: the record is not the one that was sealed"
    )


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"verdict__value": "low"}, "verdict: it does not derive"),
        ({"verdict__reason": "the crowd"}, "verdict: it does not derive"),
        ({"judge__outcome__value": "low"}, "rationale.steelman"),
        ({"judge__outcome__confidence": None}, None),
        ({"judge__provider__model_served": "m-9"}, "judge.provider.model_served: it is not that"),
        ({"judge": None}, "judge: the judge's record is needed"),
        ({"rationale": None}, "rationale: a rationale is needed"),
        ({"rationale__would_change_if": []}, "rationale.would_change_if: expected a list"),
        ({"turns__3__position": "low"}, "turns[3].sha256: it is not the hash"),
        ({"turns__0__chars": 99}, "turns[0].sha256: it is not the hash"),
        ({"turns": []}, "judge: the session goes on: no-turns-yet"),
        ({"tally__0__leading": "high"}, "tally: it does not derive"),
        ({"tally__1__chars": 31}, "tally: it does not derive"),
        ({"stop__escalate": False}, "stop: it does not derive"),
        ({"stop__reason": "max-rounds"}, "stop: it does not derive"),
        ({"usage__chars": 61}, "usage: it does not derive"),
        ({"usage__chars": 60.0}, "usage: it does not derive"),
        ({"dissent": []}, "dissent: it does not derive"),
        ({"dissent__0__seat": "c"}, "dissent: it does not derive"),
        ({"metrics__blind_agreement": 1.0}, "metrics: it does not derive"),
        ({"metrics__ungrounded_share": 0}, "metrics: it does not derive"),
        ({"judge_independence": "partial"}, "judge_independence: it does not derive"),
        ({"evidence_gate": "resolved"}, "evidence_gate: it does not derive"),
        ({"panel__seats__0__lane": "x"}, "panel.sha256: it is not the hash"),
        ({"panel__families": ["fa"]}, "panel: it does not derive"),
        ({"panel__judge_independence": "partial"}, "panel: it does not derive"),
        ({"panel__note": "x"}, "panel: it does not derive"),
        ({"turns__0__note": "x"}, "turns: it does not derive"),
        ({"judge__note": "x"}, "judge: it does not derive"),
        ({"note": "x"}, "note: a record has no such key"),
        ({"schema": "hpp.deliberation/v1"}, "rationale: there is no grounded dissent"),
    ],
)
def test_a_record_that_was_sealed_again_still_has_to_derive(
    record: dict[str, Any], resealed: Make, changes: dict[str, object], told: str | None
) -> None:
    reason = broken_reason(resealed(record, changes))

    if told is None:
        assert reason is None
    else:
        assert reason is not None
        assert reason.startswith(told)


@pytest.mark.parametrize("key", ["tally", "usage", "dissent", "metrics", "evidence_gate"])
def test_a_record_lacks_nothing(
    record: dict[str, Any], resealed: Make, dropped: object, key: str
) -> None:
    assert broken_reason(resealed(record, {key: dropped})) == f"{key}: it is missing"


def test_a_consistent_rewrite_is_not_seen_and_that_is_said(
    record: dict[str, Any], resealed: Make, digest: Digest
) -> None:
    # The seal is no signature; the hashes of the spoken texts are what stands outside.
    turn = {**record["turns"][0], "text_sha256": "0" * 64}
    del turn["sha256"]
    turn["sha256"] = digest(turn)

    assert broken_reason(resealed(record, {"turns__0": turn})) is None


@pytest.mark.parametrize(
    "human",
    [
        {"value": "low", "by": "Ana"},
        {"value": "high", "by": "Ana", "note": ""},
        None,
    ],
)
def test_a_person_decides_after_the_seal(record: dict[str, Any], human: object) -> None:
    assert broken_reason({**record, "human_decision": human}) is None


@pytest.mark.parametrize(
    ("human", "told"),
    [
        ({}, "human_decision.value: expected one of low"),
        ({"value": "none", "by": "Ana"}, "human_decision.value: expected one of low"),
        ({"value": "abstain", "by": "Ana"}, "human_decision.value: expected one of low"),
        ({"value": "low"}, "human_decision.by: expected a text in which"),
        ({"value": "low", "by": " \u200b"}, "human_decision.by: expected a text in which"),
        ({"value": "low", "by": "Ana", "note": 7}, "human_decision.note: expected a text"),
        ({"value": "low", "by": "Ana", "when": "now"}, "human_decision.when: unknown key"),
        ("low", "human_decision: expected an object"),
        (False, "human_decision: expected an object"),
    ],
)
def test_what_a_person_filled_in_is_well_formed(
    record: dict[str, Any], human: object, told: str
) -> None:
    reason = broken_reason({**record, "human_decision": human})

    assert reason is not None
    assert reason.startswith(told)


def test_the_key_for_a_person_is_there(
    record: dict[str, Any], changed: Make, dropped: object
) -> None:
    reason = broken_reason(changed(record, {"human_decision": dropped}))

    assert reason == "human_decision: it is missing; it is null until a person decides"


@pytest.fixture
def first_form(record: dict[str, Any], resealed: Make, dropped: object) -> dict[str, Any]:
    """Return the same session as a record of the first form."""
    changes = {"schema": "hpp.deliberation/v1", "evidence_gate": dropped, "rationale": dropped}
    made: dict[str, Any] = resealed(record, changes)
    return made


def test_a_record_of_the_first_form_has_its_own_rules(
    first_form: dict[str, Any], resealed: Make, program: Call, put: Put
) -> None:
    code, printed, _ = program("deliberate", "verify", put("v1.json", first_form))

    assert (code, printed["schema"]) == (0, "hpp.deliberation/v1")
    assert faults(find_schema("deliberation").document(), first_form) == []
    with_gate = resealed(first_form, {"evidence_gate": "not-declared"})
    assert broken_reason(with_gate) == "evidence_gate: a record has no such key"
    assert broken_reason(resealed(first_form, {"rationale": None})) == (
        "rationale: a record has no such key"
    )


def test_a_record_of_the_first_form_declares_no_evidence(
    first_form: dict[str, Any], resealed: Make, dropped: object
) -> None:
    changes = {"panel__evidence": {"ids": ["r1"]}, "panel__sha256": dropped}

    reason = broken_reason(resealed(first_form, changes))

    assert reason is not None
    assert reason.startswith("panel.evidence: a record of hpp.deliberation/v1 declares none")


def test_a_broken_record_is_told_with_status_2(
    record: dict[str, Any], program: Call, put: Put
) -> None:
    broken = put("b.json", {**record, "note": "x"})

    for words in (["verify"], ["validate"]):
        code, printed, told = program("deliberate", *words, broken)
        assert (code, printed["status"], told) == (2, "broken", "")
        assert faults(find_schema("deliberation-verification").document(), printed) == []


@pytest.mark.parametrize("document", [[], {}, {"schema": "hpp.panel/v1"}, {"schema": 7}])
def test_what_is_no_record_is_refused(program: Call, put: Put, document: object) -> None:
    code, printed, told = program("deliberate", "verify", put("x.json", document))

    assert (code, printed) == (2, None)
    assert told.startswith("hpp: x.json: ")


def test_any_rubbish_under_the_right_name_is_broken_and_no_fault_of_ours(
    program: Call, put: Put
) -> None:
    rubbishes: list[Any] = [None, 7, [], {}, "x", [[]], {"seats": [None]}]
    for rubbish in rubbishes:
        for key in ("panel", "turns", "judge", "human_decision", "record_sha256"):
            document = {"schema": "hpp.deliberation/v2", key: rubbish}
            assert program("deliberate", "verify", put("x.json", document))[0] == 2


def test_a_record_names_its_panel(
    record: dict[str, Any], program: Call, put: Put, panel: Make
) -> None:
    del record

    assert program("deliberate", "validate", "r.json", "--panel", "p.json")[0] == 0
    other = put("other.json", panel(id="other"))
    code, _, told = program("deliberate", "validate", "r.json", "--panel", other)
    assert (code, "it is another panel than --panel" in told) == (2, True)


def test_another_family_gets_an_intact_record_and_no_other(
    record: dict[str, Any], put: Put
) -> None:
    assert find_service("deliberation", "--deliberation") is sealed_record
    assert sealed_record("r.json") == record
    with pytest.raises(RefusedError, match=r"^b.json: the record is broken: record_sha256: "):
        sealed_record(put("b.json", {**record, "note": 1}))
    with pytest.raises(RefusedError, match=r"^p.json: schema: expected one of hpp.deliberation"):
        sealed_record("p.json")
