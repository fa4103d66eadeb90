"""Territories: paths of a repository that a lane claims, and which of them overlap."""

from __future__ import annotations

import unicodedata

__all__ = ["WHOLE", "Claims", "territory_path"]

WHOLE = "."


def territory_path(text: str) -> str:
    """Return a territory as a path with ``/``; ``.`` is the whole repository.

    Case counts; Unicode is composed (NFC), so that one name has one spelling.

    Raises:
        ValueError: Only slashes, a path that climbs out of the repository, or a pattern.

    """
    plain = unicodedata.normalize("NFC", text.replace("\\", "/"))
    if not plain.strip("/"):
        raise ValueError("it holds nothing but slashes")
    parts: list[str] = []
    for part in plain.split("/"):
        if part == "..":
            if not parts:
                raise ValueError("it climbs out of the repository")
            parts.pop()
        elif part not in ("", "."):
            if "*" in part or "?" in part:
                raise ValueError("a territory is a path, not a pattern")
            parts.append(part)
    return "/".join(parts) or WHOLE


class Claims:
    """Who claims which paths, found by walking each path once from the root.

    Two claims overlap when one path is the other or a folder above it, by components.
    """

    def __init__(self) -> None:
        self._owners: dict[str, list[str]] = {}

    def add(self, owner: str, path: str) -> None:
        """Add a claim; an owner claims a path once."""
        self._owners.setdefault(path, []).append(owner)

    def overlaps(self) -> dict[tuple[str, str], set[str]]:
        """Return, for each pair of owners in order, every overlapping path of either."""
        found: dict[tuple[str, str], set[str]] = {}
        for path, owners in self._owners.items():
            for above in _upwards(path):
                others = self._owners.get(above)
                if others is None:
                    continue
                for one in owners:
                    for other in others:
                        if one != other:
                            pair = (one, other) if one < other else (other, one)
                            found.setdefault(pair, set()).update((path, above))
        return found


def _upwards(path: str) -> list[str]:
    """Return a path and every folder above it, the whole repository last."""
    found = [path]
    while "/" in path:
        path = path.rpartition("/")[0]
        found.append(path)
    if path != WHOLE:
        found.append(WHOLE)
    return found
