"""Faults of a document, each with its place, told in the order of the document."""

from __future__ import annotations

from hpp.core.arguments import LARGEST_INTEGER
from hpp.core.text import shorten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    Path = tuple[str | int, ...]

__all__ = ["Faults", "document_order", "is_relative", "normal_path"]


_ABSENT = object()
_RELATIVE = "a relative path without a drive letter and without .."


class Faults:
    """What was found in a document, and the checks that its parts share.

    A check adds a fault and returns what is sound, so that one run finds them all. The
    last step of a path is the key that is looked up in `parent`.
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

        ordered = document_order(self.document, self.found)
        return [f"{shown_path(list(path)) or 'the document'}: {what}" for path, what in ordered]

    def keys(
        self,
        value: dict[str, Any],
        path: Path,
        needed: Sequence[str],
        optional: Sequence[str] = (),
    ) -> None:
        """Check that an object, which lies at `path`, has every needed key and no unknown one."""
        for key in value:
            if key not in needed and key not in optional:
                self.add((*path, key), f"unknown key; there are {', '.join((*needed, *optional))}")
        for key in needed:
            if key not in value:
                self.add((*path, key), "it is missing")

    def text(self, parent: dict[str, Any], path: Path) -> str | None:
        """Return a non-blank text, or None."""
        value = _at(parent, path)
        if isinstance(value, str) and value.strip():
            return value
        self._wrong(path, "a non-blank text", value)
        return None

    def given_text(self, parent: dict[str, Any], path: Path) -> str | None:
        """Return a non-blank text, or None, also for a key that is not there."""
        return self.text(parent, path) if path[-1] in parent else None

    def texts(
        self, parent: dict[str, Any], path: Path, *, empty: bool = False, blank: bool = False
    ) -> dict[str, int]:
        """Return the sound items of a list of unique texts, in order, each with its place."""
        value = _at(parent, path)
        sound: dict[str, int] = {}
        if not isinstance(value, list) or not (value or empty):
            self._wrong(path, "a list of texts" if empty else "a non-empty list of texts", value)
            return sound
        for number, item in enumerate(value):
            if not isinstance(item, str) or not (blank or item.strip()):
                self._wrong((*path, number), "a text" if blank else "a non-blank text", item)
            elif sound.setdefault(item, number) != number:
                self.add((*path, number), f'"{shorten(item)}" is repeated')
        return sound

    def objects(self, parent: dict[str, Any], path: Path) -> list[tuple[int, dict[str, Any]]]:
        """Return the objects of a non-empty list, each with its place."""
        value = _at(parent, path)
        if not isinstance(value, list) or not value:
            self._wrong(path, "a non-empty list of objects", value)
            return []
        for number, item in enumerate(value):
            if not isinstance(item, dict):
                self._wrong((*path, number), "an object", item)
        return [(number, item) for number, item in enumerate(value) if isinstance(item, dict)]

    def given_objects(self, parent: dict[str, Any], path: Path) -> list[tuple[int, dict[str, Any]]]:
        """Return the objects of a list that may be empty or absent, each with its place."""
        return [] if parent.get(str(path[-1]), []) == [] else self.objects(parent, path)

    def mapping(self, parent: dict[str, Any], path: Path) -> dict[str, Any] | None:
        """Return an object, or None."""
        value = _at(parent, path)
        if isinstance(value, dict):
            return value
        self._wrong(path, "an object", value)
        return None

    def relative(self, parent: dict[str, Any], path: Path) -> str | None:
        """Return a relative path as it is written, or None."""
        value = _at(parent, path)
        if isinstance(value, str) and is_relative(value):
            return value
        self._wrong(path, _RELATIVE, value)
        return None

    def choice(self, parent: dict[str, Any], path: Path, choices: Sequence[str]) -> None:
        """Check a text of a closed list."""
        value = _at(parent, path)
        if not isinstance(value, str) or value not in choices:
            self._wrong(path, f"one of {', '.join(choices)}", value)

    def exactly(self, parent: dict[str, Any], path: Path, wanted: object, told: str) -> None:
        """Check one value of the JSON types that `wanted` is made of."""
        value = _at(parent, path)
        if value != wanted or type(value) is not type(wanted):
            self._wrong(path, told, value)

    def positive(self, parent: dict[str, Any], path: Path) -> None:
        """Check an integer above 0."""
        value = _at(parent, path)
        if type(value) is not int or not 0 < value <= LARGEST_INTEGER:
            self._wrong(path, "an integer above 0", value)

    def _wrong(self, path: Path, wanted: str, value: object) -> None:
        self.add(path, f"expected {wanted}, {_told(value)}")


def _at(parent: dict[str, Any], path: Path) -> object:
    return parent.get(str(path[-1]), _ABSENT)


def _told(value: object) -> str:
    """Say what stands in the place, briefly."""
    if value is _ABSENT:
        return "it is missing"
    if isinstance(value, str):
        return f'got "{shorten(value, 40)}"'
    if type(value) is int and abs(value) <= LARGEST_INTEGER:
        return f"got {value}"
    if isinstance(value, (list, dict)) and not value:
        return "got an empty list" if isinstance(value, list) else "got an empty object"
    from hpp.core.strictjson import kind_of

    return f"got {kind_of(value)}"


def document_order(document: object, faults: Iterable[tuple[Path, str]]) -> list[tuple[Path, str]]:
    """Return faults sorted by where their paths stand; equal places keep their order.

    A value that is absent stands after its neighbours.
    """
    places: dict[int, dict[str, int]] = {}  # by identity: the document outlives the call

    def position(path: Path) -> list[int]:
        steps: list[int] = []
        value = document
        for step in path:
            if isinstance(value, dict):
                keys = places.setdefault(id(value), {})
                if not keys:
                    keys.update((key, place) for place, key in enumerate(value))
                steps.append(keys.get(str(step), len(keys)))
                value = value.get(step)
            else:
                number = step if isinstance(step, int) else 0
                steps.append(number)
                value = value[number] if isinstance(value, list) and number < len(value) else None
        return steps

    return sorted(faults, key=lambda fault: position(fault[0]))


def is_relative(text: str) -> bool:
    r"""Say whether a path stays below the folder it is read in, with ``\`` read as ``/``.

    A drive counts in every component: joined on Windows it would begin anew, and there
    any character before the colon is one.
    """
    plain = text.replace("\\", "/")
    if not text or plain.startswith("/") or "\0" in text:
        return False
    if ".." not in text and ":" not in text:  # nearly all of them
        return True
    return not any(part == ".." or part[1:2] == ":" for part in plain.split("/"))


def normal_path(text: str) -> str:
    """Return a relative path with ``/`` and without empty and ``.`` components."""
    return "/".join(part for part in text.replace("\\", "/").split("/") if part not in ("", "."))
