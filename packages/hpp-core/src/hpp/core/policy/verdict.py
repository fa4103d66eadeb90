"""The verdict on a command: action, rule, reason and what decided it."""

from __future__ import annotations

from hpp.core.policy import rule as rules
from hpp.core.policy.classifier import classify

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hpp.core.policy.classifier import Findings, Hit, Step
    from hpp.core.policy.project import ProjectPolicy

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


BUILT_IN, POLICY = "built-in", "policy"


class Verdict:
    """What the policy says of a text.

    Attributes:
        action: ``ALLOW``, ``MANUAL`` or ``BLOCK``.
        rule: Id of the rule.
        reason: For a person; of an allowed command only that no rule matched.
        source: ``built-in``, or ``policy`` for a raised or own rule of a project.
        piece: The part of the text that decided, or None.

    """

    __slots__ = ("action", "piece", "reason", "rule", "source")

    def __init__(
        self, action: str, rule: str, reason: str, piece: str | None, source: str = BUILT_IN
    ) -> None:
        self.action = action
        self.rule = rule
        self.reason = reason
        self.piece = piece
        self.source = source


def judge(
    text: str, policy: ProjectPolicy | None = None, steps: list[Step] | None = None
) -> Verdict:
    """Return the verdict on a text; without a project's policy every text has one.

    Args:
        text: What a shell would be given.
        policy: A project's own rules, which only harden.
        steps: Filled with how the text was read, when given.

    Raises:
        RefusedError: A pattern of the project took too long.

    """
    if not text.strip():
        return Verdict(ALLOW, "empty", "the command is blank", None)
    findings = classify(text, steps)
    built_in = [_built_in(hit) for hit in findings.hits]
    blocks = [verdict for verdict in built_in if verdict.action == BLOCK]
    if blocks or policy is None:
        return (blocks or built_in or [_allowed()])[0]
    return _hardened(text, findings, built_in, policy)


def _hardened(
    text: str, findings: Findings, built_in: list[Verdict], policy: ProjectPolicy
) -> Verdict:
    """Apply a project's policy where no built-in rule blocks."""
    for verdict in built_in:
        if verdict.rule in policy.raised:
            return Verdict(BLOCK, verdict.rule, verdict.reason, verdict.piece, POLICY)
    if policy.rules:
        from hpp.core.policy.search import Budget, first_match

        texts, budget = [text, *findings.commands], Budget()
        blocking = [rule for rule in policy.rules if rule.action == BLOCK]
        found = first_match(blocking, texts, budget)
        if found is None and not built_in:
            asking = [rule for rule in policy.rules if rule.action == MANUAL]
            found = first_match(asking, texts, budget)
        if found is not None:
            return Verdict(found.action, found.id, found.reason, None, POLICY)
    return (built_in or [_allowed()])[0]


def _built_in(hit: Hit) -> Verdict:
    action, reason = _RULES[hit.rule]
    piece = hit.piece
    if len(piece) > _LONGEST_PIECE:
        piece = piece[:_LONGEST_PIECE] + "..."
    return Verdict(action, hit.rule, reason, piece)


def _allowed() -> Verdict:
    return Verdict(ALLOW, "allow", "no rule matched", None)
