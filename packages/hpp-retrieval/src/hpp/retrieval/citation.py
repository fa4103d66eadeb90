"""The check of a text: every marker names an id of the context, every figure has a marker.

By fixed rules and without a model. That a marker resolves proves that the id exists, and
not that the source says what the sentence says.
"""

from __future__ import annotations

from hpp.core.document import shown_name
from hpp.core.errors import RefusedError
from hpp.core.text import shorten
from hpp.retrieval.block import HEADING
from hpp.retrieval.claim import claim_of
from hpp.retrieval.finding import BLOCK, OK, WARN, Finding, excerpt_of
from hpp.retrieval.marker import DEFAULT_PATTERN, RANGE, RESOLVED, UNKNOWN, Finder, classify
from hpp.retrieval.nearmiss import NearIds, near_marker

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from hpp.retrieval.citecontext import Context
    from hpp.retrieval.citedtext import Text
    from hpp.retrieval.marker import Marker
    from hpp.retrieval.sentence import Sentence

__all__ = ["SCHEMA", "Check", "check_texts"]

SCHEMA = "hpp.citation-check/v1"
_EXIT_CODES = {OK: 0, WARN: 1, BLOCK: 2}


class Check:
    """What was found in one text.

    Attributes:
        text: What was checked.
        findings: In the order of the sentences.
        counts: As the report lists them.

    """

    def __init__(self, text: Text, context: Context, finder: Finder, most: int) -> None:
        self.text = text
        self.findings: list[Finding] = []
        self.counts: dict[str, int] = {}
        self._context = context
        self._finder = finder
        self._most = most

    @property
    def verdict(self) -> str:
        """Return ``ok``, ``warn`` or ``block``: the highest severity."""
        return max((each.severity for each in self.findings), key=_EXIT_CODES.get, default=OK)  # type: ignore[arg-type]  # every severity has one

    @property
    def exit_code(self) -> int:
        """Return the exit status that goes with the verdict."""
        return _EXIT_CODES[self.verdict]

    def report(self) -> dict[str, Any]:
        """Return the report, ``hpp.citation-check/v1``."""
        return {
            "schema": SCHEMA,
            "text_sha256": self.text.sha256,
            "context_sha256": self._context.sha256,
            "marker_pattern": self._finder.pattern,
            "max_per_sentence": self._most,
            "counts": self.counts,
            "findings": [finding.document() for finding in self.findings],
            "verdict": self.verdict,
            "exit_code": self.exit_code,
        }

    def judge(self, sentences: Sequence[Sentence], near: NearIds) -> None:
        """Find what there is to find in the sentences, and count."""
        cited: list[str] = []
        claims = 0
        for number, sentence in enumerate(sentences, 1):
            told: dict[str, Any] = {
                "sentence": number,
                "line": self.text.line_and_column(sentence.start)[0],
            }
            for marker in sentence.markers:
                kind = classify(marker.id, self._context.ids)
                if kind == RESOLVED:
                    cited.append(marker.id)
                else:
                    self._marker(kind, marker, near, sentence, told)
            if len(sentence.markers) > self._most:
                self._too_many(sentence, told)
            token = None if sentence.kind == HEADING else claim_of(self.text.bare(sentence))
            claims += token is not None
            if token is not None and not sentence.markers:
                self._uncited(token, sentence, told)
        markers = sum(len(sentence.markers) for sentence in sentences)
        if not markers and not self.findings:
            message = "the text has no marker, so nothing was checked"
            self.findings.append(Finding("NO_MARKERS", message))
        known = self._context.ids
        self.counts = {
            "sentences": len(sentences),
            "quantitative_sentences": claims,
            "markers": markers,
            "cited_ids": len(cited),
            "unique_cited_ids": len(set(cited)),
            "context_ids": len(known),
            "unused_context_ids": len(known) - len(set(cited)),
        }

    def _marker(
        self, kind: str, marker: Marker, near: NearIds, sentence: Sentence, told: dict[str, Any]
    ) -> None:
        shown = self.text.plain[marker.start : marker.end]
        hint = None
        if kind == UNKNOWN:
            message = f'the context has no id "{shorten(marker.id)}"'
            nearest = near.nearest(marker.id)
            hint = f'did you mean "{shorten(nearest)}"?' if nearest is not None else None
        elif kind == RANGE:
            message = f'"{shorten(marker.id)}" is more than one id; write a marker for each'
        else:
            message = "a marker names no id"
        place = (marker.start, marker.end)
        self._add(kind, message, sentence, told, place, marker=shown, hint=hint)

    def _too_many(self, sentence: Sentence, told: dict[str, Any]) -> None:
        count = len(sentence.markers)
        message = f"{count} markers in one sentence, at most {self._most}"
        place = (sentence.markers[0].start, sentence.markers[-1].end)
        self._add("TOO_MANY", message, sentence, told, place, count=count)

    def _uncited(self, token: str, sentence: Sentence, told: dict[str, Any]) -> None:
        near = near_marker(self.text.bare(sentence))
        hint = None
        if near is not None:
            right = "[ID:...]" if self._finder.is_default else "what --marker matches"
            hint = f'"{near}" is no marker; a marker is {right}'
        message = f'"{shorten(token)}" is stated without a marker'
        place = (sentence.start, sentence.end)
        self._add("UNCITED_CLAIM", message, sentence, told, place, token=token, hint=hint)

    def _add(
        self,
        code: str,
        message: str,
        sentence: Sentence,
        told: dict[str, Any],
        place: tuple[int, int],
        **details: Any,  # noqa: ANN401 -- those of `Finding`
    ) -> None:
        excerpt = excerpt_of(self.text.plain[sentence.start : sentence.end])
        self.findings.append(
            Finding(code, message, place=place, excerpt=excerpt, **told, **details)
        )


def check_texts(
    texts: Sequence[Text], context: Context, *, marker: str = DEFAULT_PATTERN, most: int = 4
) -> list[Check]:
    """Check texts that were written from one context.

    Args:
        texts: What is checked.
        context: The ids that markers may name.
        marker: Regular expression whose one group is the id.
        most: Markers of a sentence beyond which there are too many, at least 1.

    Raises:
        RefusedError: The expression is unfit or too slow, `most` is below 1, or a text has
            no sentence outside code.

    """
    if most < 1:
        raise RefusedError(f"--max-per-sentence: expected 1 or more, got {most}")
    finder = Finder(marker)
    regions = [text.regions() for text in texts]
    found = iter(finder.find([region for each in regions for region in each]))
    near = NearIds(context.ids)
    checks: list[Check] = []
    for text, own in zip(texts, regions, strict=True):
        sentences = text.sentences([next(found) for _ in own])
        if text.is_all_code(sentences):
            raise RefusedError(f"{shown_name(text.name)}: it has no sentence outside code")
        check = Check(text, context, finder, most)
        check.judge(sentences, near)
        checks.append(check)
    return checks
