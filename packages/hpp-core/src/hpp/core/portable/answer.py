"""What a hook may answer: the few shapes that Claude Code and Codex CLI both honour.

A key beyond them makes Codex drop the whole answer, so nothing else is ever written. Each
text names its hook and holds no secret-like text; all texts of one answer together are at
most 4,000 bytes.
"""

from __future__ import annotations

from hpp.core.portable.payload import CLAUDE_CODE, Malformed
from hpp.core.strictjson import parse_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hpp.core.portable.payload import Payload

__all__ = [
    "ADDS_CONTEXT",
    "LONGEST",
    "Answer",
    "answer_of",
    "ask",
    "block",
    "block_stop",
    "context",
    "is_plainly_safe",
    "message",
    "shape_fault",
    "tidy",
    "warn",
]

LONGEST = 4000
_MOST_READ = 64 * 1024
_CUT = "..."
_SHOWN_COMMAND = 400
# Events whose answer may add text for the model.
ADDS_CONTEXT = frozenset(
    {"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure"}
)


class Answer:
    """What a hook leaves behind.

    Attributes:
        exit: 0, or 2 for a block.
        stdout: Nothing, or one JSON object and a line feed, ASCII alone.
        stderr: The reason of a block.

    """

    __slots__ = ("exit", "stderr", "stdout")

    def __init__(self, exit: int = 0, stdout: str = "", stderr: str = "") -> None:  # noqa: A002 -- the name of the field
        self.exit = exit
        self.stdout = stdout
        self.stderr = stderr

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Answer) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        return f"Answer({self.exit}, {self.stdout!r}, {self.stderr!r})"

    def _key(self) -> tuple[int, str, str]:
        return self.exit, self.stdout, self.stderr


def message(hook: str, text: str) -> Answer:
    """Tell the person something; every event allows it."""
    return answer_of({"systemMessage": _named(hook, text)})


def context(event: str, hook: str, text: str) -> Answer:
    """Tell the model something; where an event cannot, the person is told."""
    if event not in ADDS_CONTEXT:
        return message(hook, text)
    return answer_of({"hookSpecificOutput": _context(event, hook, text)})


def warn(event: str, hook: str, person: str, model: str | None = None) -> Answer:
    """Warn the person in one line, and the model where the event can reach it."""
    parts: dict[str, Any] = {"systemMessage": _named(hook, " ".join(person.split()))}
    if model is not None and event in ADDS_CONTEXT:
        parts["hookSpecificOutput"] = _context(event, hook, model)
    return answer_of(parts)


def block(hook: str, reason: str) -> Answer:
    """Stop a tool call: status 2, and the reason where both hosts look for it."""
    return Answer(2, "", _fitted([_named(hook, reason or "refused")])[0] + "\n")


def ask(hook: str, reason: str, payload: Payload) -> Answer:
    """Ask the person about a tool call.

    Only Claude Code knows the question, before a tool. Anywhere else it is a block that
    says what to ask, and how the person goes ahead.
    """
    if payload.host == CLAUDE_CODE and payload.event == "PreToolUse":
        return answer_of(
            {
                "hookSpecificOutput": {
                    "hookEventName": "PreToolUse",
                    "permissionDecision": "ask",
                    "permissionDecisionReason": _named(hook, reason),
                }
            }
        )
    try:
        command = payload.command()
    except Malformed:
        command = None
    shown = f"run it in a terminal of their own: {command}" if command else "do it themselves"
    if command and len(command) > _SHOWN_COMMAND:
        shown = "run the command in a terminal of their own"
    return block(
        hook,
        f"a person has to decide: {reason}. Ask the person whether this may go ahead; to allow "
        f"it they {shown}",
    )


def block_stop(hook: str, reason: str) -> Answer:
    """Keep the agent from stopping; the reason is what it reads next."""
    return answer_of({"decision": "block", "reason": _named(hook, reason)})


def answer_of(parts: dict[str, Any]) -> Answer:
    """Return the answer with these keys, its texts made safe and short enough."""
    holders = [
        (holder, key)
        for holder in (parts, parts.get("hookSpecificOutput", {}))
        for key, value in holder.items()
        if type(value) is str and key in _TEXTS
    ]
    fitted = _fitted([holder[key] for holder, key in holders])
    for (holder, key), text in zip(holders, fitted, strict=True):
        holder[key] = text
    return Answer(0, _json(parts) + "\n")


def tidy(answer: Answer) -> Answer:
    """Return an answer with its texts safe and short enough, however it was made."""
    if answer.stdout:
        made = answer_of(parse_text(answer.stdout, "answer", root=dict))
        made.exit = answer.exit
        made.stderr = answer.stderr
        answer = made
    if answer.stderr:
        return Answer(answer.exit, answer.stdout, _fitted([answer.stderr.rstrip()])[0] + "\n")
    return answer


def shape_fault(event: str, answer: Answer) -> str | None:
    """Return what an answer holds that this event does not allow, or None."""
    if not answer.stdout:
        return "a block needs a reason" if answer.exit and not answer.stderr.strip() else None
    if answer.exit:
        return "a block leaves standard output empty"
    parts = parse_text(answer.stdout, "answer", root=dict)
    allowed = {"systemMessage"}
    if event in ADDS_CONTEXT:
        allowed.add("hookSpecificOutput")
    if event == "Stop" and "decision" in parts:
        allowed = {"decision", "reason"}
    for key in sorted(parts.keys() - allowed):
        return f"{key}: {event} allows no such key"
    inner = parts.get("hookSpecificOutput")
    return None if inner is None else _inner_fault(event, inner, is_alone=len(parts) == 1)


def _inner_fault(event: str, inner: dict[str, Any], *, is_alone: bool) -> str | None:
    known = {"hookEventName", "additionalContext"}
    if event == "PreToolUse" and "permissionDecision" in inner:
        known = {"hookEventName", "permissionDecision", "permissionDecisionReason"}
        if not is_alone or inner["permissionDecision"] != "ask":
            return "hookSpecificOutput.permissionDecision: only a question, and nothing beside it"
    if inner.get("hookEventName") != event:
        return "hookSpecificOutput.hookEventName: expected the event's own name"
    for key in sorted(inner.keys() - known):
        return f"hookSpecificOutput.{key}: no such key is allowed"
    return None


_TEXTS = frozenset({"systemMessage", "additionalContext", "permissionDecisionReason", "reason"})


def _context(event: str, hook: str, text: str) -> dict[str, str]:
    return {"hookEventName": event, "additionalContext": _named(hook, text)}


def _named(hook: str, text: str) -> str:
    return text if text.startswith(f"{hook}:") else f"{hook}: {text}"


def _fitted(texts: list[str]) -> list[str]:
    """Return texts without secrets that come to at most `LONGEST` bytes together."""
    safe = [_safe(text) for text in texts]
    sizes = [len(text.encode()) for text in safe]
    room, left = LONGEST, len(safe)
    fitted = [""] * len(safe)
    # The shortest first, so that what it leaves is there for the others.
    for size, place in sorted((size, place) for place, size in enumerate(sizes)):
        share = room // left
        fitted[place] = safe[place] if size <= share else _cut(safe[place], share)
        room -= min(size, share)
        left -= 1
    return fitted


def _cut(text: str, size: int) -> str:
    head = text.encode()[: size - len(_CUT)]
    return head.decode("utf-8", "ignore") + _CUT


def _safe(text: str) -> str:
    """Return a text without control characters and without secret-like text."""
    if len(text) > _MOST_READ:
        # At a blank, so that no secret is cut in half and then not known for one.
        text = text[:_MOST_READ].rpartition(" ")[0] + _CUT
    if is_plainly_safe(text):
        return text
    from hpp.core.portable.redact import shown

    return shown(text)


def is_plainly_safe(text: str) -> bool:
    """Say whether redaction would leave a text as it is, at no cost; False is no verdict."""
    from hpp.core.secretmark import may_hold_secret

    plain = text.replace("\n", " ").replace("\t", " ")
    if not plain.isprintable() or not _is_wordy(plain) or may_hold_secret(text):
        return False
    low = plain.lower()
    return not any(mark in low for mark in _MORE_MARKS)


# What the marks of `secretmark` do not cover and `redact` knows as well.
# A value right behind -p counts for these two clients; `sshpass` holds a mark of its own.
_MORE_MARKS = ("cookie", "sbp_", "sb_secret_", "age-secret-key-", "mysql", "mariadb")


def _is_wordy(text: str) -> bool:
    """Say whether no word is a secret by its looks alone.

    Such a word is long and has letters of both cases and digits; see `entropy`. A path or a
    commit id is no such word.
    """
    longest = 31
    if len(text) <= longest:
        return True
    return not any(
        len(word) > longest
        and not word.islower()
        and not word.isupper()
        and any(char.isdigit() for char in word)
        for word in text.split(" ")
    )


def _json(value: object) -> str:
    if type(value) is dict:
        return "{" + ", ".join(f"{_quote(key)}: {_json(item)}" for key, item in value.items()) + "}"
    if type(value) is str:
        return _quote(value)
    import json

    return json.dumps(value)


def _quote(text: str) -> str:
    try:
        from _json import encode_basestring_ascii
    except ImportError:  # other interpreters
        from json.encoder import encode_basestring_ascii
    return encode_basestring_ascii(text)
