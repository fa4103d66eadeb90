"""Check a record of a deliberation: it derives again from what it holds, value for value."""

from __future__ import annotations

from hpp.core.canonical import canonical_bytes
from hpp.core.document import read_document, shown_name
from hpp.core.errors import RefusedError
from hpp.core.text import shorten
from hpp.decide.deliberation import SCHEMA, SCHEMA_V1, conclude, seal_of
from hpp.decide.panel import read_panel
from hpp.decide.place import Place
from hpp.decide.session import read_session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hpp.decide.deliberation import Deliberation

__all__ = ["SCHEMAS", "broken_reason", "sealed_record"]

SCHEMAS = (SCHEMA, SCHEMA_V1)


def broken_reason(record: dict[str, Any]) -> str | None:
    """Return why a record of one of `SCHEMAS` does not hold, in one line, or None."""
    root = Place(record, "the record")
    try:
        seal = root.at("record_sha256").digest()
        if seal != seal_of(record):
            return "record_sha256: the record is not the one that was sealed"
        concluded = _concluded(root)
        _check_human(root.at("human_decision"), concluded.session.panel.question.options)
    except RefusedError as error:
        return str(error).removeprefix("the record: ")
    derived = concluded.document()
    # The seal agrees with the record by now, so it tells nothing of what was changed.
    for key in sorted({*record, *derived} - {"human_decision", "record_sha256"}):
        if key not in derived:
            return f"{shorten(key)}: a record has no such key"
        if key not in record:
            return f"{key}: it is missing"
        if canonical_bytes(record[key]) != canonical_bytes(derived[key]):
            return f"{key}: it does not derive from panel, turns, judge and rationale"
    return None


def sealed_record(path: str) -> dict[str, Any]:
    """Return the record at `path`, which is intact; what other families ask for.

    Raises:
        RefusedError: It is no record of a deliberation, or it is broken.

    """
    record: dict[str, Any] = read_document(path, root=dict)
    Place(record, shown_name(path)).at("schema").choice(SCHEMAS)
    reason = broken_reason(record)
    if reason is not None:
        raise RefusedError(f"{shown_name(path)}: the record is broken: {reason}")
    return record


def _concluded(root: Place) -> Deliberation:
    schema = root.at("schema").choice(SCHEMAS)
    panel = read_panel(root.at("panel"))
    if schema == SCHEMA_V1 and panel.evidence is not None:
        root.at("panel").at("evidence").refuse(f"a record of {SCHEMA_V1} declares none")
    session = read_session(root.at("turns").items(of="turns"), panel)
    return conclude(session, root.at("judge"), root.at("rationale"), schema)


def _check_human(place: Place, options: tuple[str, ...]) -> None:
    """Check what a person may have filled in after the seal."""
    if place.is_absent:
        place.refuse("it is missing; it is null until a person decides")
    if place.is_none:
        return
    place.mapping(only=("value", "by", "note"))
    place.at("value").choice(options)
    place.at("by").visible()
    note = place.at("note")
    if not note.is_absent:
        note.string()
