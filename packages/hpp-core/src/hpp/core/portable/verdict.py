"""What a guard says of a tool call, before it is put into a host's words."""

from __future__ import annotations

from hpp.core.portable import answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hpp.core.portable.answer import Answer
    from hpp.core.portable.payload import Payload

__all__ = ["ALLOW", "ASK", "BLOCK", "WARN", "Verdict"]

ALLOW, WARN, ASK, BLOCK = "allow", "warn", "ask", "block"


class Verdict:
    """A judgement with the rule it rests on.

    Attributes:
        verdict: `ALLOW`, `WARN`, `ASK` or `BLOCK`; a call that is allowed may still have a
            reason, which the person is told.
        rule: Stable name of the rule, or an empty text.
        reason: For the person.
        advice: What the model is told in its place; None for the reason itself.

    """

    __slots__ = ("advice", "reason", "rule", "verdict")

    def __init__(self, verdict: str, rule: str, reason: str, advice: str | None = None) -> None:
        self.verdict = verdict
        self.rule = rule
        self.reason = reason
        self.advice = advice

    def answer(self, hook: str, payload: Payload) -> Answer | None:
        """Return what the host is told; None when there is nothing to say."""
        if self.verdict == BLOCK:
            return answer.block(hook, self.reason)
        if self.verdict == ASK:
            return answer.ask(hook, self.reason, payload)
        if self.verdict == WARN:
            advice = self.reason if self.advice is None else self.advice
            return answer.warn(payload.event, hook, self.reason, advice)
        return answer.message(hook, self.reason) if self.reason else None
