"""The record ``hpp.deliberation/v2`` of a session that has ended, sealed over itself.

Everything in it but the seal and a person's later word is derived from panel, turns,
judge and rationale, so a record can be derived again and compared value for value. The
seal is no signature: who rewrites the turns can seal again; the texts' own hashes are what
stands outside.
"""

from __future__ import annotations

from fractions import Fraction

from hpp.core.canonical import canonical_bytes, sha256_hex
from hpp.core.text import shorten
from hpp.decide.decision import (
    FAILURE,
    INFORMATIONAL,
    MODEL_METHODS,
    PANEL,
    RECOMMENDATION,
    Decision,
    read_decision,
)
from hpp.decide.evidence import gate_of
from hpp.decide.place import folded
from hpp.decide.rationale import read_rationale
from hpp.decide.stop import NOT_JUDGED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hpp.decide.panel import Panel
    from hpp.decide.place import Place
    from hpp.decide.session import Session
    from hpp.decide.tally import Round

__all__ = ["BLOCKED", "SCHEMA", "SCHEMA_V1", "Deliberation", "conclude", "seal_of"]

SCHEMA = "hpp.deliberation/v2"
SCHEMA_V1 = "hpp.deliberation/v1"
BLOCKED = "blocked"
_NOT_SEALED = ("record_sha256", "human_decision")
_NOT_IN_V1 = ("evidence_gate", "rationale")


class Deliberation:
    """A session that has ended, and what its judge made of it.

    Attributes:
        session: What was said.
        judge: The judge's record, None when nobody was asked.
        rationale: The judge's answer to dissent, None when there is none.
        schema: `SCHEMA`, or `SCHEMA_V1` for a record of that form.

    """

    __slots__ = ("judge", "rationale", "schema", "session")

    def __init__(
        self,
        session: Session,
        judge: Decision | None,
        rationale: dict[str, Any] | None = None,
        schema: str = SCHEMA,
    ) -> None:
        self.session = session
        self.judge = judge
        self.rationale = rationale
        self.schema = schema

    @property
    def verdict(self) -> dict[str, Any]:
        """Return ``{"status", "value", "reason"}``, with an error when the judge failed."""
        if self.judge is None:
            return {"status": BLOCKED, "value": None, "reason": NOT_JUDGED}
        verdict = {"status": self.judge.status, "value": self.judge.value, "reason": "judge"}
        if self.judge.error is not None:
            verdict["error"] = self.judge.error
        return verdict

    @property
    def is_answered(self) -> bool:
        """Say whether the judge recommended something or abstained."""
        return self.judge is not None and self.judge.status != FAILURE

    def dissent(self) -> list[dict[str, Any]]:
        """Return the seats of the last round that stand grounded against a recommendation."""
        if self.judge is None or self.judge.status != RECOMMENDATION:
            return []
        turns = self.session.rounds[-1].grounded_elsewhere(self.judge.value)
        return [{"seat": turn.seat, "position": turn.position, "grounded": True} for turn in turns]

    def document(self) -> dict[str, Any]:
        """Return the sealed record, without a person's decision."""
        record = self._sealed()
        return {**record, "record_sha256": seal_of(record), "human_decision": None}

    def decision(self) -> Decision:
        """Return the session as one decision, whose raw response is the sealed record."""
        panel, judge = self.session.panel, self.judge
        error = None
        if judge is None:
            missing = ", ".join(shorten(seat, 40) for seat in self.session.rounds[-1].not_judged)
            error = f"{NOT_JUDGED}: no turn of {missing} in round {self.session.stop.round}"
        elif judge.status == FAILURE:
            error = judge.error
        return Decision(
            question=panel.question,
            state_sha256=panel.state_sha256,
            method=PANEL,
            status=FAILURE if judge is None else judge.status,
            direction=INFORMATIONAL if judge is None else judge.direction,
            declared=None if judge is None else judge.declared,
            value=None if judge is None else judge.value,
            error=error,
            provider={"id": panel.id, "model_served": panel.judge.model_served},
            raw_response_sha256=seal_of(self._sealed()),
        )

    def _sealed(self) -> dict[str, Any]:
        session, panel = self.session, self.session.panel
        record = {
            "schema": self.schema,
            "panel": panel.document(),
            "turns": [turn.document() for turn in session.turns],
            "tally": [each.document() for each in session.rounds],
            "stop": session.stop.document(),
            "usage": {
                "rounds": len(session.rounds),
                "chars": sum(each.chars for each in session.rounds),
                "max_rounds": panel.max_rounds,
                "max_chars": panel.max_chars,
            },
            "judge": None if self.judge is None else self.judge.document(),
            "verdict": self.verdict,
            "dissent": self.dissent(),
            "metrics": _metrics(session),
            "judge_independence": panel.judge_independence,
            "evidence_gate": gate_of(panel.evidence),
            "rationale": self.rationale,
        }
        if self.schema == SCHEMA_V1:
            for key in _NOT_IN_V1:
                del record[key]
        return record


def conclude(
    session: Session, judge: Place, rationale: Place, schema: str = SCHEMA
) -> Deliberation:
    """Return a session with its judge's word.

    Args:
        session: It must have stopped.
        judge: Where the judge's record stands. Nobody is asked after a round in which a
            seat was missing, so it must be absent then.
        rationale: Where the answer to dissent stands; needed exactly when there is dissent.
        schema: The form of the record; the first one had no rationale.

    Raises:
        RefusedError: A rule is broken.

    """
    if not session.stop.is_stopped:
        judge.refuse(f"the session goes on: {session.stop.reason}")
    if session.stop.reason == NOT_JUDGED:
        for place in (judge, rationale):
            if not place.is_none:
                place.refuse("nobody is asked: a seat is missing in the last round")
        return Deliberation(session, None, schema=schema)
    if judge.is_none:
        judge.refuse("the judge's record is needed: the session has ended")
    concluded = Deliberation(session, _read_judge(judge, session.panel), schema=schema)
    dissent = concluded.dissent() if schema == SCHEMA else []
    if not dissent:
        if not rationale.is_none:
            rationale.refuse("there is no grounded dissent that it could answer")
        return concluded
    if rationale.is_none:
        seats = ", ".join(shorten(each["seat"], 40) for each in dissent)
        rationale.refuse(f"a rationale is needed: grounded dissent of {seats}")
    positions = [each["position"] for each in dissent]
    answered = read_rationale(rationale, session.panel, positions)
    return Deliberation(session, concluded.judge, answered, schema)


def seal_of(record: Mapping[str, Any]) -> str:
    """Return the SHA-256 of the canonical JSON of what the seal of a record covers."""
    covered = {key: value for key, value in record.items() if key not in _NOT_SEALED}
    return sha256_hex(canonical_bytes(covered))


def _read_judge(place: Place, panel: Panel) -> Decision:
    decision = read_decision(place)
    seat = panel.judge
    if decision.question.sha256 != panel.question.sha256:
        place.at("question").refuse("it is another question than the panel's")
    if decision.state_sha256 != panel.state_sha256:
        place.at("state_sha256").refuse("it is another state than the panel's")
    if decision.method not in MODEL_METHODS:
        place.at("method").refuse(f"expected one of {', '.join(MODEL_METHODS)}")
    served = decision.provider or {}
    for key, seated in (("id", seat.provider), ("model_served", seat.model_served)):
        if folded(served[key]) != folded(seated):
            what = f'it is not that of the judge\'s seat, "{shorten(seated, 40)}"'
            place.at("provider").at(key).refuse(what)
    return decision


def _metrics(session: Session) -> dict[str, Any]:
    rounds = session.rounds
    votes = [kinds for each in rounds for kinds in each.votes.values()]
    ungrounded = sum(kinds["ungrounded"] for kinds in votes)
    total = ungrounded + sum(kinds["grounded"] for kinds in votes)
    return {
        "blind_agreement": _agreement(rounds[0]),
        "final_agreement": _agreement(rounds[-1]),
        "flips_without_new_evidence": sum(len(each.flips) for each in rounds),
        "ungrounded_share": float(Fraction(ungrounded, total)) if total else None,
        "families": len(session.panel.families),
    }


def _agreement(counted: Round) -> float | None:
    """Return the largest share of the votes of a round, None without a vote."""
    sides = [kinds["grounded"] + kinds["ungrounded"] for kinds in counted.votes.values()]
    return float(Fraction(max(sides), sum(sides))) if sum(sides) else None
