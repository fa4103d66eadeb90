"""A turn ``hpp.turn/v1``: one seat's position in one round, and what it rests on.

Of the spoken text only its hash and its length are kept.
"""

from __future__ import annotations

from hpp.core.canonical import canonical_bytes, sha256_hex
from hpp.core.text import shorten
from hpp.decide.question import ABSTAIN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hpp.decide.panel import Panel
    from hpp.decide.place import Place

__all__ = ["SCHEMA", "Turn", "read_turn"]

SCHEMA = "hpp.turn/v1"
FACT = "fact"
KINDS = (FACT, "inference", "opinion")


class Turn:
    """A turn that keeps the rules which one turn alone can break.

    Attributes:
        seat: Id of a participant.
        round: From 1.
        position: An option, or ``abstain``.
        claims: Pairs of a kind and the references it cites.
        sha256: Of the turn's canonical JSON without this hash.

    """

    __slots__ = (
        "_document",
        "chars",
        "claims",
        "position",
        "round",
        "seat",
        "seen_turns",
        "sha256",
    )

    def __init__(self, document: dict[str, Any]) -> None:
        self._document = document
        self.seat: str = document["seat"]
        self.round: int = document["round"]
        self.position: str = document["position"]
        self.chars: int = document["chars"]
        self.seen_turns: list[str] = document["seen_turns"]
        self.claims = [(claim["kind"], claim["refs"]) for claim in document["claims"]]
        self.sha256 = sha256_hex(canonical_bytes(document))

    @property
    def has_vote(self) -> bool:
        """Say whether the seat took a side."""
        return self.position != ABSTAIN

    def references(self, *, facts_only: bool = False) -> list[str]:
        """Return what the turn cites, each once, in its order."""
        cited = [
            ref for kind, refs in self.claims for ref in refs if kind == FACT or not facts_only
        ]
        return list(dict.fromkeys(cited))

    def document(self) -> dict[str, Any]:
        """Return the normalised turn with its hash."""
        return {**self._document, "sha256": self.sha256}


def read_turn(place: Place, panel: Panel) -> Turn:
    """Return the turn that stands at a place; keys it does not know are left out.

    Raises:
        RefusedError: It breaks a rule, or belongs to another panel.

    """
    place.mapping()
    place.at("schema").exactly(SCHEMA)
    digest = place.at("panel_sha256")
    if digest.digest() != panel.sha256:
        digest.refuse(f"it is a turn of another panel; this one is {panel.sha256}")
    confidence = place.at("confidence")
    round_number = place.at("round").integer(1, panel.max_rounds)
    turn = Turn(
        {
            "schema": SCHEMA,
            "panel_sha256": panel.sha256,
            "seat": _seat(place.at("seat"), panel),
            "round": round_number,
            "position": place.at("position").choice((*panel.question.options, ABSTAIN)),
            "confidence": None if confidence.is_none else confidence.share(),
            "claims": [_claim(claim) for claim in place.at("claims").items(of="claims")],
            "text_sha256": place.at("text_sha256").digest(),
            "chars": place.at("chars").integer(0),
            "seen_turns": _seen(place.at("seen_turns"), round_number),
        }
    )
    own = place.at("sha256")
    if not own.is_none and own.digest() != turn.sha256:
        own.refuse(f"it is not the hash of this turn, which is {turn.sha256}")
    return turn


def _seat(place: Place, panel: Panel) -> str:
    seat = place.solid()
    if seat == panel.judge.id:
        place.refuse("the judge takes no turn")
    if all(seat != participant.id for participant in panel.participants):
        place.refuse(f'the panel has no seat "{shorten(seat, 40)}"')
    return seat


def _claim(place: Place) -> dict[str, Any]:
    place.mapping()
    refs: dict[str, None] = {}
    kind = place.at("kind").choice(KINDS)
    for item in place.at("refs").items(of="references"):
        if item.text() in refs:
            item.refuse(f'the reference "{shorten(item.value, 40)}" is repeated')
        refs[item.value] = None
    return {"kind": kind, "refs": list(refs)}


def _seen(place: Place, round_number: int) -> list[str]:
    seen: dict[str, None] = {}
    for item in place.items(of="hashes of turns"):
        if round_number == 1:
            place.refuse("the first round is blind: nobody has seen a turn")
        if item.digest() in seen:
            item.refuse("the turn is named twice")
        seen[item.value] = None
    return list(seen)
