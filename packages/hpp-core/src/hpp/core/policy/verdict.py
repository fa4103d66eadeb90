"""The verdict on a command: action, rule, reason and what decided it."""

from __future__ import annotations

from hpp.core.policy.classifier import classify
from hpp.core.policy.rule import ALLOW, BLOCK, MANUAL, RULES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hpp.core.policy.classifier import Findings, Hit, Step
    from hpp.core.policy.project import OwnRule, ProjectPolicy

__all__ = ["ALLOW", "BLOCK", "MANUAL", "Verdict", "judge"]

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

    The order: built-in rules that block, raised ones, own rules that block, built-in rules
    that ask, own rules that ask.

    Args:
        text: What a shell would be given.
        policy: A project's own rules, which only harden.
        steps: Filled with how the text was read, when given.

    Raises:
        RefusedError: A pattern of the project is refused, or took too long.

    """
    own = policy.rules if policy is not None else []
    if not text.strip():
        _search(own, [])
        return Verdict(ALLOW, "empty", "the command is blank", None)
    findings = classify(text, steps, with_commands=bool(own))
    built_in = [_built_in(hit) for hit in findings.hits]
    if built_in and built_in[0].action == BLOCK:
        _search(own, [], may_wait=False)
        return built_in[0]
    if policy is None:
        return built_in[0] if built_in else _allowed()
    return _hardened(text, findings, built_in, policy)


def _hardened(
    text: str, findings: Findings, built_in: list[Verdict], policy: ProjectPolicy
) -> Verdict:
    """Apply a project's policy where no built-in rule blocks."""
    for verdict in built_in:
        if verdict.rule in policy.raised:
            _search(policy.rules, [], may_wait=False)
            return Verdict(BLOCK, verdict.rule, verdict.reason, verdict.piece, POLICY)
    wanted = [BLOCK] if built_in else [BLOCK, MANUAL]
    found = _search(policy.rules, [text, *map(" ".join, findings.commands)], wanted)
    if found is not None:
        rule, piece = found
        return Verdict(rule.action, rule.id, rule.reason, _cut(piece) or None, POLICY)
    return built_in[0] if built_in else _allowed()


def _search(
    rules: list[OwnRule],
    texts: list[str],
    wanted: list[str] | None = None,
    *,
    may_wait: bool = True,
) -> tuple[OwnRule, str] | None:
    """Search with a project's patterns; without texts, only see that they are sound."""
    if not rules:
        return None
    from hpp.core.policy.search import first_match

    return first_match(rules, texts, wanted or [], may_wait=may_wait)


def _built_in(hit: Hit) -> Verdict:
    action, reason = RULES[hit.rule]
    return Verdict(action, hit.rule, reason, _cut(hit.piece))


def _cut(piece: str) -> str:
    return piece if len(piece) <= _LONGEST_PIECE else piece[:_LONGEST_PIECE] + "..."


def _allowed() -> Verdict:
    return Verdict(ALLOW, "allow", "no rule matched", None)
