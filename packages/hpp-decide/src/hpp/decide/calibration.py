"""Whether a decider's numbers mean what they say.

Brier's score is that of Brier (1950) over all options; the expected calibration error is
that of Naeini et al. (2015) over ten bins of one width.
"""

from __future__ import annotations

from fractions import Fraction

from hpp.decide.question import ABSTAIN
from hpp.decide.riskcurve import NOT_MEASURED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from hpp.decide.verdict import Verdict

__all__ = ["BINS", "brier", "calibration"]

BINS = 10


def brier(decided: Sequence[Verdict]) -> float | str:
    """Return the mean squared distance between probabilities and truth, from 0 to 2.

    Taken over recommendations where an option was right, when each of them has
    probabilities; else it is not measured, as the rest would be a chosen sample.
    """
    answered = [verdict for verdict in decided if verdict.expected != ABSTAIN]
    if not answered or any(verdict.probabilities is None for verdict in answered):
        return NOT_MEASURED
    total = Fraction(0)
    for verdict in answered:
        for option, probability in (verdict.probabilities or {}).items():
            truth = 1 if option == verdict.expected else 0
            total += (exact(probability) - truth) ** 2
    return float(total / len(answered))


def calibration(decided: Sequence[Verdict]) -> dict[str, Any] | str:
    """Return how far confidence and accuracy are apart, in bins and over all of them.

    `error` is the mean distance, each bin weighed by its recommendations; `largest` the
    greatest one. A bin holds its lower border and not its upper one, the last one both;
    empty bins are left out.

    Args:
        decided: Recommendations; those without a confidence are left out.

    """
    bins: dict[int, list[tuple[Fraction, bool]]] = {}
    for verdict in decided:
        if verdict.confidence is not None:
            confidence = exact(verdict.confidence)
            number = min(int(confidence * BINS), BINS - 1)
            bins.setdefault(number, []).append((confidence, verdict.correct is True))
    if not bins:
        return NOT_MEASURED
    scored = sum(map(len, bins.values()))
    shown, distances = [], []
    for number, pairs in sorted(bins.items()):
        said = sum((confidence for confidence, _ in pairs), Fraction(0)) / len(pairs)
        held = Fraction(sum(is_right for _, is_right in pairs), len(pairs))
        distances.append((abs(said - held), len(pairs)))
        shown.append(
            {
                "from": number / BINS,
                "to": (number + 1) / BINS,
                "decided": len(pairs),
                "confidence": float(said),
                "accuracy": float(held),
            }
        )
    error = sum((distance * count for distance, count in distances), Fraction(0)) / scored
    return {
        "scored": scored,
        "bins": shown,
        "error": float(error),
        "largest": float(max(distance for distance, _ in distances)),
    }


def exact(number: float) -> Fraction:
    """Return the decimal that a number is written as."""
    return Fraction(repr(number))
