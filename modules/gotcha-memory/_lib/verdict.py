"""What counts as a failure: the exit status decides, and what is unclear is none.

The hosts tell it in different shapes: Claude Code sends a command that failed to an event
of its own, Codex sends every result as a text. A refusal, an interruption and a run in the
background are no failures, and neither is a search that found nothing.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hpp.core.portable.payload import Payload

__all__ = ["Failure", "judge"]

_REFUSALS = (
    "PreToolUse:", "Permission to use", "Hook ", "[Request interrupted", "The user doesn't want",
)  # fmt: skip
_HEAD = re.compile(r"(?:Error: )?Exit code (\d{1,3})(?!\d)")
_ANYWHERE = re.compile(r"exited with code (\d{1,3})(?!\d)")
_STRING = re.compile(r"Error: Exit code (\d{1,3})(?!\d)")
_EXIT_LINE = re.compile(r"\s*(?:Error: )?Exit code \d{1,3}[ \t]*(?:\n|$)")
_CODE_KEYS = ("exit_code", "exitCode", "returncode", "return_code")
_INTERRUPTED = 130


class Failure:
    """A command that failed.

    Attributes:
        text: What it said, without the line that only tells the exit code.
        code: Its exit code, where it is known.

    """

    __slots__ = ("code", "text")

    def __init__(self, text: str, code: int | None) -> None:
        said = _EXIT_LINE.sub("", text, count=1) if _EXIT_LINE.match(text) else text
        self.text = said.strip("\n")
        self.code = code


def judge(payload: Payload, command: str) -> Failure | None:
    """Return the failure that an event tells of, or None.

    Args:
        payload: After a tool ran, or failed.
        command: What the shell was given.

    Raises:
        Malformed: A field that is needed has a wrong type.

    """
    found = _found(payload)
    if found is None or found.code == _INTERRUPTED:
        return None
    if found.code == 1:
        from _lib.expected import is_answer

        if is_answer(command, found.text):
            return None
    return found


def _found(payload: Payload) -> Failure | None:
    response = _response(payload)
    fields: dict[str, Any] = response if isinstance(response, dict) else {}
    is_after_failure = payload.event == "PostToolUseFailure"
    text = _error_text(payload) if is_after_failure else ""
    if payload.flag("is_interrupt") or fields.get("interrupted") is True:
        return None
    if payload.tool_input.get("run_in_background") is True or "backgroundTaskId" in fields:
        return None
    said = text or (response if isinstance(response, str) else _field_text(fields))
    if said.lstrip().removeprefix("Error: ").startswith(_REFUSALS):
        return None
    if is_after_failure:
        return Failure(text, _code_of(text)) if text.strip() else None
    return _of_string(response) if isinstance(response, str) else _of_object(fields)


def _response(payload: Payload) -> dict[str, Any] | str | None:
    from hpp.core.portable.payload import Malformed

    response = payload.data.get("tool_response")
    if response is not None and not isinstance(response, (dict, str)):
        raise Malformed("tool_response: expected an object or a text")
    return response


def _error_text(payload: Payload) -> str:
    from hpp.core.portable.payload import Malformed

    error = payload.data.get("error")
    if isinstance(error, dict):
        for key in ("message", "error"):
            value = error.get(key)
            if isinstance(value, str) and value.strip():
                return value
        return ""
    if error is not None and not isinstance(error, str):
        raise Malformed("error: expected a text or an object")
    return error or ""


def _code_of(text: str) -> int | None:
    found = _HEAD.match(text.lstrip()) or _ANYWHERE.search(text)
    return int(found[1]) if found else None


def _of_string(text: str) -> Failure | None:
    found = _STRING.match(text)
    if found is None or not int(found[1]):
        return None
    return Failure(text, int(found[1]))


def _of_object(fields: dict[str, Any]) -> Failure | None:
    codes = [fields[key] for key in _CODE_KEYS if type(fields.get(key)) is int]
    failed = next((code for code in codes if code), None)
    if failed is not None:
        return Failure(_field_text(fields), failed)
    said_so = fields.get("is_error") is True or fields.get("isError") is True
    if said_so and _field_text(fields):
        return Failure(_field_text(fields), None)
    error = _text(fields, "error")
    # An exit code of 0 is stronger than a word.
    return Failure(error, None) if error and not codes else None


def _field_text(fields: dict[str, Any]) -> str:
    return _text(fields, "stderr") or _text(fields, "error")


def _text(fields: dict[str, Any], key: str) -> str:
    value = fields.get(key)
    return value if isinstance(value, str) and value.strip() else ""
