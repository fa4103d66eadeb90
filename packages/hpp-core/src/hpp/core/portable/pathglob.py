"""Globs over paths with ``/``: ``*``, ``?`` and ``[...]`` within a name, ``**`` across folders."""

from __future__ import annotations

from fnmatch import fnmatchcase

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["covers", "first_cover", "matches"]

_MAGIC = frozenset("*?[")
_ACROSS = "**"


def matches(glob: str, path: str) -> bool:
    """Say whether a glob names a path; ``x/**`` names the folder ``x`` as well.

    Args:
        glob: The glob; a ``./`` in front does not count.
        path: Without ``.`` and ``..``.

    """
    return _match(_parts(glob), _parts(path))


def covers(glob: str, path: str) -> bool:
    """Say whether removing a path would take something that a glob names.

    That is the case for what the glob names, and for a folder above its fixed beginning.
    """
    if matches(glob, path):
        return True
    fixed: list[str] = []
    for part in _parts(glob):
        if not _MAGIC.isdisjoint(part):
            break
        fixed.append(part)
    above = _parts(path)
    return bool(fixed) and len(above) <= len(fixed) and fixed[: len(above)] == above


def first_cover(globs: Iterable[str], path: str) -> str | None:
    """Return the first glob that covers a path, or None."""
    return next((glob for glob in globs if covers(glob, path)), None)


def _parts(path: str) -> list[str]:
    return [part for part in path.split("/") if part not in ("", ".")]


def _match(glob: Sequence[str], path: Sequence[str]) -> bool:
    """Match part by part: `reach` holds the places of the glob that the path so far leads to."""
    reach = _past_across(glob, {0})
    for name in path:
        following = set()
        for place in reach:
            if place < len(glob):
                if glob[place] == _ACROSS:
                    following.add(place)
                elif fnmatchcase(name, glob[place]):
                    following.add(place + 1)
        reach = _past_across(glob, following)
        if not reach:
            return False
    return len(glob) in reach


def _past_across(glob: Sequence[str], places: set[int]) -> set[int]:
    """Return the places and those behind a ``**`` there, which also stands for no folder."""
    found = set(places)
    for place in sorted(places):
        at = place
        while at < len(glob) and glob[at] == _ACROSS:
            at += 1
            found.add(at)
    return found
