"""The gate of a measurement: enough recall, few enough instrument failures."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fractions import Fraction
    from typing import Any

    from hpp.retrieval.metric import Means

__all__ = ["Gate"]


class Gate:
    """Thresholds, compared exactly.

    Args:
        min_recall: Least mean recall, from 0 to 1, as the decimal that was typed.
        max_failures: Most instrument failures.

    """

    __slots__ = ("max_failures", "min_recall")

    def __init__(self, min_recall: Fraction, max_failures: int) -> None:
        self.min_recall = min_recall
        self.max_failures = max_failures

    def judge(self, means: Means, failures: int, k: int) -> dict[str, Any]:
        """Return ``{"passed", "reason", "thresholds"}``."""
        passed, reason = self._verdict(means, failures, k)
        return {
            "passed": passed,
            "reason": reason,
            "thresholds": {
                "min_recall": float(self.min_recall),
                "max_failures": self.max_failures,
            },
        }

    def _verdict(self, means: Means, failures: int, k: int) -> tuple[bool, str]:
        told = f"{failures} instrument failure{'' if failures == 1 else 's'}"
        if not means.measured:
            return False, f"nothing was measured: {told} in as many cases"
        if failures > self.max_failures:
            return False, f"{told}, at most {self.max_failures} allowed"
        recall = means.recall()
        shown = f"mean recall@{k} is {float(recall):.3f}"
        wanted = f"{float(self.min_recall):.3f}"
        if recall < self.min_recall:
            return False, f"{shown}, below the required {wanted}"
        return True, f"{shown}, at least the required {wanted}"
