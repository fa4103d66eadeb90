"""A review by one lens, ``hpp.findings/v1``: what was looked at, and what was found.

The verdict is derived and never declared, and finding nothing means nothing unless it is
said where somebody looked.
"""

from __future__ import annotations

import posixpath
import re
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hpp.decide.place import Place

__all__ = ["LENSES", "SCHEMA", "SEVERITIES", "Review", "read_review"]

SCHEMA = "hpp.findings/v1"
LENSES = ("verification-gap", "partial-set", "deletion", "stale-evidence")
SEVERITIES = ("high", "medium", "low")
_KEYS = ("schema", "lens", "subject_sha256", "inspected", "findings")
_FINDING_KEYS = ("code", "severity", "file", "line", "claim", "evidence", "fix")
_LENS = re.compile(r"[a-z][a-z0-9-]{0,62}")
_CODE = re.compile(r"[A-Z][A-Z0-9_]{1,63}")


class Review:
    """A review that keeps every rule; `document` is as it was given."""

    __slots__ = ("document",)

    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document

    @property
    def counts(self) -> dict[str, int]:
        """Return how many findings there are of each severity."""
        found = [finding["severity"] for finding in self.document["findings"]]
        return {severity: found.count(severity) for severity in SEVERITIES}

    @property
    def verdict(self) -> str:
        """Return ``fail`` with a finding of high severity, ``warn`` with any other, ``pass``."""
        if self.counts["high"]:
            return "fail"
        return "warn" if self.document["findings"] else "pass"


def read_review(
    place: Place, *, subject_sha256: str | None = None, folds_case: bool | None = None
) -> Review:
    """Return the review that stands at a place; one unknown key refuses all of it.

    Args:
        place: Where it stands.
        subject_sha256: What it must be about; None takes its word.
        folds_case: Whether two spellings of a path that differ in case name one file; None
            is as the system has it.

    Raises:
        RefusedError: It breaks a rule.

    """
    folds_case = system_folds_case() if folds_case is None else folds_case
    place.mapping(only=_KEYS)
    place.at("schema").exactly(SCHEMA)
    lens = place.at("lens")
    if not isinstance(lens.value, str) or not _LENS.fullmatch(lens.value):
        lens.expected(f"a lower-case word such as {LENSES[0]}")
    subject = place.at("subject_sha256")
    if subject.digest() != subject_sha256 and subject_sha256 is not None:
        subject.refuse(f"it is about another subject than --subject, which is {subject_sha256}")
    for item in place.at("inspected").items(1, of="texts"):
        item.visible()
    seen: dict[tuple[str, str, int | None], int] = {}
    for number, raw in enumerate(place.at("findings").items(of="findings")):
        first = seen.setdefault(_read_finding(raw, folds_case=folds_case), number)
        if first != number:
            raw.refuse(f"finding {first} has the same code, file and line")
    return Review(place.value)


def system_folds_case(system: str = sys.platform) -> bool:
    """Say whether file names that differ in case name one file, as on Windows and macOS."""
    return system in ("win32", "darwin")


def normal_path(path: str, *, folds_case: bool) -> str:
    r"""Return the one spelling of a path: ``\`` as ``/``, without ``.`` and ``a/..``."""
    plain = posixpath.normpath(path.replace("\\", "/"))
    if plain.startswith("//"):  # POSIX keeps exactly two leading slashes; here they mean one
        plain = plain[1:]
    return plain.casefold() if folds_case else plain


def _read_finding(place: Place, *, folds_case: bool) -> tuple[str, str, int | None]:
    place.mapping(only=_FINDING_KEYS)
    code = place.at("code")
    if not isinstance(code.value, str) or not _CODE.fullmatch(code.value):
        code.expected(
            "an upper-case word of 2 to 64 letters, digits and _, such as UNTESTED_BRANCH"
        )
    place.at("severity").choice(SEVERITIES)
    path = place.at("file").visible()
    line = place.at("line")
    if line.value is not None:
        line.integer(1)
    place.at("claim").visible()
    for item in place.at("evidence").items(1, of="texts"):
        item.visible()
    fix = place.at("fix")
    if not fix.is_none:
        fix.visible()
    return code.value, normal_path(path, folds_case=folds_case), line.value
