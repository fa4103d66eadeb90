"""Faults of a document, each with its place, told in the order of the document."""

from __future__ import annotations

from hpp.core.text import shorten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    Path = tuple[str | int, ...]

__all__ = ["Faults", "is_relative", "normal_path"]

_ABSENT = object()


class Faults:
    """What was found in a document, and the checks that its parts share.

    A check adds a fault and returns what is sound, so that one run finds them all.
    """

    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document
        self.found: list[tuple[Path, str]] = []

    def add(self, path: Path, what: str) -> None:
        """Add a fault at a path."""
        self.found.append((path, what))

    def in_order(self) -> list[str]:
        """Return every fault as ``path: what``, in the order of the document."""
        if not self.found:
            return []
        from hpp.core.jsonfault import shown_path

        ordered = sorted(self.found, key=lambda fault: self._position(fault[0]))
        return [f"{shown_path(list(path)) or 'the document'}: {what}" for path, what in ordered]

    def _position(self, path: Path) -> list[int]:
        """Return where a value stands; one that is absent stands after its neighbours."""
        position: list[int] = []
        value: object = self.document
        for step in path:
            if isinstance(step, int):
                position.append(step)
                value = value[step] if isinstance(value, list) and step < len(value) else None
            elif isinstance(value, dict):
                keys = list(value)
                position.append(keys.index(step) if step in value else len(keys))
                value = value.get(str(step))
            else:
                position.append(0)
        return position

    def text(self, parent: dict[str, Any], path: Path) -> str | None:
        """Return a non-blank text, or None."""
        value = _at(parent, path)
        if isinstance(value, str) and value.strip():
            return value
        self.add(path, "it is missing" if value is _ABSENT else "expected a non-blank text")
        return None

    def texts(
        self, parent: dict[str, Any], path: Path, *, empty: bool = False, blank: bool = False
    ) -> list[str]:
        """Return a list of unique texts as far as they are sound."""
        value = _at(parent, path)
        if not isinstance(value, list) or not (value or empty):
            kind = "a list of texts" if empty else "a non-empty list of texts"
            self.add(path, f"it is missing, {kind}" if value is _ABSENT else f"expected {kind}")
            return []
        sound: list[str] = []
        for number, item in enumerate(value):
            if not isinstance(item, str) or not (blank or item.strip()):
                self.add(
                    (*path, number), "expected a text" if blank else "expected a non-blank text"
                )
            elif item in sound:
                self.add((*path, number), f'"{shorten(item)}" is repeated')
            else:
                sound.append(item)
        return sound

    def objects(self, parent: dict[str, Any], path: Path) -> list[tuple[int, dict[str, Any]]]:
        """Return the objects of a non-empty list, each with its number."""
        value = _at(parent, path)
        if not isinstance(value, list) or not value:
            kind = "a non-empty list of objects"
            self.add(path, f"it is missing, {kind}" if value is _ABSENT else f"expected {kind}")
            return []
        for number, item in enumerate(value):
            if not isinstance(item, dict):
                self.add((*path, number), "expected an object")
        return [(number, item) for number, item in enumerate(value) if isinstance(item, dict)]

    def object(self, parent: dict[str, Any], path: Path) -> dict[str, Any] | None:
        """Return an object, or None."""
        value = _at(parent, path)
        if isinstance(value, dict):
            return value
        self.add(path, "it is missing" if value is _ABSENT else "expected an object")
        return None

    def relative(self, parent: dict[str, Any], path: Path) -> str | None:
        """Return a relative path, or None."""
        value = _at(parent, path)
        if is_relative(value):
            return str(value)
        what = "expected a relative path without a drive letter and without .."
        self.add(path, "it is missing" if value is _ABSENT else what)
        return None

    def choice(self, parent: dict[str, Any], path: Path, choices: Sequence[str]) -> None:
        """Check a text of a closed list."""
        value = _at(parent, path)
        if not isinstance(value, str) or value not in choices:
            self.add(path, f"expected one of {', '.join(choices)}")


def _at(parent: dict[str, Any], path: Path) -> object:
    return parent.get(str(path[-1]), _ABSENT)


def is_relative(text: object) -> bool:
    """Say whether a value is a path that stays below the folder it is read in."""
    if not isinstance(text, str) or not text or "\0" in text:
        return False
    plain = text.replace("\\", "/")
    has_drive = plain[1:2] == ":" and plain[0].isascii() and plain[0].isalpha()
    return not plain.startswith("/") and not has_drive and ".." not in plain.split("/")


def normal_path(text: str) -> str:
    """Return a relative path with ``/`` and without empty and ``.`` components."""
    return "/".join(part for part in text.replace("\\", "/").split("/") if part not in ("", "."))
