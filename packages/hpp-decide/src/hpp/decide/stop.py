"""Whether a session goes on: the first reason that holds."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from hpp.decide.panel import Panel
    from hpp.decide.tally import Round

__all__ = ["NOT_JUDGED", "Stop", "stop_of"]

NOT_JUDGED = "not-judged"
_ESCALATING = ("paused-budget", "no-new-evidence", "max-rounds")


class Stop:
    """The state of a session after a round.

    Attributes:
        is_stopped: Whether it has ended.
        reason: Why, or why not.
        round: The last round; 0 when there was none.
        escalate: Whether a person should look: it ended, and two sides are grounded.

    """

    __slots__ = ("escalate", "is_stopped", "reason", "round")

    def __init__(
        self, reason: str, round_number: int, *, is_stopped: bool, escalate: bool = False
    ) -> None:
        self.reason = reason
        self.round = round_number
        self.is_stopped = is_stopped
        self.escalate = escalate

    def document(self) -> dict[str, Any]:
        """Return it as it is printed."""
        shown: dict[str, Any] = {"reason": self.reason, "escalate": self.escalate}
        if self.is_stopped:
            return {"decision": "stop", "round": self.round, **shown}
        return {"decision": "continue", "next_round": self.round + 1, **shown}


def stop_of(panel: Panel, rounds: Sequence[Round]) -> Stop:
    """Return the state of a session after its last round."""
    if not rounds:
        return Stop("no-turns-yet", 0, is_stopped=False)
    last = rounds[-1]
    reason = _reason(panel, rounds)
    if reason is None:
        return Stop("not-converged", last.number, is_stopped=False)
    escalate = reason in _ESCALATING and last.contested > 1
    return Stop(reason, last.number, is_stopped=True, escalate=escalate)


def _reason(panel: Panel, rounds: Sequence[Round]) -> str | None:
    last = rounds[-1]
    if last.not_judged:
        return NOT_JUDGED
    if last.is_converged:
        return "grounded-convergence"
    if sum(each.chars for each in rounds) >= panel.max_chars:
        return "paused-budget"
    if last.number > 1 and not last.new_refs and not last.moved:
        return "no-new-evidence"
    return "max-rounds" if last.number >= panel.max_rounds else None
