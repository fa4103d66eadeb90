"""Small pieces of the page; every text that came from elsewhere passes through `esc`."""

from __future__ import annotations

from html import escape

from hpp.core.text import printable

__all__ = ["COLUMNS", "chip", "esc", "face", "family_chip", "initials", "state_class", "words"]

_HUES = {
    "claude": 18, "gpt": 158, "gemini": 217, "llama": 248, "mistral": 36, "qwen": 278,
    "deepseek": 198, "grok": 320, "kimi": 340, "glm": 178,
}  # fmt: skip
# Columns of the board: title, class, states.
COLUMNS = (
    ("In work", "s-work", ("CLAIMED", "BUILDING")),
    ("Ready for review", "s-ready", ("CHECKPOINT-READY", "DEFERRED")),
    ("Under review", "s-review", ("UNDER-REVIEW",)),
    ("To be mended", "s-fix", ("NEEDS-FIX", "FIX-QUEUED")),
    ("Accepted", "s-ok", ("VERIFIED", "APPROVED")),
    ("Merged", "s-done", ("MERGED",)),
    ("Out", "s-out", ("NOT-SELECTED", "WITHDRAWN", "RELEASED")),
)
_CLASS = {state: css for _, css, states in COLUMNS for state in states}
_CUT = 220


def esc(text: object) -> str:
    """Return a text as HTML shows it, and never runs it."""
    return escape(printable(" ".join(str(text).split())), quote=True)


def words(text: str) -> str:
    """Return the beginning of a longer text."""
    return esc(text if len(text) <= _CUT else text[:_CUT] + "...")


def chip(text: object, kind: str = "") -> str:
    """Return a text in a small frame."""
    return f'<span class="chip{" " + kind if kind else ""}">{esc(text)}</span>'


def family_chip(family: str | None, model: str = "") -> str:
    """Return a family in its colour, or the model where nobody knows one."""
    if family is None:
        return chip(model or "no family")
    hue = _HUES.get(family, _hue(family))
    return f'<span class="chip family" style="--hue:{hue}">{esc(model or family)}</span>'


def face(name: str, family: str | None, liveness: str) -> str:
    """Return the round sign of a lane, with a dot that says whether it is alive."""
    kind, style = (" none", "") if family is None else ("", f' style="--hue:{_face_hue(family)}"')
    dot = f'<i class="{esc(liveness)}"></i>' if liveness else ""
    return f'<div class="face{kind}"{style}>{esc(initials(name))}{dot}</div>'


def initials(name: str) -> str:
    """Return one or two letters for a name."""
    parts = [part for part in name.replace(" ", "-").split("-") if part not in ("", "a", "any")]
    letters = parts[0][:1] + (parts[-1][:1] if len(parts) > 1 else parts[0][1:2]) if parts else "?"
    return letters.upper()


def state_class(state: str) -> str:
    """Return the class that colours a state."""
    return _CLASS.get(state, "s-out")


def _face_hue(family: str) -> int:
    return _HUES.get(family, _hue(family))


def _hue(family: str) -> int:
    return sum(family.encode()) * 37 % 360
