"""The five figures of one ranking, and their means over many.

Relevance is binary, the logarithm has base 2, and the ideal comes from the labels and not
from what was found (Järvelin and Kekäläinen, TOIS 2002). Shares are exact fractions until
they are printed; sums of discounts are correctly rounded.
"""

from __future__ import annotations

from fractions import Fraction
from math import fsum, log2

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

__all__ = ["MEANS", "METRICS", "Means", "figures", "hit_ranks"]

METRICS = ("hit_at_k", "recall_at_k", "precision_at_k", "reciprocal_rank", "ndcg_at_k")
# What the mean of each is called.
MEANS = ("hit_at_k", "recall_at_k", "precision_at_k", "mrr", "ndcg_at_k")

_discounts: list[float] = []
_ideals: dict[int, float] = {0: 0.0}


def hit_ranks(ranking: Sequence[str], relevant: Collection[str], k: int) -> list[int]:
    """Return the ranks of relevant ids among the first k, counted from 1, ascending."""
    return [rank for rank, each in enumerate(ranking[:k], 1) if each in relevant]


def figures(ranks: Sequence[int], relevant: int, k: int) -> dict[str, float]:
    """Return the figures of one ranking by the names of `METRICS`; each lies in [0, 1].

    Args:
        ranks: As `hit_ranks` gives them.
        relevant: How many ids are relevant, at least 1.
        k: The cut, at least 1.

    """
    if not ranks:
        return dict.fromkeys(METRICS, 0.0)
    return {
        "hit_at_k": 1.0,
        "recall_at_k": len(ranks) / relevant,
        "precision_at_k": len(ranks) / k,
        "reciprocal_rank": 1 / ranks[0],
        "ndcg_at_k": _ndcg(ranks, relevant, k),
    }


class Means:
    """The means over measured cases, misses included."""

    def __init__(self, k: int) -> None:
        self._k = k
        self._hits = 0
        self._found = 0
        self._shares: dict[tuple[int, int], int] = {}
        self._firsts: dict[int, int] = {}
        self._ndcg: list[float] = []

    def add(self, ranks: Sequence[int], relevant: int) -> None:
        """Count one case; see `figures`."""
        if not ranks:
            self._ndcg.append(0.0)
            return
        self._hits += 1
        self._found += len(ranks)
        share = (len(ranks), relevant)
        self._shares[share] = self._shares.get(share, 0) + 1
        self._firsts[ranks[0]] = self._firsts.get(ranks[0], 0) + 1
        self._ndcg.append(_ndcg(ranks, relevant, self._k))

    @property
    def measured(self) -> int:
        """Return the number of cases."""
        return len(self._ndcg)

    def recall(self) -> Fraction:
        """Return the exact mean recall; there must be a case."""
        by_size: dict[int, int] = {}
        for (found, relevant), count in self._shares.items():
            by_size[relevant] = by_size.get(relevant, 0) + found * count
        return _mean(by_size, self.measured)

    def document(self) -> dict[str, float | None]:
        """Return the means by the names of `MEANS`; null when there is no case.

        Each is the binary64 nearest to the exact mean.
        """
        cases = self.measured
        if not cases:
            return dict.fromkeys(MEANS)
        return {
            "hit_at_k": self._hits / cases,
            "recall_at_k": float(self.recall()),
            "precision_at_k": self._found / (self._k * cases),
            "mrr": float(_mean(self._firsts, cases)),
            "ndcg_at_k": fsum(self._ndcg) / cases,
        }


def _mean(parts: dict[int, int], cases: int) -> Fraction:
    """Return the sum of ``numerator / denominator``, given by denominator, over the cases."""
    total = sum((Fraction(top, bottom) for bottom, top in sorted(parts.items())), Fraction(0))
    return total / cases


def _ndcg(ranks: Sequence[int], relevant: int, k: int) -> float:
    gain = fsum([_discount(rank) for rank in ranks])
    return gain / _ideal(min(k, relevant))


def _discount(rank: int) -> float:
    while len(_discounts) < rank:
        _discounts.append(1 / log2(len(_discounts) + 2))
    return _discounts[rank - 1]


def _ideal(count: int) -> float:
    """Return the gain of that many relevant ids at the first ranks."""
    if count not in _ideals:
        _discount(count)
        _ideals[count] = fsum(_discounts[:count])
    return _ideals[count]
