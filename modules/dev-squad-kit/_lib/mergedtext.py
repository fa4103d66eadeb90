"""The merged document as a text whose every sentence names its inputs, for `hpp cite check`."""

from __future__ import annotations

import re

from hpp.core.text import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

__all__ = ["merged_text"]

_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_MOST = 4  # markers of a sentence that `hpp cite check` takes for one statement


def merged_text(made: dict[str, Any]) -> str:
    """Return Markdown: a section for each place, conflicts told first in it."""
    lines = ["# Merged findings", ""]
    for each in made["merged"]:
        lines += [f"## {_title(each)}", ""]
        if each["conflict"]:
            sides = each["stances"]
            lines += [f"- Claimed {_marks(sides['for'])}.", f"- Denied {_marks(sides['against'])}."]
        lines += _told("", each["claims"])
        lines += _told("Evidence: ", each["evidence"])
        lines += _told("Fix: ", each["fixes"])
        if each["severity"]:
            named = ", ".join(sorted(set(each["severities"].values())))
            lines.append(f"- Severity {named} {_marks(sorted(each['severities']))}.")
        if each["unsupported"]:
            lines.append(f"- Without evidence {_marks(each['unsupported'])}.")
        lines.append("")
    if not made["merged"]:
        lines += [f"- Nothing found {_marks([each['id']])}." for each in made["inputs"]]
    return "\n".join(lines).rstrip("\n") + "\n"


def _title(each: dict[str, Any]) -> str:
    line = f":{each['line']}" if each["line"] else ""
    return f"{each['code']} {_plain(each['file'])}{line}"


def _told(label: str, said: Sequence[dict[str, Any]]) -> list[str]:
    """Return a line for each sentence, each with its markers."""
    return [
        f"- {label}{sentence.rstrip('.!? ')} {_marks(each['inputs'])}."
        for each in said
        for sentence in _SENTENCE.split(_plain(each["text"]))
        if sentence.strip(".!? ")
    ]


def _marks(names: Sequence[str]) -> str:
    """Return the markers of some inputs, a sentence for each four of them."""
    groups = [names[at : at + _MOST] for at in range(0, len(names), _MOST)]
    return ". Also ".join(" ".join(f"[ID:{name}]" for name in group) for group in groups)


def _plain(text: str) -> str:
    """Return a text on one line that can forge no marker, heading or code."""
    flat = printable(" ".join(text.split()))
    return flat.replace("[ID:", "(ID:").replace("`", "'").replace("<", "(").replace(">", ")")
