"""The gate of an evaluation: the first demand that is not met decides."""

from __future__ import annotations

from fractions import Fraction

from hpp.core.bound import check_count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hpp.decide.metric import Metrics

__all__ = ["Demands", "Judgement", "judge"]


class Demands:
    """What a decider must reach; the shares are exact."""

    __slots__ = ("max_confident_errors", "max_failures", "min_coverage", "min_selective_accuracy")

    def __init__(
        self,
        *,
        min_selective_accuracy: Fraction = Fraction(9, 10),
        min_coverage: Fraction = Fraction(1, 2),
        max_confident_errors: int = 0,
        max_failures: int = 0,
    ) -> None:
        check_count("--max-confident-errors", max_confident_errors)
        check_count("--max-failures", max_failures)
        self.min_selective_accuracy = min_selective_accuracy
        self.min_coverage = min_coverage
        self.max_confident_errors = max_confident_errors
        self.max_failures = max_failures

    def document(self) -> dict[str, Any]:
        """Return the demands as reports carry them."""
        return {
            "min_selective_accuracy": float(self.min_selective_accuracy),
            "min_coverage": float(self.min_coverage),
            "max_confident_errors": self.max_confident_errors,
            "max_failures": self.max_failures,
        }


class Judgement:
    """Whether the gate lets a decider through, and why."""

    __slots__ = ("is_passed", "reason")

    def __init__(self, *, is_passed: bool, reason: str) -> None:
        self.is_passed = is_passed
        self.reason = reason


def judge(metrics: Metrics, demands: Demands) -> Judgement:
    """Return the judgement; without any decision there is no accuracy, not one of zero.

    Coverage is demanded as well, since a decider could raise its accuracy by staying silent.
    """
    accuracy, coverage = metrics.selective_accuracy, metrics.answerable_coverage
    if accuracy is None:
        return _failed(
            f"nothing was decided: {_count(metrics.abstained, 'abstention')}, "
            f"{_count(metrics.failed, 'instrument failure')}"
        )
    if metrics.failed > demands.max_failures:
        failures = _count(metrics.failed, "instrument failure")
        return _failed(f"{failures}, at most {demands.max_failures} allowed")
    if accuracy < demands.min_selective_accuracy:
        wanted = _shown(demands.min_selective_accuracy)
        return _failed(f"selective accuracy {_shown(accuracy)} is below {wanted}")
    if coverage is not None and coverage < demands.min_coverage:
        wanted = _shown(demands.min_coverage)
        return _failed(f"answerable coverage {_shown(coverage)} is below {wanted}")
    if metrics.confident_errors > demands.max_confident_errors:
        errors = _count(metrics.confident_errors, "confident error")
        return _failed(f"{errors}, at most {demands.max_confident_errors} allowed")
    covered = "" if coverage is None else f" at answerable coverage {_shown(coverage)}"
    return Judgement(is_passed=True, reason=f"selective accuracy {_shown(accuracy)}{covered}")


def _failed(reason: str) -> Judgement:
    return Judgement(is_passed=False, reason=reason)


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _shown(share: Fraction) -> str:
    return repr(float(share))
