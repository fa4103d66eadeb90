"""The anchor: a digest from outside of a module that says its inventory is the published one."""

from __future__ import annotations

import os
from dataclasses import dataclass

from hpp.core.document import read_document, read_state
from hpp.core.errors import RefusedError
from hpp.core.strictjson import SMALL_LIMIT, JsonRefusedError, parse_bytes
from hpp.core.text import printable
from hpp.installer.formats.problem import Problem, block, warn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hpp.installer.kit.source import Source

__all__ = ["DISTRIBUTION", "Anchor", "find_anchor", "find_distribution"]

DISTRIBUTION = "distribution.json"
SCHEMA = "hpp.distribution/v1"
MATCHED, MISMATCH, ABSENT = "matched", "mismatch", "absent"
_FARTHEST = 3  # folders above the module
_DIGITS = frozenset("0123456789abcdef")


@dataclass(frozen=True, slots=True)
class Anchor:
    """What was found.

    Attributes:
        status: ``matched``, ``mismatch`` or ``absent``.
        source: Where the digest came from; empty when there was none.
        problem: What a person should know, or None.

    """

    status: str
    source: str
    problem: Problem | None


def find_anchor(source: Source, *, expect: str | None, anchor: str | None) -> Anchor:
    """Return the anchor of a module, and whether it holds.

    Args:
        source: The module.
        expect: A digest that was typed.
        anchor: A ``distribution.json`` that was named.

    Raises:
        RefusedError: The digest or the file that was given is none.

    """
    if expect is not None:
        if len(expect) != 64 or set(expect.lower()) - _DIGITS:  # noqa: PLR2004 -- SHA-256
            raise RefusedError("--expect: expected 64 hexadecimal digits")
        return _judged(source, {expect.lower()}, "--expect")
    if anchor is not None:
        document = read_document(anchor, root=dict)
        if document.get("schema") != SCHEMA:
            raise RefusedError(f'{printable(anchor)}: schema: expected the text "{SCHEMA}"')
        entries = _entries(document, source, "")
        if not entries:
            return _refused(source, "--anchor", f"it has no entry for {source.id}")
        return _judged(source, _digests(entries, source), "--anchor")
    return _beside(source)


def find_distribution(path: str) -> tuple[str, dict[str, Any]] | None:
    """Return the root and the document of the distribution a module lies in, or None.

    Raises:
        RefusedError: There is one that cannot be read.

    """
    folder = path
    for _ in range(_FARTHEST):
        folder = os.path.dirname(folder)
        file = os.path.join(folder, DISTRIBUTION)
        data = read_state(file, limit=SMALL_LIMIT)
        if data is None:
            continue
        document = parse_bytes(data, DISTRIBUTION, root=dict)
        if document.get("schema") == SCHEMA:
            return folder, document
    return None


def _beside(source: Source) -> Anchor:
    try:
        found = find_distribution(source.path)
    except JsonRefusedError as error:
        return _refused(source, DISTRIBUTION, error.reason)
    except RefusedError as error:
        return _refused(source, DISTRIBUTION, str(error))
    if found is None:
        return _absent()
    root, document = found
    relative = os.path.relpath(source.path, root).replace(os.sep, "/")
    entries = _entries(document, source, relative)
    return _judged(source, _digests(entries, source), DISTRIBUTION) if entries else _absent()


def _entries(document: dict[str, Any], source: Source, relative: str) -> list[dict[str, Any]]:
    """Return what the distribution says of this module, by its id or by its place."""
    modules = document.get("modules")
    found = []
    for entry in modules if isinstance(modules, list) else []:
        if isinstance(entry, dict):
            places = {entry.get("path"), entry.get("zip")}
            if entry.get("id") == source.id or (relative and relative in places):
                found.append(entry)
    return found


def _digests(entries: list[dict[str, Any]], source: Source) -> set[str]:
    """Return the digests that every entry agrees to; two entries that differ agree to none."""
    keys = ("checksums_sha256", "zip_sha256") if source.kind == "zip" else ("checksums_sha256",)
    agreed: set[str] | None = None
    for entry in entries:
        digests = {value for key in keys if isinstance(value := entry.get(key), str)}
        agreed = digests if agreed is None else agreed & digests
    return agreed or set()


def _judged(source: Source, digests: set[str], origin: str) -> Anchor:
    have = {source.checksums_sha256, source.archive_sha256} - {""}
    if have & digests:
        return Anchor(MATCHED, origin, None)
    wanted = ", ".join(sorted(digests)) or "a digest of this module"
    return _refused(source, origin, source.checksums_sha256 or "no inventory", wanted)


def _refused(
    source: Source, origin: str, measured: str, wanted: str = "the published digest"
) -> Anchor:
    step = "take the module from the distribution that was published"
    problem = block(
        "anchor-mismatch", os.path.basename(source.path), measured, expected=wanted, next_step=step
    )
    return Anchor(MISMATCH, origin, problem)


def _absent() -> Anchor:
    problem = warn(
        "not-anchored",
        "",
        "nothing outside of the module says which inventory was published",
        expected="a distribution.json above the module, --anchor or --expect",
        next_step="give --expect SHA256 of the published CHECKSUMS.txt to be sure of its origin",
    )
    return Anchor(ABSENT, "", problem)
