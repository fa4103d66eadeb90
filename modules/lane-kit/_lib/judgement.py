"""What a guard thinks of a call, before it is put into a host's form."""

from __future__ import annotations

__all__ = ["ALLOW", "BLOCK", "WARN", "Judgement", "strictest"]

ALLOW, WARN, BLOCK = "allow", "warn", "block"
_ORDER = (ALLOW, WARN, BLOCK)


class Judgement:
    """A verdict with the rule that it follows from.

    Attributes:
        verdict: ``allow``, ``warn`` or ``block``.
        rule: Its name; empty when nothing was found.
        reason: For a person and the model.
        subject: What a reminder is remembered by.

    """

    __slots__ = ("reason", "rule", "subject", "verdict")

    def __init__(
        self, verdict: str = ALLOW, rule: str = "", reason: str = "", subject: str = ""
    ) -> None:
        self.verdict = verdict
        self.rule = rule
        self.reason = reason
        self.subject = subject


def strictest(found: list[Judgement]) -> Judgement:
    """Return one judgement for several: the strictest verdict with every reason."""
    if not found:
        return Judgement()
    verdict = max((each.verdict for each in found), key=_ORDER.index)
    rules = dict.fromkeys(each.rule for each in found)
    reasons = dict.fromkeys(each.reason for each in found)
    return Judgement(verdict, ", ".join(rules), " ".join(reasons))
