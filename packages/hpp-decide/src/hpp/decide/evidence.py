"""What the seats of a panel may cite, and where it comes from."""

from __future__ import annotations

from hpp.core.text import shorten
from hpp.decide.place import folded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from hpp.decide.place import Place

__all__ = ["CONTEXT", "RECORD", "Evidence", "gate_of", "read_evidence"]

CONTEXT, RECORD = "context", "evidence-record"


class Evidence:
    """Declared evidence.

    Attributes:
        ids: What may be cited, sorted, at least one.
        sources: ``{"kind", "sha256"}`` with an ``id`` for some, in order; may be empty.

    """

    __slots__ = ("ids", "sources")

    def __init__(self, ids: Iterable[str], sources: Sequence[dict[str, str]] = ()) -> None:
        self.ids = sorted(ids)
        self.sources = list(sources)

    def document(self) -> dict[str, Any]:
        """Return it as a panel carries it."""
        shown: dict[str, Any] = {"ids": self.ids}
        if self.sources:
            shown["sources"] = self.sources
        return shown

    def extended(self, ids: Iterable[str], source: dict[str, str]) -> Evidence:
        """Return it with more ids and their source; what is there already is not doubled."""
        sources = self.sources if source in self.sources else [*self.sources, source]
        return Evidence({*self.ids, *ids}, sources)


def gate_of(evidence: Evidence | None) -> str:
    """Return how well what may be cited is grounded itself."""
    if evidence is None:
        return "not-declared"
    return "resolved" if evidence.sources else "declared-unsourced"


def read_evidence(place: Place) -> Evidence | None:
    """Return the evidence that stands at a place, None when nothing is declared.

    Raises:
        RefusedError: It breaks a rule, or has a key that is none of its own.

    """
    if place.is_none:
        return None
    place.mapping(only=("ids", "sources"))
    seen: dict[str, str] = {}
    for item in place.at("ids").items(1, of="ids"):
        text = item.solid()
        if folded(text) in seen:
            item.refuse(f'the id "{shorten(text, 40)}" is repeated')
        seen[folded(text)] = text
    sources = place.at("sources")
    found = [] if sources.is_none else [_source(source) for source in sources.items()]
    return Evidence(seen.values(), found)


def _source(place: Place) -> dict[str, str]:
    place.mapping(only=("kind", "sha256", "id"))
    source = {"kind": place.at("kind").choice((CONTEXT, RECORD))}
    source["sha256"] = place.at("sha256").digest()
    identity = place.at("id")
    if not identity.is_absent:
        source["id"] = identity.solid()
    return source
