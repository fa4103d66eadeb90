"""An entry of a document, and where it goes; texts in, texts out, no file is touched."""

from __future__ import annotations

import re

from _lib.rendering import flat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _lib.rollupinput import Json, Target

__all__ = ["Outcome", "placed"]

_BEGIN, _END = "<!-- ROLLUP:SNAPSHOT:BEGIN -->", "<!-- ROLLUP:SNAPSHOT:END -->"
_ENTRY = re.compile(r"<!-- rollup:[A-Za-z0-9._:-]{3,80} -->")
_FIELD = re.compile(
    r"\{(date|summary|shipments_bullets|metrics_table|decisions_bullets|learnings_bullets)\}"
)
_STAMP = " <!-- rollup-stamp -->"
_LONGEST_VALUE = 2000
_LONGEST_STAMP = 160
_MOST_STAMPS = 200
_LONGEST_LINE = 1000
_BLOCK_STARTS = ("#", ">", "|", "```", "~~~", "---", "===", "***")
_VERBS = {
    "prepend-after-header": "prepend", "append-section": "append",
    "header-and-section": "update-section",
}  # fmt: skip


class Outcome:
    """What becomes of a target.

    Attributes:
        verb: ``prepend``, ``append``, ``update-section``, ``create`` or ``stamp``; else the
            status itself, such as ``skipped-collision``.
        text: The new text; None when nothing is written.
        reason: Why, where that is not plain.

    """

    __slots__ = ("reason", "text", "verb")

    def __init__(self, verb: str, text: str | None = None, reason: str = "") -> None:
        self.verb = verb
        self.text = text
        self.reason = reason


def placed(target: Target, payload: Json, before: str | None) -> Outcome:
    """Return what an entry makes of a document; None stands for one that is not there."""
    marker = f"<!-- rollup:{payload['session_marker']} -->"
    if before is not None and target.mode == "create-new":
        return Outcome("skipped-exists")
    lines = [line.rstrip("\r") for line in (before or "").split("\n")]
    if marker in lines:
        return Outcome("skipped-collision", reason="this session is in it already")
    entry = [marker, *_filled(target.template, payload)]
    if target.mode == "header-and-section":
        return _section(before, lines, entry)
    made = _inserted(target.mode, before, lines, entry)
    if not _is_over(target, lines, made):
        return Outcome("create" if before is None else _VERBS[target.mode], made)
    if sum(line.endswith(_STAMP) for line in lines) >= _MOST_STAMPS:
        return Outcome("full", reason=f"{_MOST_STAMPS} stamps are in it")
    return Outcome(
        "stamp", _inserted(target.mode, before, lines, [marker, _stamp(target, payload)])
    )


def _filled(template: str, payload: Json) -> list[str]:
    values = {
        "date": payload["date"], "summary": _safe(payload["summary"]),
        "shipments_bullets": _bullets(payload["shipments"]),
        "metrics_table": _table(payload["metrics"]),
        "decisions_bullets": _bullets(payload["decisions"]),
        "learnings_bullets": _bullets(payload["learnings"]),
    }  # fmt: skip
    text = _FIELD.sub(lambda found: values[found[1]], template)
    return text.replace("\r", "").strip("\n").split("\n")


def _safe(value: object, most: int = _LONGEST_VALUE) -> str:
    """Return a value as one line that is no heading, no fence and no comment."""
    text = flat(value, most).replace("<!--", "&lt;!--").replace("-->", "--&gt;")
    return f"\\{text}" if text.startswith(_BLOCK_STARTS) else text


def _bullets(values: list[str]) -> str:
    return "\n".join(f"- {_safe(value)}" for value in values) or "- none"


def _table(metrics: list[Json]) -> str:
    if not metrics:
        return "no metrics"
    rows = ["| metric | before | after | re-derive |", "|---|---|---|---|"]
    for metric in metrics:
        cells = (metric[key] for key in ("name", "before", "after", "re_derive_cmd"))
        rows.append("| " + " | ".join(_safe(cell).replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(rows)


def _stamp(target: Target, payload: Json) -> str:
    pointer = f" (see {_safe(target.pointer)})" if target.pointer else ""
    return f"- {payload['date']}: {_safe(payload['summary'], _LONGEST_STAMP)}{pointer}{_STAMP}"


def _is_over(target: Target, lines: list[str], made: str) -> bool:
    if len(made.encode()) > target.max_bytes:
        return True
    if target.entry_marker is None:
        return sum(_ENTRY.fullmatch(line) is not None for line in lines) >= target.max_entries
    found = sum(target.entry_marker.search(line[:_LONGEST_LINE]) is not None for line in lines)
    return found >= target.max_entries


def _inserted(mode: str, before: str | None, lines: list[str], entry: list[str]) -> str:
    """Return the text with an entry; what was there keeps every byte."""
    if before is None:
        return "\n".join([*entry, ""])
    end = "\r\n" if "\r\n" in before else "\n"
    if mode == "prepend-after-header":
        at = _first(lines)
        if at is not None:
            kept = before.split("\n")
            # The kept lines bring their own ends, the carriage return included.
            head, tail = "\n".join([*kept[:at], ""]), "\n".join(kept[at:])
            return f"{head}{end.join(entry)}{end}{end}{tail}"
    gap = "" if not before else end if before.endswith("\n") else end * 2
    return f"{before}{gap}{end.join(entry)}{end}"


def _first(lines: list[str]) -> int | None:
    """Return the line before which a newest entry goes; None for the end."""
    for number, line in enumerate(lines):
        if _ENTRY.fullmatch(line):
            return number
    for number, line in enumerate(lines[:-1]):
        if not line.strip():
            return number + 1
    return None


def _section(before: str | None, lines: list[str], entry: list[str]) -> Outcome:
    begins = [number for number, line in enumerate(lines) if line.strip() == _BEGIN]
    ends = [number for number, line in enumerate(lines) if line.strip() == _END]
    if not begins and not ends:
        block = [_BEGIN, *entry, _END]
        made = _inserted("append-section", before, lines, block)
        return Outcome("create" if before is None else "update-section", made)
    if len(begins) != 1 or len(ends) != 1 or begins[0] > ends[0]:
        return Outcome("error", reason="expected each snapshot mark once, the beginning first")
    kept = (before or "").split("\n")
    end = "\r\n" if "\r\n" in (before or "") else "\n"
    head = "\n".join([*kept[: begins[0] + 1], ""])
    return Outcome("update-section", f"{head}{end.join(entry)}{end}" + "\n".join(kept[ends[0] :]))
