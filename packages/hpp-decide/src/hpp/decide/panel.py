"""A panel ``hpp.panel/v1``: who deliberates on what, with how much to say."""

from __future__ import annotations

from hpp.core.canonical import canonical_bytes, sha256_hex
from hpp.decide.evidence import Evidence, read_evidence
from hpp.decide.place import folded
from hpp.decide.question import read_question
from hpp.decide.seat import DISSENT, EXAMINER, JUDGE, PROPONENT, read_seats

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hpp.decide.place import Place
    from hpp.decide.question import Question
    from hpp.decide.seat import Seat

__all__ = ["SCHEMA", "SESSION_TYPES", "Panel", "read_panel"]

SCHEMA = "hpp.panel/v1"
# What a session of a type has among its participants, at least.
SESSION_TYPES = {
    "plan": {PROPONENT: 2, DISSENT: 1, EXAMINER: 1},
    "review": {EXAMINER: 2, DISSENT: 1},
    "release-gate": {EXAMINER: 1, DISSENT: 1},
    "incident": {PROPONENT: 2},
    "design": {DISSENT: 1},  # and a proponent for every option
}
MOST_ROUNDS = 10
_MOST_INCIDENT_ROUNDS = 2


class Panel:
    """A panel that keeps every rule.

    Attributes:
        id, session_type, state_sha256: As given.
        question: What is asked.
        seats: In their order, the judge among them.
        max_rounds, max_chars: What the session may take.
        evidence: What may be cited, or None when nothing is declared.

    """

    __slots__ = (
        "evidence",
        "id",
        "max_chars",
        "max_rounds",
        "question",
        "seats",
        "session_type",
        "state_sha256",
    )

    def __init__(  # noqa: PLR0913 -- one value a key of the document
        self,
        *,
        panel_id: str,
        session_type: str,
        question: Question,
        state_sha256: str,
        seats: list[Seat],
        max_rounds: int,
        max_chars: int,
        evidence: Evidence | None,
    ) -> None:
        self.id = panel_id
        self.session_type = session_type
        self.question = question
        self.state_sha256 = state_sha256
        self.seats = seats
        self.max_rounds = max_rounds
        self.max_chars = max_chars
        self.evidence = evidence

    @property
    def judge(self) -> Seat:
        """Return the seat of the judge."""
        return next(seat for seat in self.seats if seat.role == JUDGE)

    @property
    def participants(self) -> list[Seat]:
        """Return the seats that speak, in their order."""
        return [seat for seat in self.seats if seat.role != JUDGE]

    @property
    def families(self) -> list[str]:
        """Return the families of the participants, each in its first spelling, sorted."""
        spelt: dict[str, str] = {}
        for seat in self.participants:
            spelt.setdefault(folded(seat.family), seat.family)
        return sorted(spelt.values())

    @property
    def judge_independence(self) -> str:
        """Return ``full``, or ``partial`` when the judge is of a participant's family."""
        family = folded(self.judge.family)
        is_shared = any(folded(seat.family) == family for seat in self.participants)
        return "partial" if is_shared else "full"

    @property
    def sha256(self) -> str:
        """Return the hash of everything that is not derived."""
        return sha256_hex(canonical_bytes(self._hashed()))

    def document(self) -> dict[str, Any]:
        """Return the normalised panel."""
        return {
            **self._hashed(),
            "sha256": self.sha256,
            "judge": self.judge.id,
            "families": self.families,
            "judge_independence": self.judge_independence,
        }

    def with_evidence(self, evidence: Evidence) -> Panel:
        """Return the same panel with other evidence."""
        return Panel(
            panel_id=self.id,
            session_type=self.session_type,
            question=self.question,
            state_sha256=self.state_sha256,
            seats=self.seats,
            max_rounds=self.max_rounds,
            max_chars=self.max_chars,
            evidence=evidence,
        )

    def _hashed(self) -> dict[str, Any]:
        hashed = {
            "schema": SCHEMA,
            "id": self.id,
            "session_type": self.session_type,
            "question": self.question.document(),
            "state_sha256": self.state_sha256,
            "seats": [seat.document() for seat in self.seats],
            "budget": {"max_rounds": self.max_rounds, "max_chars": self.max_chars},
        }
        if self.evidence is not None:
            hashed["evidence"] = self.evidence.document()
        return hashed


def read_panel(place: Place) -> Panel:
    """Return the panel that stands at a place; keys it does not know are left out.

    Raises:
        RefusedError: It breaks a rule; the first one is named with its path.

    """
    place.mapping()
    place.at("schema").exactly(SCHEMA)
    panel_id = place.at("id").solid()
    session_type = place.at("session_type").choice(list(SESSION_TYPES))
    question = read_question(place.at("question"))
    state_sha256 = place.at("state_sha256").digest()
    seats = read_seats(place.at("seats"))
    _check_roles(place.at("seats"), seats, session_type, question)
    budget = place.at("budget")
    is_incident = session_type == "incident"
    panel = Panel(
        panel_id=panel_id,
        session_type=session_type,
        question=question,
        state_sha256=state_sha256,
        seats=seats,
        max_rounds=budget.at("max_rounds").integer(
            1, _MOST_INCIDENT_ROUNDS if is_incident else MOST_ROUNDS
        ),
        max_chars=budget.at("max_chars").integer(1),
        evidence=read_evidence(place.at("evidence")),
    )
    digest = place.at("sha256")
    if not digest.is_none and digest.digest() != panel.sha256:
        digest.refuse(f"it is not the hash of this panel, which is {panel.sha256}")
    return panel


def _check_roles(place: Place, seats: list[Seat], session_type: str, question: Question) -> None:
    wanted = dict(SESSION_TYPES[session_type])
    if session_type == "design":
        wanted[PROPONENT] = len(question.options)
    for role, least in wanted.items():
        count = sum(seat.role == role for seat in seats)
        if count < least:
            place.refuse(
                f"a session of the type {session_type} has {least} or more of the role {role}, "
                f"here are {count}"
            )
