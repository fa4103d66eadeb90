"""What a decider's silence buys: risk against coverage as the confidence asked for falls.

The area under the curve is that of El-Yaniv and Wiener (2010) and Geifman and El-Yaniv
(2017). Recommendations of one confidence cannot be told apart by it, so they enter
together.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import groupby

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from hpp.decide.verdict import Verdict

__all__ = ["FLOORS", "NOT_MEASURED", "coverage_curve", "risk_coverage"]

FLOORS = (0.5, 0.6, 0.7, 0.8, 0.9)
NOT_MEASURED = "not-measured"


def coverage_curve(decided: Sequence[Verdict], total: int) -> list[dict[str, Any]] | str:
    """Return coverage and selective accuracy at five floors of the confidence.

    Args:
        decided: Recommendations; those without a confidence reach no floor.
        total: Cases of the suite.

    """
    scored = _scored(decided)
    if not scored:
        return NOT_MEASURED
    curve = []
    for floor in FLOORS:
        kept = [is_right for confidence, is_right in scored if confidence >= floor]
        curve.append(
            {
                "floor": floor,
                "decided": len(kept),
                "coverage": len(kept) / total,
                "selective_accuracy": sum(kept) / len(kept) if kept else None,
            }
        )
    return curve


def risk_coverage(decided: Sequence[Verdict], total: int) -> dict[str, Any] | str:
    """Return the curve at every confidence that was given, and the area under it.

    A point says what remains when recommendations below its confidence are left out:
    `coverage` of all cases, and `risk`, the share of wrong ones among them. `area` is the
    mean risk over the scored recommendations from the most confident on, 0 for a decider
    without errors; a lower one means that doubt and error go together.

    Args:
        decided: Recommendations; those without a confidence are left out.
        total: Cases of the suite.

    """
    scored = _scored(decided)
    if not scored:
        return NOT_MEASURED
    points = []
    taken = wrong = 0
    area = Fraction(0)
    for confidence, group in groupby(scored, key=lambda pair: pair[0]):
        entering = [is_right for _, is_right in group]
        taken += len(entering)
        wrong += entering.count(False)
        area += Fraction(wrong, taken) * len(entering)
        points.append(
            {
                "confidence": confidence,
                "decided": taken,
                "coverage": taken / total,
                "risk": wrong / taken,
            }
        )
    return {"scored": taken, "points": points, "area": float(area / taken)}


def _scored(decided: Sequence[Verdict]) -> list[tuple[float, bool]]:
    """Return confidence and rightness of those that have both, the most confident first."""
    pairs = [
        (verdict.confidence, verdict.correct is True)
        for verdict in decided
        if verdict.confidence is not None
    ]
    return sorted(pairs, key=lambda pair: -pair[0])
