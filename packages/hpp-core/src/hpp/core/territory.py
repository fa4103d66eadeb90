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
    """Who claims which paths.

    Two claims overlap when one path is the other or a folder above it, by components.
    """

    def __init__(self) -> None:
        # Tuples of texts: the collector of garbage does not walk them again and again.
        self._owners: dict[str, tuple[str, ...]] = {}

    def add(self, owner: str, path: str) -> None:
        """Add a claim; an owner claims a path once."""
        self._owners[path] = (*self._owners.get(path, ()), owner)

    def overlaps(self) -> dict[tuple[str, str], set[str]]:
        """Return, for each pair of owners in order, every overlapping path of either.

        By components, a folder is followed by all that is below it: one pass meets each path
        with the claimed folders above it at hand, however deep it lies.
        """
        found: dict[tuple[str, str], set[str]] = {}
        above: list[str] = []
        for path in sorted(self._owners, key=_rank):
            while above and not _is_below(path, above[-1]):
                above.pop()
            for folder in above:
                self._meet(path, folder, found)
            if len(self._owners[path]) > 1:
                self._meet(path, path, found)
            above.append(path)
        return found

    def _meet(self, path: str, folder: str, found: dict[tuple[str, str], set[str]]) -> None:
        for one in self._owners[path]:
            for other in self._owners[folder]:
                if one < other or (one > other and path != folder):
                    pair = (one, other) if one < other else (other, one)
                    found.setdefault(pair, set()).update((path, folder))


def _rank(path: str) -> str:
    """Return a text that sorts as the path's components do: the slash before any letter."""
    return "" if path == WHOLE else path.replace("\0", "\0\1").replace("/", "\0\0")


def _is_below(path: str, folder: str) -> bool:
    return folder == WHOLE or path.startswith(folder + "/")
