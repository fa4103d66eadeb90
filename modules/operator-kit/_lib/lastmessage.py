"""The last message of the agent: from the event, else from the end of the transcript."""

from __future__ import annotations

from hpp.core.portable.fsread import read_jsonl

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hpp.core.portable.payload import Payload

__all__ = ["last_message"]

_MOST = 4 * 1024 * 1024
_TEXTS = ("text", "output_text")


def last_message(payload: Payload) -> str:
    """Return the text of the last message; empty when there is none to be found."""
    if payload.data.get("last_assistant_message") is not None:
        return payload.text("last_assistant_message")
    path = payload.text("transcript_path")
    if not path or "\0" in path:
        return ""
    try:
        records, _ = read_jsonl(path, _MOST)
    except OSError:
        return ""
    for record in reversed(records):
        text = _spoken(record)
        if text:
            return text
    return ""


def _spoken(record: dict[str, Any]) -> str:
    """Return what the agent says in one line of a transcript, of either host."""
    for holder in (record.get("message"), record.get("payload"), record):
        if not isinstance(holder, dict) or holder.get("role") != "assistant":
            continue
        content = holder.get("content")
        if isinstance(content, str):
            return content
        parts = content if isinstance(content, list) else []
        texts = [
            part["text"]
            for part in parts
            if isinstance(part, dict)
            and part.get("type") in _TEXTS
            and isinstance(part.get("text"), str)
        ]
        return "\n".join(texts)
    return ""
