"""One measurement: every case of a suite at one or several cuts, and the report of it."""

from __future__ import annotations

from hpp.retrieval.metric import MEANS, METRICS, Means, figures, hit_ranks
from hpp.retrieval.retriever import Failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Protocol

    from hpp.retrieval.answer import Ranking
    from hpp.retrieval.gate import Gate
    from hpp.retrieval.suite import Case, Suite

    class Retriever(Protocol):
        """What gives rankings."""

        def rankings(self, suite: Suite, k: int) -> list[Ranking | Failure]:
            """Return a ranking for each case, or why there is none."""

        def document(self) -> dict[str, Any]:
            """Return the retriever as a report names it."""


__all__ = ["SCHEMA", "Evaluation", "evaluate"]

SCHEMA = "hpp.retrieval-eval/v1"


class Evaluation:
    """What was measured.

    Attributes:
        suite: ``{"name", "version", "sha256", "k"}``.
        retriever: As the report names it.
        cuts: The ks; the first is the gate's.
        cases: One object a case, in suite order, as the report lists them.
        means: By k.
        failures: How many cases have no measurement.

    """

    def __init__(self, suite: Suite, retriever: dict[str, Any], cuts: Sequence[int]) -> None:
        # Not the suite itself: of a large one, the answers are done with when they are judged.
        self.suite = suite.identity()
        self.retriever = retriever
        self.cuts = list(cuts)
        self.cases: list[dict[str, Any]] = []
        self.means = {k: Means(k) for k in cuts}
        self.failures = 0

    def add(self, case: Case, answer: Ranking | Failure) -> None:
        """Measure one case."""
        if isinstance(answer, Failure):
            self.failures += 1
            failed = {"status": "instrument-failure", "error": answer.error, "metrics": None}
            self.cases.append({"id": case.id, **failed})
            return
        relevant = frozenset(case.relevant)
        returned = list(answer.ids[: self.cuts[0]])
        all_ranks = hit_ranks(answer.ids, relevant, max(self.cuts))
        by_k: dict[str, dict[str, float]] = {}
        for k, means in self.means.items():
            ranks = [rank for rank in all_ranks if rank <= k]
            means.add(ranks, len(relevant))
            by_k[str(k)] = figures(ranks, len(relevant), k)
        measured: dict[str, Any] = {
            "id": case.id,
            "status": "measured",
            "returned": returned,
            "relevant_hits": [each for each in returned if each in relevant],
            "score_order": answer.score_order,
            "metrics": by_k[str(self.cuts[0])],
        }
        if len(self.cuts) > 1:
            measured["by_k"] = by_k
        self.cases.append(measured)

    def values(self, k: int) -> dict[str, list[float]]:
        """Return the figures of the measured cases by the names of `MEANS`, in suite order."""
        rows = [
            case.get("by_k", {str(k): case["metrics"]})[str(k)]
            for case in self.cases
            if case["metrics"] is not None
        ]
        return {
            mean: [row[metric] for row in rows] for mean, metric in zip(MEANS, METRICS, strict=True)
        }

    def report(self, gate: Gate) -> dict[str, Any]:
        """Return the report, ``hpp.retrieval-eval/v1``."""
        k = self.cuts[0]
        measured = self.means[k].measured
        counts = {"total": len(self.cases), "measured": measured, "failed": self.failures}
        return {
            "schema": SCHEMA,
            "suite": self.suite,
            "retriever": self.retriever,
            "k": k,
            "cases": self.cases,
            "metrics": {**counts, **self.means[k].document()},
            "by_k": {str(each): means.document() for each, means in self.means.items()},
            "gate": gate.judge(self.means[k], self.failures, k),
        }


def evaluate(suite: Suite, retriever: Retriever, cuts: Sequence[int]) -> Evaluation:
    """Measure a retriever against a suite.

    Args:
        suite: The labelled cases.
        retriever: Is asked for as many ids as the largest cut.
        cuts: The ks, each at least 1; the first is the gate's.

    Raises:
        InterruptedRunError: A signal came while a program was asked.

    """
    evaluation = Evaluation(suite, retriever.document(), cuts)
    for case, answer in zip(suite.cases, retriever.rankings(suite, max(cuts)), strict=True):
        evaluation.add(case, answer)
    return evaluation
