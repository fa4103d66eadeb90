"""Two measurements of one suite, case by case: what moved, and whether it is chance."""

from __future__ import annotations

from math import fsum

from hpp.core.errors import RefusedError
from hpp.retrieval.metric import MEANS, METRICS
from hpp.retrieval.pairedtest import p_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fractions import Fraction
    from typing import Any

    from hpp.retrieval.measurement import Measurement

__all__ = ["SCHEMA", "Comparison", "Test"]

SCHEMA = "hpp.retrieval-comparison/v1"
_DECIDING = "recall_at_k"


class Test:
    """How a difference is tested.

    Args:
        alpha: B is worse when its mean recall is lower and chance is at most this likely.
        samples: Random signs where not all can be tried.
        seed: Of the random signs.

    """

    __slots__ = ("alpha", "samples", "seed")

    def __init__(self, alpha: Fraction, samples: int, seed: int) -> None:
        self.alpha = alpha
        self.samples = samples
        self.seed = seed


class Comparison:
    """B against A, over the cases that both measured.

    Raises:
        RefusedError: They are of different suites or cuts, or their cases differ.

    """

    def __init__(self, a: Measurement, b: Measurement, test: Test) -> None:
        _check_alike(a, b)
        self.a = a
        self.b = b
        self.test = test
        self.paired = [
            (case, first, second)
            for case, first in a.cases.items()
            if first is not None and (second := b.cases[case]) is not None
        ]
        self.metrics = {
            mean: self._metric(metric) for mean, metric in zip(MEANS, METRICS, strict=True)
        }

    @property
    def is_worse(self) -> bool:
        """Say whether B finds less, by more than chance."""
        deciding = self.metrics[_DECIDING]
        return bool(
            self.paired and deciding["difference"] < 0 and deciding["p_value"] <= self.test.alpha
        )

    def report(self) -> dict[str, Any]:
        """Return the comparison, ``hpp.retrieval-comparison/v1``."""
        return {
            "schema": SCHEMA,
            "suite": {key: self.a.suite.get(key) for key in ("name", "version", "sha256")},
            "k": self.a.k,
            "a": {"retriever": self.a.retriever, "failed": _failed(self.a)},
            "b": {"retriever": self.b.retriever, "failed": _failed(self.b)},
            "paired": len(self.paired),
            "metrics": self.metrics,
            "moved": self._moved(),
            "test": {
                "name": "paired randomization test, two-sided",
                "alpha": float(self.test.alpha),
                "samples": self.test.samples,
                "seed": self.test.seed,
            },
            "verdict": {"worse": self.is_worse, "reason": self._reason()},
        }

    def _metric(self, metric: str) -> dict[str, Any]:
        differences = [second[metric] - first[metric] for _, first, second in self.paired]
        better = sum(each > 0 for each in differences)
        worse = sum(each < 0 for each in differences)
        counts = {"better": better, "worse": worse, "equal": len(differences) - better - worse}
        if not differences:
            nothing = dict.fromkeys(("a", "b", "difference", "p_value", "method"))
            return {**nothing, **counts}
        p, method = p_value(differences, samples=self.test.samples, seed=self.test.seed)
        return {
            "a": fsum(first[metric] for _, first, _ in self.paired) / len(differences),
            "b": fsum(second[metric] for _, _, second in self.paired) / len(differences),
            "difference": fsum(differences) / len(differences),
            "p_value": p,
            "method": method,
            **counts,
        }

    def _moved(self) -> list[dict[str, Any]]:
        """Return the cases with another figure, those that lost most recall first."""
        moved = [
            {
                "id": case,
                "a": first,
                "b": second,
                "difference": {name: second[name] - first[name] for name in METRICS},
            }
            for case, first, second in self.paired
            if first != second
        ]
        return sorted(moved, key=_loss)

    def _reason(self) -> str:
        if not self.paired:
            return "no case was measured in both"
        recall = self.metrics[_DECIDING]
        return (
            f"mean recall@{self.a.k} goes from {recall['a']:.3f} to {recall['b']:.3f}"
            f" over {len(self.paired)} cases, p = {recall['p_value']:.4f}"
        )


def _loss(case: dict[str, Any]) -> tuple[float, float]:
    return case["difference"]["recall_at_k"], case["difference"]["ndcg_at_k"]


def _failed(measurement: Measurement) -> list[str]:
    return [case for case, figures in measurement.cases.items() if figures is None]


def _check_alike(a: Measurement, b: Measurement) -> None:
    if a.suite.get("sha256") != b.suite.get("sha256"):
        raise RefusedError(f"{b.where}: suite.sha256: it is not the suite of {a.where}")
    if a.k != b.k:
        raise RefusedError(f"{b.where}: k: {b.k}, and {a.where} has {a.k}")
    if a.cases.keys() != b.cases.keys():
        raise RefusedError(f"{b.where}: cases: they are not those of {a.where}")
