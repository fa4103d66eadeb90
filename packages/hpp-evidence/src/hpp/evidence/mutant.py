"""A mutant: one small edit of one file, which a criterion that looks must notice.

Mutants are declared in a document ``hpp.mutants/v1`` or made from the tokens of a Python
file. Everything about them is checked before anything runs.
"""

from __future__ import annotations

import os
import re

from hpp.core.document import read_document
from hpp.core.errors import RefusedError
from hpp.core.folder import is_link
from hpp.core.secret import first_kind
from hpp.core.text import printable, shorten
from hpp.evidence.pathname import climbs, has_drive
from hpp.evidence.treecopy import LEFT_OUT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["Mutant", "Source", "place_of", "read_mutants"]

SCHEMA = "hpp.mutants/v1"
_KEYS = {"id", "file", "find", "replace", "occurrence", "line", "column"}
_LINE_END = re.compile(r"\r\n|\r|\n")


class Source:
    """A text file of the workspace that mutants edit.

    Args:
        root: The workspace.
        name: Path of the file from there, with ``/``.
        place: What named it, for messages.

    Attributes:
        name: The path without ``.`` components.
        text: What it held when it was read.

    Raises:
        RefusedError: It lies outside, in a folder that is not copied or behind a link, or
            is no UTF-8 text.

    """

    __slots__ = ("name", "starts", "text")

    def __init__(self, root: str, name: str, place: str) -> None:
        shown = f"{place}: {shorten(name)}"
        if not name or climbs(name) or has_drive(name) or "\0" in name:
            raise RefusedError(f"{shown}: expected a file inside the workspace")
        parts = [part for part in name.split("/") if part not in ("", ".")]
        left_out = next((part for part in parts if part in LEFT_OUT), None)
        if left_out is not None:
            raise RefusedError(f"{shown}: {left_out} is not copied, so nothing in it is mutated")
        for count in range(1, len(parts) + 1):
            if is_link(os.path.join(root, *parts[:count])):
                raise RefusedError(f"{shown}: it leads through a link")
        self.name = "/".join(parts)
        self.text = _text_of(os.path.join(root, *parts), shown)
        self.starts = [0, *(found.end() for found in _LINE_END.finditer(self.text))]

    def position(self, line: int, column: int) -> int | None:
        """Return the index of a line from 1 and a column from 0; None past the line's end."""
        if line > len(self.starts):
            return None
        start = self.starts[line - 1]
        end = self.starts[line] if line < len(self.starts) else len(self.text) + 1
        return start + column if start + column < end else None

    def line_and_column(self, index: int) -> tuple[int, int]:
        """Return the line from 1 and the column from 0 of an index."""
        from bisect import bisect_right

        line = bisect_right(self.starts, index)
        return line, index - self.starts[line - 1]


class Mutant:
    """One edit.

    Attributes:
        identity: Names it; unique in a run.
        source: The file.
        find, replace: The text that goes and the one that comes.
        index: Where `find` begins; None when it is not there.

    """

    __slots__ = ("find", "identity", "index", "replace", "source")

    def __init__(
        self, identity: str, source: Source, find: str, replace: str, index: int | None
    ) -> None:
        self.identity = identity
        self.source = source
        self.find = find
        self.replace = replace
        self.index = index

    def place(self) -> tuple[int, int] | None:
        """Return line and column of the edit; None when it cannot be made."""
        return None if self.index is None else self.source.line_and_column(self.index)

    def edited(self) -> bytes:
        """Return the bytes of the file with the edit made."""
        assert self.index is not None  # noqa: S101 -- asked for a mutant that applies alone
        text = self.source.text
        end = self.index + len(self.find)
        return (text[: self.index] + self.replace + text[end:]).encode("utf-8")


def read_mutants(path: str, root: str) -> list[Mutant]:
    """Return the mutants that a document declares.

    Raises:
        RefusedError: The document or a mutant breaks a rule; the message names the place.

    """
    document = read_document(path, root=dict)
    name = printable(path)
    if document.get("schema") != SCHEMA:
        raise RefusedError(f"{name}: schema: expected {SCHEMA}")
    unknown = sorted(set(document) - {"schema", "mutants"})
    if unknown:
        raise RefusedError(f"{name}: {shorten(unknown[0])}: not a key of {SCHEMA}")
    mutants = document.get("mutants")
    if not isinstance(mutants, list):
        raise RefusedError(f"{name}: mutants: expected a list")
    sources: dict[str, Source] = {}
    return [
        _declared(mutant, f"{name}: mutants[{number}]", root, sources)
        for number, mutant in enumerate(mutants)
    ]


def place_of(source: Source, find: str, line: int, column: int) -> int | None:
    """Return the index of a text that begins at a line and column; None when it does not."""
    index = source.position(line, column)
    return index if index is not None and source.text.startswith(find, index) else None


def _declared(value: object, place: str, root: str, sources: dict[str, Source]) -> Mutant:
    fields = _fields(value, place)
    file = fields["file"]
    if file not in sources:
        sources[file] = Source(root, file, f"{place}.file")
    source, find = sources[file], fields["find"]
    if "line" in fields:
        index = place_of(source, find, fields["line"], fields["column"])
    else:
        index = _occurrence(source.text, find, fields.get("occurrence", 1))
    return Mutant(fields["id"], source, find, fields["replace"], index)


def _fields(value: object, place: str) -> dict[str, Any]:
    """Return a mutant's object once its keys and values are what they must be."""
    if not isinstance(value, dict):
        raise RefusedError(f"{place}: expected an object")
    unknown = sorted(set(value) - _KEYS)
    if unknown:
        raise RefusedError(f"{place}.{shorten(unknown[0])}: not a key of a mutant")
    for key in ("id", "file", "find", "replace"):
        text = value.get(key)
        if not isinstance(text, str) or not (text or key == "replace"):
            wanted = "a text" if key == "replace" else "a text that is not empty"
            raise RefusedError(f"{place}.{key}: expected {wanted}")
        kind = first_kind(text)
        if kind is not None:
            raise RefusedError(f"{place}.{key}: secret-like text ({kind}) would be recorded")
    if value["find"] == value["replace"]:
        raise RefusedError(f"{place}.replace: expected another text than find")
    _check_position(value, place)
    return value


def _check_position(value: dict[str, Any], place: str) -> None:
    if ("line" in value) != ("column" in value):
        raise RefusedError(f"{place}: line and column go together")
    if "occurrence" in value and "line" in value:
        raise RefusedError(f"{place}: expected occurrence, or line and column, not both")
    for key, least in (("occurrence", 1), ("line", 1), ("column", 0)):
        if key in value and (type(value[key]) is not int or value[key] < least):
            raise RefusedError(f"{place}.{key}: expected an integer of {least} or more")


def _occurrence(text: str, find: str, number: int) -> int | None:
    """Return the index of the n-th occurrence; occurrences do not overlap."""
    at = -len(find)
    for _ in range(number):
        at = text.find(find, at + len(find))
        if at < 0:
            return None
    return at


def _text_of(path: str, shown: str) -> str:
    from hpp.core.document import read_input

    if not os.path.isfile(path):
        raise RefusedError(f"{shown}: there is no such file")
    try:
        return read_input(path).decode("utf-8")
    except UnicodeDecodeError:
        raise RefusedError(f"{shown}: expected UTF-8 text") from None
