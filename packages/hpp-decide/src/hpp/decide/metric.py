"""Figures of a decider that may stay silent: how often it is right when it speaks.

Counts are integers and shares exact fractions, so that a threshold is compared with what
was counted and not with what a float made of it.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

from hpp.decide.calibration import brier, calibration
from hpp.decide.decision import ABSTENTION, FAILURE
from hpp.decide.question import ABSTAIN
from hpp.decide.riskcurve import coverage_curve, risk_coverage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from hpp.decide.verdict import Verdict

__all__ = ["Metrics"]


class Metrics:
    """The figures of a run.

    Args:
        verdicts: At least one.
        confidence_floor: From here on a wrong recommendation is a confident error; None
            makes none of them one.

    """

    def __init__(self, verdicts: Sequence[Verdict], confidence_floor: float | None) -> None:
        self._verdicts = verdicts
        decided = [verdict for verdict in verdicts if verdict.is_decided]
        abstained = [verdict for verdict in verdicts if verdict.status == ABSTENTION]
        self._decided = decided
        self.total = len(verdicts)
        self.decided = len(decided)
        self.abstained = len(abstained)
        self.failed = sum(verdict.status == FAILURE for verdict in verdicts)
        self.right = sum(verdict.correct is True for verdict in decided)
        self.answerable = sum(verdict.expected != ABSTAIN for verdict in verdicts)
        self.answered = sum(verdict.expected != ABSTAIN for verdict in decided)
        self.correct_abstentions = sum(verdict.expected == ABSTAIN for verdict in abstained)
        self.missed_abstentions = self.decided - self.answered
        self.confident_errors = sum(
            not verdict.correct
            for verdict in decided
            if confidence_floor is not None
            and verdict.confidence is not None
            and verdict.confidence >= confidence_floor
        )

    @property
    def selective_accuracy(self) -> Fraction | None:
        """Return the share of recommendations that are right, None without any."""
        return Fraction(self.right, self.decided) if self.decided else None

    @property
    def answerable_coverage(self) -> Fraction | None:
        """Return the share of cases with an answer that got one, None without such cases."""
        return Fraction(self.answered, self.answerable) if self.answerable else None

    def errors_by_expected(self) -> dict[str, int]:
        """Return the number of wrong recommendations of each right answer, sorted."""
        wrong = Counter(verdict.expected for verdict in self._decided if not verdict.correct)
        return dict(sorted(wrong.items()))

    def document(self) -> dict[str, Any]:
        """Return the figures as reports carry them."""
        return {
            "total": self.total,
            "decided": self.decided,
            "abstained": self.abstained,
            "failed": self.failed,
            "coverage": self.decided / self.total,
            "answerable_coverage": _decimal(self.answerable_coverage),
            "selective_accuracy": _decimal(self.selective_accuracy),
            "correct_abstentions": self.correct_abstentions,
            "missed_abstentions": self.missed_abstentions,
            "confident_errors": self.confident_errors,
            "errors_by_expected": self.errors_by_expected(),
            "brier": brier(self._decided),
            "coverage_curve": coverage_curve(self._decided, self.total),
            "risk_coverage": risk_coverage(self._decided, self.total),
            "calibration": calibration(self._decided),
        }


def _decimal(share: Fraction | None) -> float | None:
    return None if share is None else float(share)
