"""How far the mean of a sample may be off: percentile bootstrap over cases.

Cases are drawn with repetition, as many as there are, and the middle share of the means of
all draws is the interval (Efron and Tibshirani, 1993, chapter 13).
"""

from __future__ import annotations

from math import ceil, floor, fsum

from hpp.retrieval.randomness import draw_indices

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from fractions import Fraction
    from typing import Any

__all__ = ["Bootstrap"]


class Bootstrap:
    """How intervals are made.

    Args:
        level: Share of the draws whose mean lies inside, above 0 and below 1.
        resamples: How many draws.
        seed: Of the random numbers; the same seed gives the same interval everywhere.

    """

    __slots__ = ("level", "resamples", "seed")

    def __init__(self, level: Fraction, resamples: int, seed: int) -> None:
        self.level = level
        self.resamples = resamples
        self.seed = seed

    def intervals(self, values: Mapping[str, Sequence[float]]) -> dict[str, list[float]] | None:
        """Return ``[low, high]`` of the mean of each figure; None without a case.

        Args:
            values: The same cases under each name, in the same order.

        """
        cases = len(next(iter(values.values())))
        if not cases:
            return None
        means: dict[str, list[float]] = {name: [] for name in values}
        for draw in range(self.resamples):
            drawn = draw_indices(self.seed, "bootstrap", draw, cases)
            for name, column in values.items():
                # Not `sum`: Python 3.12 changed how it rounds.
                means[name].append(fsum(map(column.__getitem__, drawn)) / cases)
        return {name: self._middle(sorted(column)) for name, column in means.items()}

    def document(self, by_k: dict[str, dict[str, list[float]] | None]) -> dict[str, Any]:
        """Return the intervals, by k, as a report lists them."""
        return {
            "level": float(self.level),
            "method": "percentile bootstrap over measured cases",
            "resamples": self.resamples,
            "seed": self.seed,
            "by_k": by_k,
        }

    def _middle(self, ordered: list[float]) -> list[float]:
        outside = (1 - self.level) / 2
        low = floor(outside * len(ordered))
        high = ceil((1 - outside) * len(ordered)) - 1
        return [ordered[low], ordered[max(low, high)]]
