"""One answer from several hooks: a block over a question over a warning over silence."""

from __future__ import annotations

from hpp.core.portable.answer import Answer, answer_of, tidy
from hpp.core.strictjson import parse_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

__all__ = ["merge"]


def merge(answers: Sequence[Answer]) -> Answer:
    """Return what one host is told for several hooks.

    Every text stays, each with the name of its hook as it came, all within the bound of one
    answer; the texts of what wins come first.
    """
    said = [parse_text(each.stdout, "answer", root=dict) for each in answers if each.stdout]
    blocks = [each.stderr.rstrip() for each in answers if each.exit]
    inner = [each["hookSpecificOutput"] for each in said if "hookSpecificOutput" in each]
    asks = _texts(inner, "permissionDecisionReason")
    stops = _texts(said, "reason")
    persons = _texts(said, "systemMessage")
    contexts = _texts(inner, "additionalContext")
    if blocks:
        return tidy(Answer(2, "", "\n".join(_distinct([*blocks, *asks, *stops, *persons]))))
    if asks:
        reason = "\n".join(_distinct([*asks, *persons, *contexts]))
        return _answer_inside("PreToolUse", permissionDecision="ask", reason=reason)
    if stops:
        return answer_of({"decision": "block", "reason": "\n".join([*stops, *persons])})
    parts: dict[str, Any] = {}
    if persons:
        parts["systemMessage"] = "\n".join(persons)
    if contexts:
        parts["hookSpecificOutput"] = {
            "hookEventName": inner[0]["hookEventName"],
            "additionalContext": "\n".join(contexts),
        }
    return answer_of(parts) if parts else Answer()


def _answer_inside(event: str, *, permissionDecision: str, reason: str) -> Answer:  # noqa: N803 -- the host's key
    return answer_of(
        {
            "hookSpecificOutput": {
                "hookEventName": event,
                "permissionDecision": permissionDecision,
                "permissionDecisionReason": reason,
            }
        }
    )


def _texts(holders: Iterable[dict[str, Any]], key: str) -> list[str]:
    return [holder[key] for holder in holders if key in holder]


def _distinct(texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(texts))
