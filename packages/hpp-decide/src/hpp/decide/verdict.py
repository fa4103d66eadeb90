"""What one case of a suite came to: an answer that can be right, a silence, or a failure."""

from __future__ import annotations

from hpp.decide.decision import ABSTENTION, FAILURE, RECOMMENDATION
from hpp.decide.question import ABSTAIN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hpp.decide.decision import Decision
    from hpp.decide.suite import Case

__all__ = ["Verdict"]


class Verdict:
    """A case, answered.

    Attributes:
        id, expected: Of the case.
        status: One of `decision.STATUSES`.
        value: The option of a recommendation, else None.
        confidence: From 0 to 1, or None.
        probabilities: One for every option, or None.
        error: Why there is no answer, else None.

    """

    __slots__ = ("confidence", "error", "expected", "id", "probabilities", "status", "value")

    def __init__(  # noqa: PLR0913 -- one value an attribute
        self,
        case_id: str,
        expected: str,
        status: str,
        *,
        value: str | None = None,
        confidence: float | None = None,
        probabilities: Mapping[str, float] | None = None,
        error: str | None = None,
    ) -> None:
        self.id = case_id
        self.expected = expected
        self.status = status
        self.value = value
        self.confidence = confidence
        self.probabilities = probabilities
        self.error = error

    @classmethod
    def of(cls, case: Case, decision: Decision) -> Verdict:
        """Return what a sound record comes to; one that tells of a failure is a failure."""
        if decision.status == FAILURE:
            from hpp.core.secret import redact
            from hpp.core.text import shorten

            told = shorten(redact(decision.error or ""), 200)
            return cls.failed(case, f"the record says: {told}")
        return cls(
            case.id,
            case.expected,
            decision.status,
            value=decision.value,
            confidence=decision.confidence,
            probabilities=decision.probabilities,
        )

    @classmethod
    def failed(cls, case: Case, error: str) -> Verdict:
        """Return a failure of the instrument, which is never one of the answers."""
        return cls(case.id, case.expected, FAILURE, error=error)

    @property
    def is_decided(self) -> bool:
        """Say whether an option was recommended."""
        return self.status == RECOMMENDATION

    @property
    def correct(self) -> bool | None:
        """Say whether the answer is right; None when there is none to judge."""
        if self.status == RECOMMENDATION:
            return self.value == self.expected
        return self.expected == ABSTAIN if self.status == ABSTENTION else None

    def document(self) -> dict[str, Any]:
        """Return the case as reports list it."""
        shown: dict[str, Any] = {
            "id": self.id,
            "expected": self.expected,
            "status": self.status,
            "value": self.value,
            "confidence": self.confidence,
            "correct": self.correct,
        }
        if self.error is not None:
            shown["error"] = self.error
        if self.probabilities is not None:
            shown["probabilities"] = dict(self.probabilities)
        return shown
