"""``hpp policy explain``: how a command was read, step by step."""

from __future__ import annotations

from hpp.cli.policy import policy_in_force
from hpp.core.output import write_json, write_text
from hpp.core.policy.finding import RUNS
from hpp.core.policy.piece import bounded, masked
from hpp.core.policy.verdict import judge
from hpp.core.shell.model import OPAQUE, PRINTED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hpp.core.arguments import Values
    from hpp.core.policy.classifier import Step
    from hpp.core.policy.verdict import Verdict

__all__ = ["explain"]

_LONGEST = 200
_MOST_WORDS = 40


def explain(values: Values) -> int:
    """Print the steps and the verdict; the status is 0 whatever the verdict is."""
    text = bounded(values.command, "--command")
    steps: list[Step] = []
    verdict = judge(text, policy_in_force(values.policy), steps)
    if values.json:
        write_json(_document(steps, verdict))
    else:
        write_text(_text(steps, verdict))
    return 0


def _document(steps: list[Step], verdict: Verdict) -> dict[str, Any]:
    return {
        "schema": "hpp.policy-explanation/v1",
        "steps": [
            {
                "depth": step.depth,
                "kind": step.kind,
                "text": masked(step.text, _LONGEST),
                "words": _words(step),
                "through": step.through,
                "rules": step.rules,
            }
            for step in steps
        ],
        "action": verdict.action,
        "rule": verdict.rule,
        "reason": verdict.reason,
        "source": verdict.source,
    }


def _words(step: Step) -> list[str]:
    """Return the words of a command; a part that the text does not tell is three dots."""
    shown = (word.replace(OPAQUE, "...").replace(PRINTED, "...") for word in step.words)
    return [masked(word, _LONGEST) for word, _ in zip(shown, range(_MOST_WORDS), strict=False)]


def _text(steps: list[Step], verdict: Verdict) -> str:
    lines: list[str] = []
    for step in steps:
        margin = "  " * (2 * step.depth + (step.kind == RUNS))
        rules = f"   <- {', '.join(step.rules)}" if step.rules else ""
        lines.append(f"{margin}{step.kind:<9}{masked(step.text, _LONGEST)}{rules}")
        words = " ".join(_words(step))
        if step.through:
            lines.append(f"{margin}{'':<9}through {', '.join(step.through)}")
        if words and words != step.text:
            lines.append(f"{margin}{'':<9}as {words}")
    lines.append(f"{verdict.action} {verdict.rule}: {verdict.reason}")
    return "\n".join(lines) + "\n"
