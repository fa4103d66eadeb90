"""Corrections that an operator gave again and again, found in the logs of sessions.

Only the operator's turns are read. What is found is a proposal: a person decides what becomes
a rule.
"""

from __future__ import annotations

import os
import re
import unicodedata

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from typing import Any

__all__ = ["key_of", "newest_logs", "proposals", "sentences", "turns"]

_SUFFIXES = (".jsonl", ".md")
_LABELS = ("user", "operator", "human")
_LARGEST = 32 * 1024 * 1024
_SENTENCE = re.compile(r"[^.!?\n。！？]+[.!?。！？]*")  # noqa: RUF001 -- the marks of other scripts
_LONGEST = 400
_MOST_TOKENS = 60


def newest_logs(folder: str, most: int) -> list[str]:
    """Return the newest logs of a folder, the newest first; none for a folder that is not there."""
    if not os.path.isdir(folder):
        return []
    with os.scandir(folder) as entries:
        found = [
            (-entry.stat(follow_symlinks=False).st_mtime_ns, entry.name)
            for entry in entries
            if entry.name.endswith(_SUFFIXES) and entry.is_file(follow_symlinks=False)
        ]
    return [os.path.join(folder, name) for _, name in sorted(found)[:most]]


def turns(path: str) -> Iterator[str]:
    """Yield what the operator said in a log; a line that cannot be read says nothing."""
    if path.endswith(".jsonl"):
        from hpp.core.portable.fsread import read_jsonl

        for record in read_jsonl(path, _LARGEST)[0]:
            yield from _said(record)
        return
    with open(path, "rb") as file:
        text = file.read(_LARGEST).decode("utf-8", "replace")
    yield from _labelled(text)


def _said(record: dict[str, Any]) -> Iterator[str]:
    """Yield the texts of a record by the operator; what a tool answered is not theirs."""
    inner = record.get("message")
    message = inner if isinstance(inner, dict) else record
    if message.get("role") != "user":
        return
    content = message.get("content", message.get("text"))
    for part in content if isinstance(content, list) else [content]:
        if isinstance(part, str):
            yield part
        elif isinstance(part, dict) and part.get("type") in ("text", "input_text"):
            text = part.get("text")
            if isinstance(text, str):
                yield text


def _labelled(text: str) -> Iterator[str]:
    for line in text.splitlines():
        label, colon, rest = line.lstrip("#>-* \t").replace("**", "").partition(":")
        if colon and label.strip().casefold() in _LABELS and rest.strip():
            yield rest.strip()


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a text, each on one line."""
    for found in _SENTENCE.finditer(text):
        sentence = " ".join(found.group().split())
        if sentence:
            yield sentence


def key_of(sentence: str) -> str:
    """Return what sentences of the same words share, whatever their case, order and accents."""
    plain = unicodedata.normalize("NFKD", sentence.casefold())
    kept = "".join(
        char if char.isalnum() else "" if unicodedata.combining(char) else " " for char in plain
    )
    words = sorted(set(kept.split()))[:_MOST_TOKENS]
    from hpp.core.portable.digest import text_digest

    return text_digest(" ".join(words))[:12]


def proposals(
    logs: Sequence[str], markers: Iterable[str], threshold: int, rejected: Collection[str]
) -> list[dict[str, Any]]:
    """Return what was said with emphasis in enough sessions, the most often said first."""
    from _lib.marker import markers_in

    from hpp.core.portable.redact import shown

    known = list(markers)
    found: dict[str, dict[str, Any]] = {}
    for log in logs:
        for sentence in (each for turn in turns(log) for each in sentences(turn)):
            hits = markers_in(sentence, known)
            if not hits:
                continue
            key = key_of(sentence)
            entry = found.setdefault(key, {"text": sentence, "markers": hits, "logs": set()})
            entry["logs"].add(os.path.basename(log))
    made = [
        {
            "key": key,
            "text": shown(entry["text"])[:_LONGEST],
            "markers": entry["markers"],
            "sessions": len(entry["logs"]),
        }
        for key, entry in found.items()
        if len(entry["logs"]) >= threshold and key not in rejected
    ]
    return sorted(made, key=lambda each: (-each["sessions"], each["key"]))
