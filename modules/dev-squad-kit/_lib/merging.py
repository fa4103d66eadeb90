"""Opinions brought together: what agrees, what contradicts, what nobody showed.

Nothing is dropped: a contradiction stays, with both sides, and a statement without evidence
stays under its own name.
"""

from __future__ import annotations

from _lib.opinion import AGAINST, FOR, SEVERITIES

from hpp.core.errors import RefusedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from _lib.opinion import Opinion, Point

    Held = list[tuple[str, Point]]

__all__ = ["merge"]

SCHEMA = "hpp.merged-findings/v1"


def merge(opinions: Sequence[Opinion], subject: str = "") -> dict[str, Any]:
    """Return the merged document, whose order does not depend on that of the inputs.

    Args:
        opinions: The inputs.
        subject: Sha256 that every finding has to be about; empty takes theirs.

    Raises:
        RefusedError: Two inputs say the same, share an id, or are about different subjects.

    """
    _refuse_repeated(opinions)
    subject = _subject(opinions, subject)
    held: dict[tuple[str, str, int], Held] = {}
    for opinion in sorted(opinions, key=lambda each: each.id):
        for point in opinion.points:
            held.setdefault(point.key, []).append((opinion.id, point))
    merged = [_merged(key, held[key]) for key in sorted(held)]
    return {
        "schema": SCHEMA,
        "subject_sha256": subject or None,
        "inputs": [_input(each) for each in sorted(opinions, key=lambda each: each.id)],
        "merged": merged,
        "conflicts": [_conflict(each) for each in merged if each["conflict"]],
        "unsupported": [_place(each) for each in merged if each["unsupported"]],
    }


def _refuse_repeated(opinions: Sequence[Opinion]) -> None:
    ids: set[str] = set()
    digests: set[str] = set()
    for each in opinions:
        if each.digest in digests:
            raise RefusedError(f"{each.id}: is given twice; one opinion twice is not two")
        if each.id in ids:
            raise RefusedError(f"{each.id}: two inputs have this id")
        digests.add(each.digest)
        ids.add(each.id)


def _subject(opinions: Sequence[Opinion], subject: str) -> str:
    for each in opinions:
        if each.subject and subject and each.subject != subject:
            raise RefusedError(f"{each.id}: it is about {each.subject}, another subject")
        subject = subject or each.subject
    return subject


def _input(opinion: Opinion) -> dict[str, Any]:
    """Return an input as `hpp cite check` reads it: an id, and the text that stands behind it."""
    claims = " / ".join(point.claim for point in opinion.points) or "nothing found"
    return {
        "id": opinion.id,
        "schema": opinion.kind,
        "sha256": opinion.digest,
        "points": len(opinion.points),
        "text": claims,
    }


def _merged(key: tuple[str, str, int], held: Held) -> dict[str, Any]:
    code, path, line = key
    severities = {name: point.severity for name, point in held if point.severity}
    highest = min(severities.values(), key=SEVERITIES.index, default=None)
    stances = {
        stance: [name for name, point in held if point.stance == stance]
        for stance in (FOR, AGAINST)
    }
    return {
        "code": code,
        "file": path,
        "line": line or None,
        "severity": highest,
        "severities": severities,
        "severity_disagrees": len(set(severities.values())) > 1,
        "stances": stances,
        "conflict": all(stances.values()),
        "claims": _united((point.claim, name) for name, point in held),
        "evidence": _united((text, name) for name, point in held for text in point.evidence),
        "fixes": _united((point.fix, name) for name, point in held if point.fix),
        "unsupported": [name for name, point in held if not point.evidence],
    }


def _united(said: Iterable[tuple[str, str]]) -> list[dict[str, Any]]:
    """Return each text once, in the order of its first input, with all inputs that say it."""
    found: dict[str, list[str]] = {}
    for text, name in said:
        found.setdefault(text, []).append(name)
    return [{"text": text, "inputs": sorted(set(names))} for text, names in found.items()]


def _place(merged: dict[str, Any]) -> dict[str, Any]:
    return {key: merged[key] for key in ("code", "file", "line")} | {
        "inputs": merged["unsupported"]
    }


def _conflict(merged: dict[str, Any]) -> dict[str, Any]:
    place = {key: merged[key] for key in ("code", "file", "line")}
    return {**place, **merged["stances"], "claims": merged["claims"]}
