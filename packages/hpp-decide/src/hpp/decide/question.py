"""The question of a typed decision: a choice among a few options."""

from __future__ import annotations

from hpp.core.canonical import canonical_bytes, sha256_hex
from hpp.core.text import shorten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hpp.decide.place import Place

__all__ = ["ABSTAIN", "CHOICE", "Question", "read_question"]

ABSTAIN = "abstain"
CHOICE = "choice"
_FEWEST, _MOST = 2, 255


class Question:
    """A question with its options.

    Attributes:
        id: Names it.
        options: Different texts; on a ladder, from low to high.
        is_ladder: Whether the options are ordered.
        instructions: For whoever answers, or None.
        criteria: What an option means, for some or all of them, or None.
        sha256: Of the canonical JSON of everything else; tells questions apart.

    """

    __slots__ = ("criteria", "id", "instructions", "is_ladder", "options", "sha256")

    def __init__(
        self,
        question_id: str,
        options: tuple[str, ...],
        *,
        is_ladder: bool = False,
        instructions: str | None = None,
        criteria: Mapping[str, str] | None = None,
    ) -> None:
        self.id = question_id
        self.options = options
        self.is_ladder = is_ladder
        self.instructions = instructions
        self.criteria = None if criteria is None else dict(criteria)
        self.sha256 = sha256_hex(canonical_bytes(self._hashed()))

    def document(self) -> dict[str, Any]:
        """Return the normalised question: all six keys and the hash over them."""
        return {**self._hashed(), "sha256": self.sha256}

    def _hashed(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "kind": CHOICE,
            "options": list(self.options),
            "ladder": self.is_ladder,
            "instructions": self.instructions,
            "criteria": self.criteria,
        }


def read_question(place: Place) -> Question:
    """Return the question that stands at a place.

    Raises:
        RefusedError: It breaks a rule. Other kinds than `CHOICE` have no agreed meaning of
            a correct answer, so they are refused and not measured as nothing.

    """
    place.mapping()
    question_id = place.at("id").text()
    kind = place.at("kind")
    if kind.value != CHOICE:
        kind.expected(f'"{CHOICE}", the one kind whose correct answer is defined')
    options = _options(place.at("options"))
    ladder = place.at("ladder")
    instructions = place.at("instructions")
    question = Question(
        question_id,
        options,
        is_ladder=False if ladder.is_absent else ladder.boolean(),
        instructions=None if instructions.is_none else instructions.string(),
        criteria=_criteria(place.at("criteria"), options),
    )
    digest = place.at("sha256")
    if not digest.is_none and digest.digest() != question.sha256:
        digest.refuse(f"it is not the hash of this question, which is {question.sha256}")
    return question


def _options(place: Place) -> tuple[str, ...]:
    seen: dict[str, None] = {}
    for option in place.items(_FEWEST, _MOST, "options"):
        text = option.text()
        if text == ABSTAIN:
            option.refuse(f'"{ABSTAIN}" is no option: it is an outcome of its own')
        if text in seen:
            option.refuse(f'the option "{shorten(text, 40)}" is repeated')
        seen[text] = None
    return tuple(seen)


def _criteria(place: Place, options: tuple[str, ...]) -> dict[str, str] | None:
    if place.is_none:
        return None
    for key in place.mapping():
        if key not in options:
            place.at(key).refuse("it is the criterion of no option")
        place.at(key).string()
    return dict(place.value)
