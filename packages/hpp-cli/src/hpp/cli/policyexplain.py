"""``hpp policy explain``: how a command was read, step by step."""

from __future__ import annotations

from hpp.cli.policy import bounded, masked, policy_in_force
from hpp.core.output import write_json, write_text
from hpp.core.policy.verdict import judge

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hpp.core.arguments import Values
    from hpp.core.policy.classifier import Step
    from hpp.core.policy.verdict import Verdict

__all__ = ["explain"]

_LONGEST = 200


def explain(values: Values) -> int:
    """Print the steps and the verdict; the status is 0 whatever the verdict is."""
    text = bounded(values.command, "--command")
    steps: list[Step] = []
    verdict = judge(text, policy_in_force(values.policy), steps)
    if values.json:
        write_json(
            {
                "schema": "hpp.policy-explanation/v1",
                "steps": [
                    {
                        "depth": step.depth,
                        "kind": step.kind,
                        "text": _shown(step.text),
                        "rules": step.rules,
                    }
                    for step in steps
                ],
                "action": verdict.action,
                "rule": verdict.rule,
                "reason": verdict.reason,
                "source": verdict.source,
            }
        )
    else:
        write_text(_text(steps, verdict))
    return 0


def _text(steps: list[Step], verdict: Verdict) -> str:
    lines = []
    for step in steps:
        margin = "  " * (2 * step.depth + (step.kind == "runs"))
        rules = f"   <- {', '.join(step.rules)}" if step.rules else ""
        lines.append(f"{margin}{step.kind:<7}{_shown(step.text)}{rules}")
    lines.append(f"{verdict.action} {verdict.rule}: {verdict.reason}")
    return "\n".join(lines) + "\n"


def _shown(text: str) -> str:
    return masked(text if len(text) <= _LONGEST else text[:_LONGEST] + "...")
