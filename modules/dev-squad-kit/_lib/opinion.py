"""One input of a merge: a review of `hpp.findings/v1`, or notes of `hpp.notes/v1`."""

from __future__ import annotations

import posixpath
import re

from hpp.core.canonical import canonical_bytes, sha256_hex
from hpp.core.document import read_document, shown_name
from hpp.core.errors import RefusedError
from hpp.core.fault import Faults
from hpp.core.secret import first_kind
from hpp.core.text import shorten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["FINDINGS", "NOTES", "SEVERITIES", "Opinion", "Point", "read_opinion"]

FINDINGS, NOTES = "hpp.findings/v1", "hpp.notes/v1"
SEVERITIES = ("high", "medium", "low")
AGAINST, FOR = "against", "for"
# What readers write for the two sides; a finding is always for what it claims.
_STANCES = {
    "for": FOR, "support": FOR, "supports": FOR, "agree": FOR, "confirm": FOR, "pro": FOR,
    "against": AGAINST, "oppose": AGAINST, "opposes": AGAINST, "disagree": AGAINST,
    "refute": AGAINST, "refutes": AGAINST, "con": AGAINST,
}  # fmt: skip
_KEYS = {
    FINDINGS: ("schema", "lens", "subject_sha256", "inspected", "findings"),
    NOTES: ("schema", "id", "notes"),
}
_POINT_KEYS = {
    FINDINGS: ("code", "severity", "file", "line", "claim", "evidence", "fix"),
    NOTES: ("code", "file", "line", "claim", "evidence", "stance"),
}
_CODE = re.compile(r"[A-Z][A-Z0-9_]{1,63}")
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_LENS = re.compile(r"[a-z][a-z0-9-]{0,62}")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_ID_DIGITS = 8


class Point:
    """One statement of an input about a place.

    Attributes:
        key: Code, file and line; line 0 stands for none.
        severity: Out of `SEVERITIES`; None for a note.
        stance: `FOR` or `AGAINST`.
        claim, evidence, fix: As they were given.

    """

    __slots__ = ("claim", "evidence", "fix", "key", "severity", "stance")

    def __init__(self, raw: dict[str, Any]) -> None:
        path = posixpath.normpath(raw["file"].replace("\\", "/"))
        self.key: tuple[str, str, int] = (raw["code"], path, raw.get("line") or 0)
        self.severity: str | None = raw.get("severity")
        self.stance = _STANCES[raw.get("stance", FOR)]
        self.claim: str = raw["claim"]
        self.evidence: list[str] = list(raw.get("evidence") or [])
        self.fix: str | None = raw.get("fix")


class Opinion:
    """One input.

    Attributes:
        id: What evidence and markers name it by.
        kind: `FINDINGS` or `NOTES`.
        digest: Sha256 of the document in canonical form, so that layout does not count.
        subject: Sha256 of what it is about; empty for notes.
        points: In its order.

    """

    __slots__ = ("digest", "id", "kind", "points", "subject")

    def __init__(self, document: dict[str, Any]) -> None:
        self.kind: str = document["schema"]
        self.digest = sha256_hex(canonical_bytes(document))
        self.subject: str = document.get("subject_sha256", "")
        given = document.get("id")
        self.id: str = given or f"{document['lens']}-{self.digest[:_ID_DIGITS]}"
        listed = document["findings" if self.kind == FINDINGS else "notes"]
        self.points = [Point(raw) for raw in listed]


def read_opinion(path: str) -> Opinion:
    """Return the input of a file.

    Raises:
        RefusedError: It cannot be read, is malformed, or holds secret-like text.

    """
    name = shown_name(path)
    document = read_document(path, root=dict)
    schema = document.get("schema")
    if schema not in (FINDINGS, NOTES):
        raise RefusedError(f"{name}: schema: expected {FINDINGS} or {NOTES}")
    found = Faults(document)
    _unknown(found, document, (), _KEYS[schema])
    if schema == FINDINGS:
        _matching(found, document, ("lens",), _LENS, "a lower-case word")
        _matching(found, document, ("subject_sha256",), _DIGEST, "64 hexadecimal digits")
        found.texts(document, ("inspected",))
    else:
        _matching(found, document, ("id",), _ID, "an id of letters, digits, '.', '_' and '-'")
    _points(found, document, schema)
    faults = found.in_order()
    if faults:
        raise RefusedError(f"{name}: {'; '.join(faults[:5])}")
    _refuse_secrets(document, name)
    return Opinion(document)


def _points(found: Faults, document: dict[str, Any], schema: str) -> None:
    listed = "findings" if schema == FINDINGS else "notes"
    if document.get(listed) == []:
        return  # a reader who looked and found nothing
    seen: dict[tuple[str, str, int], int] = {}
    for number, raw in found.objects(document, (listed,)):
        path = (listed, number)
        before = len(found.found)
        _unknown(found, raw, path, _POINT_KEYS[schema])
        _matching(found, raw, (*path, "code"), _CODE, "an upper-case word such as UNTESTED_BRANCH")
        found.text(raw, (*path, "file"))
        found.text(raw, (*path, "claim"))
        if raw.get("line") is not None:
            found.positive(raw, (*path, "line"))
        if raw.get("evidence"):
            found.texts(raw, (*path, "evidence"))
        elif raw.get("evidence") not in (None, []):
            found.add((*path, "evidence"), "expected a list of texts")
        if schema == FINDINGS:
            found.choice(raw, (*path, "severity"), SEVERITIES)
            if raw.get("fix") is not None:
                found.text(raw, (*path, "fix"))
        else:
            found.choice(raw, (*path, "stance"), tuple(_STANCES))
        if len(found.found) > before:
            continue
        first = seen.setdefault(Point(raw).key, number)
        if first != number:
            found.add(path, f"[{first}] has the same code, file and line")


def _unknown(
    found: Faults, value: dict[str, Any], path: tuple[str | int, ...], keys: tuple[str, ...]
) -> None:
    for key in value:
        if key not in keys:
            found.add((*path, key), f"an unknown key; there are {', '.join(keys)}")


def _matching(
    found: Faults,
    value: dict[str, Any],
    path: tuple[str | int, ...],
    pattern: re.Pattern[str],
    wanted: str,
) -> None:
    text = found.text(value, path)
    if text is not None and not pattern.fullmatch(text):
        found.add(path, f'expected {wanted}, got "{shorten(text, 40)}"')


def _refuse_secrets(document: dict[str, Any], name: str) -> None:
    """Refuse secret-like text anywhere; a name and its value may be two texts of one object."""
    import json

    left: list[object] = [document]
    while left:
        each = left.pop()
        kind = None
        if isinstance(each, str):
            kind = first_kind(each)
        elif isinstance(each, dict):
            kind = (
                first_kind(json.dumps(each, ensure_ascii=False)) if each is not document else None
            )
            left += each.values()
        elif isinstance(each, list):
            left += each
        if kind is not None:
            raise RefusedError(f"{name}: secret-like text ({kind})")
