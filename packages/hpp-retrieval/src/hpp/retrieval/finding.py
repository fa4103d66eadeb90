"""Findings of a citation check: what each code means, and how severe it is."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["BLOCK", "OK", "RULES", "WARN", "Finding", "Rule", "excerpt_of"]

OK, WARN, BLOCK = "ok", "warn", "block"
_LONGEST, _CUT = 120, 117


class Rule:
    """What a code stands for; `summary` and `advice` are for a person."""

    __slots__ = ("advice", "code", "severity", "summary")

    def __init__(self, code: str, severity: str, summary: str, advice: str) -> None:
        self.code = code
        self.severity = severity
        self.summary = summary
        self.advice = advice


RULES = {
    rule.code: rule
    for rule in (
        Rule(
            "UNKNOWN_ID",
            BLOCK,
            "A marker names an id that the context does not have.",
            "Name an id of the context, or take the marker away.",
        ),
        Rule(
            "RANGE",
            BLOCK,
            "A marker holds a list or a range of ids.",
            "Write one marker for each id.",
        ),
        Rule("EMPTY_MARKER", BLOCK, "A marker names no id.", "Name an id of the context."),
        Rule(
            "TOO_MANY",
            WARN,
            "A sentence has more markers than one reader can follow.",
            "Split the sentence, or keep the markers that support it best.",
        ),
        Rule(
            "UNCITED_CLAIM",
            WARN,
            "A sentence states a number, a share, an amount or a date and has no marker.",
            "Cite where the figure comes from.",
        ),
        Rule(
            "NO_MARKERS",
            WARN,
            "The text has no marker, so nothing was checked.",
            "Cite the context, or check that --marker fits the text.",
        ),
    )
}


class Finding:
    r"""One finding.

    Attributes:
        code: A key of `RULES`.
        sentence: Number of the sentence, from 1; None for the whole text.
        line: Where the sentence starts, from 1; None for the whole text.
        place: Where the thing found begins and ends in the text, lines joined by ``\n``.
        excerpt: The sentence, shortened.
        message: One line for a person.
        details: ``marker``, ``count``, ``token`` and ``hint``, those that apply.

    """

    __slots__ = ("code", "details", "excerpt", "line", "message", "place", "sentence")

    def __init__(  # noqa: PLR0913 -- one value an attribute
        self,
        code: str,
        message: str,
        *,
        sentence: int | None = None,
        line: int | None = None,
        place: tuple[int, int] = (0, 0),
        excerpt: str = "",
        **details: object,
    ) -> None:
        self.code = code
        self.message = message
        self.sentence = sentence
        self.line = line
        self.place = place
        self.excerpt = excerpt
        self.details = {key: value for key, value in details.items() if value is not None}

    @property
    def severity(self) -> str:
        """Return `WARN` or `BLOCK`."""
        return RULES[self.code].severity

    def document(self) -> dict[str, Any]:
        """Return the finding as a report lists it."""
        return {
            "code": self.code,
            "severity": self.severity,
            "sentence": self.sentence,
            "line": self.line,
            "excerpt": self.excerpt,
            "message": self.message,
            **self.details,
        }


def excerpt_of(text: str) -> str:
    """Return a sentence with its white space collapsed, cut past 120 characters."""
    # No more than is needed is split: a sentence may be as long as its text.
    shown = " ".join(text[: 20 * _LONGEST].split())
    is_cut = len(shown) > _LONGEST or len(text) > 20 * _LONGEST
    return shown[:_CUT] + "..." if is_cut else shown
