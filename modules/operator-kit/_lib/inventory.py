"""How many files each glob names now, and named before."""

from __future__ import annotations

import os

from hpp.core.errors import RefusedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

__all__ = ["SCHEMA", "checked_globs", "counts", "files", "read_base", "report"]

SCHEMA = "hpp.delta-inventory/v1"


def checked_globs(globs: Sequence[str]) -> list[str]:
    """Return globs that stay below the project, each once.

    Raises:
        RefusedError: There is none, or one leads out.

    """
    from hpp.core.portable.fsread import relative_fault

    for glob in globs:
        fault = relative_fault(glob)
        if fault:
            raise RefusedError(f"GLOB: {glob!r}: {fault}")
    if not globs:
        raise RefusedError("GLOB: expected at least one")
    return list(dict.fromkeys(globs))


def counts(globs: Sequence[str], root: str) -> dict[str, int]:
    """Return for each glob how many files it names; links and ``.git`` are not gone into."""
    from hpp.core.portable.pathglob import matches

    found = dict.fromkeys(globs, 0)
    for path in files(root):
        for glob in globs:
            found[glob] += matches(glob, path)
    return found


def files(root: str, skipped: frozenset[str] = frozenset({".git"})) -> Iterator[str]:
    """Yield the regular files below a folder, with ``/`` and from the folder, in order."""
    for folder, names, entries in os.walk(root):
        names[:] = sorted(name for name in names if name not in skipped)
        for name in sorted(entries):
            path = os.path.join(folder, name)
            if not os.path.islink(path) and os.path.isfile(path):
                yield os.path.relpath(path, root).replace(os.sep, "/")


def read_base(document: Mapping[str, Any], name: str) -> dict[str, int]:
    """Return the counts of a snapshot.

    Raises:
        RefusedError: It is none.

    """
    if document.get("schema") != SCHEMA:
        raise RefusedError(f"{name}: schema: expected {SCHEMA!r}")
    base = document.get("counts")
    if not isinstance(base, dict):
        raise RefusedError(f"{name}: counts: expected an object")
    for glob, count in base.items():
        if type(count) is not int or count < 0:
            raise RefusedError(f"{name}: counts.{glob}: expected a whole number of at least 0")
    return base


def report(base: Mapping[str, int], now: Mapping[str, int]) -> list[dict[str, Any]]:
    """Return a line for each glob; one that was not counted before is new, which is not 0."""
    return [
        {
            "glob": glob,
            "before": base.get(glob),
            "now": count,
            "delta": count - base[glob] if glob in base else None,
            "state": "new" if glob not in base else "same" if base[glob] == count else "changed",
        }
        for glob, count in now.items()
    ]
