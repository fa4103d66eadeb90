"""A decider, measured on a suite and judged: the report ``hpp.decision-eval/v1``."""

from __future__ import annotations

from hpp.decide.gate import Demands, judge
from hpp.decide.metric import Metrics

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from hpp.decide.suite import Suite
    from hpp.decide.verdict import Verdict

__all__ = ["REPLAY", "SCHEMA", "Evaluation"]

SCHEMA = "hpp.decision-eval/v1"
REPLAY = "replay"


class Evaluation:
    """The verdicts of a suite under some demands.

    Args:
        suite: What was asked.
        verdicts: One for every case, in their order.
        demands: What the decider must reach.
        mode: ``replay``, ``command`` or ``jsonl``.
        command: Program and arguments, None for a replay.

    """

    def __init__(
        self,
        suite: Suite,
        verdicts: Sequence[Verdict],
        demands: Demands,
        *,
        mode: str = REPLAY,
        command: Sequence[str] | None = None,
    ) -> None:
        self.suite = suite
        self.verdicts = verdicts
        self.demands = demands
        self.mode = mode
        self.command = command
        self.metrics = Metrics(verdicts, suite.confidence_floor)
        self.judgement = judge(self.metrics, demands)

    @property
    def is_passed(self) -> bool:
        """Say whether the gate lets the decider through."""
        return self.judgement.is_passed

    def document(self) -> dict[str, Any]:
        """Return the report."""
        suite = self.suite
        return {
            "schema": SCHEMA,
            "suite": {"name": suite.name, "version": suite.version, "sha256": suite.sha256},
            "question": {
                "id": suite.question.id,
                "kind": "choice",
                "sha256": suite.question.sha256,
            },
            "decider": {
                "mode": self.mode,
                "command": None if self.command is None else list(self.command),
            },
            "confidence_floor": suite.confidence_floor,
            "cases": [verdict.document() for verdict in self.verdicts],
            "metrics": self.metrics.document(),
            "gate": {
                "passed": self.judgement.is_passed,
                "reason": self.judgement.reason,
                **self.demands.document(),
            },
        }
