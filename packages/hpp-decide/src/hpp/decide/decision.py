"""The record ``hpp.decision/v1``: one answer to a question, made outside of HPP.

It is advice and nothing else. Abstaining and failing are outcomes of their own, and
neither is ever read as one of the options.
"""

from __future__ import annotations

from fractions import Fraction
from math import fsum

from hpp.decide.question import read_question

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hpp.decide.place import Place
    from hpp.decide.question import Question

__all__ = [
    "ABSTENTION",
    "FAILURE",
    "INFORMATIONAL",
    "MODEL_METHODS",
    "PANEL",
    "RECOMMENDATION",
    "SCHEMA",
    "STATUSES",
    "Decision",
    "is_alias",
    "read_decision",
]

SCHEMA = "hpp.decision/v1"
RECOMMENDATION, ABSTENTION, FAILURE = "recommendation", "abstention", "instrument-failure"
STATUSES = (RECOMMENDATION, ABSTENTION, FAILURE)
MODEL_METHODS = ("local-model", "external-model")
PANEL = "panel"
METHODS = ("regex", "lexical", "human", "replay", *MODEL_METHODS, PANEL)
RAISE_ONLY, INFORMATIONAL = "raise-only", "informational"
# Rules, words and people have no number of their own to be held to.
_WITHOUT_CONFIDENCE = ("regex", "lexical", "human", PANEL)
_TOLERANCE = Fraction(1, 1000)
_SURELY_WITHIN = 0.0009


class Decision:
    """A record that keeps every rule.

    Attributes:
        question: What was asked.
        state_sha256: Hash of the judged text, which is in no record.
        method, direction: How it was answered; ``raise-only`` or ``informational``.
        declared: The option that was declared before, or None.
        status: One of `STATUSES`.
        value: The option of a recommendation, else None.
        error: Why the instrument failed, else None.
        confidence: From 0 to 1, or None.
        probabilities: One for every option, or None.
        provider: ``{"id", "model_served"}``, or None.
        raw_response_sha256: Hash of what the provider answered, or None.
        usage: Numbers and nulls by name, or None.

    """

    __slots__ = (
        "confidence",
        "declared",
        "direction",
        "error",
        "method",
        "probabilities",
        "provider",
        "question",
        "raw_response_sha256",
        "state_sha256",
        "status",
        "usage",
        "value",
    )

    def __init__(  # noqa: PLR0913 -- a record, always made with keywords
        self,
        *,
        question: Question,
        state_sha256: str,
        method: str,
        status: str,
        direction: str = INFORMATIONAL,
        declared: str | None = None,
        value: str | None = None,
        error: str | None = None,
        confidence: float | None = None,
        probabilities: dict[str, float] | None = None,
        provider: dict[str, str] | None = None,
        raw_response_sha256: str | None = None,
        usage: dict[str, Any] | None = None,
    ) -> None:
        self.question = question
        self.state_sha256 = state_sha256
        self.method = method
        self.direction = direction
        self.declared = declared
        self.status = status
        self.value = value
        self.error = error
        self.confidence = confidence
        self.probabilities = probabilities
        self.provider = provider
        self.raw_response_sha256 = raw_response_sha256
        self.usage = usage

    def document(self) -> dict[str, Any]:
        """Return the normalised record; what is optional and absent stays away."""
        outcome: dict[str, Any] = {
            "status": self.status,
            "value": self.value,
            "confidence": self.confidence,
        }
        if self.error is not None:
            outcome["error"] = self.error
        if self.probabilities is not None:
            outcome["probabilities"] = self.probabilities
        record = {
            "schema": SCHEMA,
            "question": self.question.document(),
            "state_sha256": self.state_sha256,
            "method": self.method,
            "authority": "advisory",
            "direction": self.direction,
            "declared": self.declared,
            "outcome": outcome,
        }
        for key in ("provider", "raw_response_sha256", "usage"):
            if getattr(self, key) is not None:
                record[key] = getattr(self, key)
        return record

    def effective(self) -> tuple[str | None, str]:
        """Return what a consumer may act on, and how it came about.

        Advice can raise a declared value and never lower it; silence and failure leave it.
        """
        if self.declared is not None:
            rank = self.question.options.index
            if self.value is not None and rank(self.value) > rank(self.declared):
                return self.value, "raised"
            return self.declared, "kept"
        return (self.value, "advised") if self.value is not None else (None, "none")


def read_decision(place: Place) -> Decision:
    """Return the record that stands at a place; keys it does not know are left out.

    Raises:
        RefusedError: It breaks a rule; the first one is named with its path.

    """
    place.mapping()
    place.at("schema").exactly(SCHEMA)
    question = read_question(place.at("question"))
    state_sha256 = place.at("state_sha256").digest()
    method = place.at("method").choice(METHODS)
    place.at("authority").exactly("advisory")
    direction = _direction(place.at("direction"), question)
    declared = _declared(place.at("declared"), question, direction)
    outcome = _outcome(place.at("outcome"), question, method)
    return Decision(
        question=question,
        state_sha256=state_sha256,
        method=method,
        direction=direction,
        declared=declared,
        **outcome,
        provider=_provider(place.at("provider"), is_needed=method in MODEL_METHODS),
        raw_response_sha256=_raw(place.at("raw_response_sha256"), method, outcome["status"]),
        usage=_usage(place.at("usage")),
    )


def is_alias(model: str) -> bool:
    """Say whether a model's name stands for whatever is current and not for one version."""
    plain = model.strip().casefold()
    return "latest" in plain or "preview" in plain or plain.startswith("~")


def _direction(place: Place, question: Question) -> str:
    direction = place.choice((RAISE_ONLY, INFORMATIONAL))
    if direction == RAISE_ONLY and not question.is_ladder:
        place.refuse("raise-only needs a question whose options are a ladder")
    return direction


def _declared(place: Place, question: Question, direction: str) -> str | None:
    if place.is_none:
        return None
    if direction != RAISE_ONLY:
        place.refuse("only a raise-only decision has a declared value")
    return place.choice(question.options)


def _outcome(place: Place, question: Question, method: str) -> dict[str, Any]:
    place.mapping()
    status = place.at("status").choice(STATUSES)
    value, error, confidence = (place.at(key) for key in ("value", "error", "confidence"))
    if status == RECOMMENDATION:
        value.choice(question.options)
    elif not value.is_none:
        value.refuse(f"an outcome of the status {status} has no value")
    if status == FAILURE:
        error.visible()
    elif not error.is_none:
        error.string()
    if not confidence.is_none:
        confidence.share()
        if method in _WITHOUT_CONFIDENCE:
            confidence.refuse(f"the method {method} has no confidence")
    return {
        "status": status,
        "value": value.value if status == RECOMMENDATION else None,
        "error": error.value if status == FAILURE else None,
        "confidence": None if confidence.is_none else confidence.value,
        "probabilities": _probabilities(place.at("probabilities"), question),
    }


def _probabilities(place: Place, question: Question) -> dict[str, float] | None:
    if place.is_none:
        return None
    given = place.mapping()
    for key in given:
        if key not in question.options:
            place.at(key).refuse("it is the probability of no option")
    shares = [place.at(option).share() for option in question.options]
    # The decimals as they are written, so that 0.001 is not 0.0010000000000000009; floats
    # tell where nothing is near the border.
    if abs(fsum(shares) - 1) > _SURELY_WITHIN:
        total = sum(map(Fraction, map(repr, shares)), Fraction(0))
        if abs(total - 1) > _TOLERANCE:
            place.refuse(f"they add up to {float(total):g}, not to 1")
    return dict(given)


def _provider(place: Place, *, is_needed: bool) -> dict[str, str] | None:
    if place.is_none and not is_needed:
        return None
    place.mapping()
    model = place.at("model_served")
    provider = {"id": place.at("id").solid(), "model_served": model.solid()}
    if is_alias(model.value):
        model.refuse("it names whatever is current; the version that answered is needed")
    return provider


def _raw(place: Place, method: str, status: str) -> str | None:
    is_model = method in MODEL_METHODS and status != FAILURE
    if place.is_none and not is_model and method != PANEL:
        return None
    return place.digest()


def _usage(place: Place) -> dict[str, Any] | None:
    if place.is_none:
        return None
    kept = (int, float, type(None))
    return {key: value for key, value in place.mapping().items() if type(value) in kept}
