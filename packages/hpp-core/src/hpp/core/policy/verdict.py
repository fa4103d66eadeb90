"""The verdict on a command: action, rule, reason and what decided it."""

from __future__ import annotations

from hpp.core.policy import rule as rules
from hpp.core.policy.classifier import classify

__all__ = ["ALLOW", "BLOCK", "MANUAL", "Verdict", "judge"]

ALLOW, MANUAL, BLOCK = "ALLOW", "MANUAL", "BLOCK"
_RULES = {
    rules.RECURSIVE_DELETE: (BLOCK, "removes a folder and everything below it without asking"),
    rules.FORCE_PUSH: (BLOCK, "overwrites history that others may have fetched"),
    rules.MAIN_PUSH: (BLOCK, "pushes to a protected branch"),
    rules.PIPE_TO_SHELL: (BLOCK, "runs a script straight from the network"),
    rules.SQL: (BLOCK, "destroys a table or a database"),
    rules.EXTERNAL_PUSH: (MANUAL, "publishes commits; a person decides"),
    rules.EXTERNAL_SEND: (MANUAL, "sends a request to a URL; a person decides"),
    rules.ADVISOR: (MANUAL, "asks the decision advisor, which may send text; a person decides"),
    rules.TOO_DEEP: (MANUAL, "nests commands deeper than can be read; a person decides"),
}
_LONGEST_PIECE = 400


class Verdict:
    """What the policy says of a text.

    Attributes:
        action: ``ALLOW``, ``MANUAL`` or ``BLOCK``.
        rule: Id of the rule.
        reason: For a person; of an allowed command only that no rule matched.
        piece: The part of the text that decided, or None.

    """

    __slots__ = ("action", "piece", "reason", "rule")

    def __init__(self, action: str, rule: str, reason: str, piece: str | None) -> None:
        self.action = action
        self.rule = rule
        self.reason = reason
        self.piece = piece


def judge(text: str) -> Verdict:
    """Return the verdict on a text; every text has one."""
    if not text.strip():
        return Verdict(ALLOW, "empty", "the command is blank", None)
    hit = classify(text)
    if hit is None:
        return Verdict(ALLOW, "allow", "no rule matched", None)
    action, reason = _RULES[hit.rule]
    piece = hit.piece
    if len(piece) > _LONGEST_PIECE:
        piece = piece[:_LONGEST_PIECE] + "..."
    return Verdict(action, hit.rule, reason, piece)
