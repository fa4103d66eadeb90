"""What a state document says of the work: stage, progress, open items, what is next."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

__all__ = ["UNKNOWN", "read_status"]

UNKNOWN = "--"
_MOST_OPEN = 25
_STAGES = ("stage", "phase", "milestone")
_NEXT = ("next action", "next step", "next")
_PERCENT = re.compile(r"(?<![\w.])(\d{1,3}(?:\.\d{1,2})?) ?%")


def read_status(text: str) -> dict[str, Any]:
    """Return the status; what the document does not say is ``--`` and has a note."""
    from _lib.markdown import checkboxes

    lines = _outside_of_code(text)
    boxes = list(checkboxes(text))
    opened = [{"line": box.line, "text": box.text} for box in boxes if not box.is_checked]
    notes = []
    stage = _labelled(lines, _STAGES, keep_label=True)
    if stage is None:
        notes.append("no heading or line begins with stage, phase or milestone")
    following = _labelled(lines, _NEXT) or _below(lines, _NEXT)
    if following is None and opened:
        following = str(opened[0]["text"])
        notes.append("no next action is named; the first open item stands in")
    elif following is None:
        notes.append("no next action is named, and no item is open")
    if not boxes:
        notes.append("no checkboxes: progress is not measured")
    declared = _declared(lines)
    measured = round(100 * (len(boxes) - len(opened)) / len(boxes)) if boxes else None
    if declared is not None and measured is not None and declared != measured:
        notes.append(f"{declared:g} % is declared and {measured} % is measured")
    return {
        "stage": UNKNOWN if stage is None else stage,
        "progress": {
            "checked": len(boxes) - len(opened),
            "total": len(boxes),
            "percent": UNKNOWN if measured is None else measured,
            "declared": UNKNOWN if declared is None else declared,
        },
        "open": opened[:_MOST_OPEN],
        "open_total": len(opened),
        "next": UNKNOWN if following is None else following,
        "notes": notes,
    }


def _outside_of_code(text: str) -> list[str]:
    found, fence = [], ""
    for line in text.splitlines():
        bare = line.strip()
        if bare.startswith(("```", "~~~")):
            mark = bare[:3]
            fence = mark if not fence else "" if fence == mark else fence
            found.append("")
        else:
            found.append("" if fence else bare)
    return found


def _bare(line: str) -> str:
    return line.lstrip("#>-*+ \t").replace("**", "").replace("__", "").strip()


def _labelled(
    lines: Sequence[str], labels: Sequence[str], *, keep_label: bool = False
) -> str | None:
    """Return what the first line that begins with a label says."""
    for line in lines:
        bare = _bare(line)
        for label in labels:
            rest = bare[len(label) :]
            if not bare.casefold().startswith(label) or rest[:1].isalnum():
                continue
            said = rest.strip().lstrip(":=-\u2013\u2014").strip()
            if keep_label and not rest.lstrip().startswith((":", "=")):
                return bare
            if said and (keep_label or rest.lstrip()[:1] in (":", "=")):
                return said
    return None


def _below(lines: Sequence[str], labels: Sequence[str]) -> str | None:
    """Return the first line that says something below a heading of these words."""
    for number, line in enumerate(lines):
        if not line.startswith("#") or not _bare(line).casefold().startswith(tuple(labels)):
            continue
        for following in lines[number + 1 :]:
            if following.startswith("#"):
                break
            said = _bare(following)
            if said[:3].lower() in ("[ ]", "[x]"):
                said = said[3:].strip()
            if said:
                return said
    return None


def _declared(lines: Sequence[str]) -> float | None:
    for line in lines:
        found = _PERCENT.search(line)
        if found and float(found.group(1)) <= 100:  # noqa: PLR2004 -- per cent
            value = float(found.group(1))
            return int(value) if value.is_integer() else value
    return None
