"""Run a suite k times and judge it: pass@k for capability, pass^k for reliability.

k runs are really made, so nothing is estimated; shares are exact fractions, and a gate is
decided in integers.
"""

from __future__ import annotations

from hpp.core.errors import RefusedError
from hpp.core.runner import TIMEOUT, UNSTARTED, run
from hpp.core.suite import COMMAND, REPLAY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from hpp.core.suite import Case, Suite

__all__ = ["GATES", "CaseResult", "Evaluation", "Run", "run_cases"]

GATES = ("capability", "regression", "both")


class CaseResult:
    """How the runs of a case came out; `reasons` are parallel to `outcomes`."""

    __slots__ = ("id", "outcomes", "reasons")

    def __init__(self, case_id: str, outcomes: list[bool], reasons: list[str]) -> None:
        self.id = case_id
        self.outcomes = outcomes
        self.reasons = reasons

    @property
    def pass_at_k(self) -> bool:
        """Say whether some run passed."""
        return any(self.outcomes)

    @property
    def pass_caret_k(self) -> bool:
        """Say whether every run passed."""
        return all(self.outcomes)

    def document(self) -> dict[str, Any]:
        """Return the case as results list it."""
        return {
            "id": self.id,
            "outcomes": self.outcomes,
            "reasons": self.reasons,
            "pass_at_k": self.pass_at_k,
            "pass_caret_k": self.pass_caret_k,
        }


class Run:
    """What was run, where and how.

    Attributes:
        suite: ``{"name", "version", "sha256"}``.
        platform: ``{"python", "system"}``.
        k: Runs of each case.
        gate: One of `GATES`.

    """

    __slots__ = ("gate", "k", "platform", "suite")

    def __init__(self, suite: dict[str, str], platform: dict[str, str], k: int, gate: str) -> None:
        self.suite = suite
        self.platform = platform
        self.k = k
        self.gate = gate

    @classmethod
    def here(cls, suite: Suite, k: int, gate: str) -> Run:
        """Return the run of a suite on this machine."""
        import platform

        identity = {"name": suite.name, "version": suite.version, "sha256": suite.sha256}
        machine = {"python": platform.python_version(), "system": platform.system()}
        return cls(identity, machine, k, gate)


class Evaluation:
    """The cases of a run, judged; at least one, in the order of the suite."""

    def __init__(self, run: Run, cases: Sequence[CaseResult]) -> None:
        self.run = run
        self.cases = cases
        self.counts = {
            "pass_at_k": sum(case.pass_at_k for case in cases),
            "pass_caret_k": sum(case.pass_caret_k for case in cases),
            "flaky": sum(case.pass_at_k and not case.pass_caret_k for case in cases),
        }

    @property
    def capability_ok(self) -> bool:
        """Say whether at least nine in ten cases passed some run."""
        return 10 * self.counts["pass_at_k"] >= 9 * len(self.cases)

    @property
    def regression_ok(self) -> bool:
        """Say whether every case passed every run."""
        return self.counts["pass_caret_k"] == len(self.cases)

    @property
    def passed(self) -> bool:
        """Say whether the chosen gate lets the suite through."""
        asked = {"capability": [self.capability_ok], "regression": [self.regression_ok]}
        return all(asked.get(self.run.gate, [self.capability_ok, self.regression_ok]))

    def document(self) -> dict[str, Any]:
        """Return the result of ``hpp eval run``."""
        total = len(self.cases)
        return {
            "suite": self.run.suite,
            "platform": self.run.platform,
            "k": self.run.k,
            "cases": [case.document() for case in self.cases],
            "metrics": {
                **{name: count / total for name, count in self.counts.items()},
                "fractions": {
                    name: {"numerator": count, "denominator": total}
                    for name, count in self.counts.items()
                },
            },
            "gate": {
                "name": self.run.gate,
                "capability_ok": self.capability_ok,
                "regression_ok": self.regression_ok,
                "passed": self.passed,
            },
        }


def run_cases(
    cases: Sequence[Case], k: int, tell: Callable[[int, int, str], None]
) -> list[CaseResult]:
    """Run every case k times, in order.

    Args:
        cases: What to run.
        k: Runs of each, at least 1.
        tell: Called before each run with the runs that are done, all runs, and the case.

    """
    results = []
    for number, case in enumerate(cases):
        outcomes: list[bool] = []
        reasons: list[str] = []
        for turn in range(k):
            tell(number * k + turn, len(cases) * k, case.id)
            passed, reason = _run_once(case, turn)
            outcomes.append(passed)
            reasons.append(reason)
        results.append(CaseResult(case.id, outcomes, reasons))
    return results


def _run_once(case: Case, turn: int) -> tuple[bool, str]:
    if case.runner == REPLAY:
        return case.outcomes[turn % len(case.outcomes)], "replayed"
    if case.runner == COMMAND:
        return _run_command(case)
    assert case.control is not None  # noqa: S101 -- the reader put it there
    return case.control.run()


def _run_command(case: Case) -> tuple[bool, str]:
    try:
        outcome = run(case.command, timeout_s=case.timeout_s, own_children=True)
    except RefusedError:  # a batch file whose arguments cannot be passed safely
        return False, UNSTARTED
    if outcome.ending in (TIMEOUT, UNSTARTED):
        return False, outcome.ending
    code = outcome.exit_code or 0
    if code == 0:
        return True, "passed"
    return False, f"signal:{-code}" if code < 0 else f"exit:{code}"
