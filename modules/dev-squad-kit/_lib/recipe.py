"""From a recipe to the blocks that `hpp context compile` reads."""

from __future__ import annotations

import os

from _lib.brief import refuse_secret

from hpp.core.arguments import LARGEST_INTEGER
from hpp.core.document import read_document, read_input
from hpp.core.errors import RefusedError
from hpp.core.fault import Faults
from hpp.core.portable.fsread import contain
from hpp.core.text import shorten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Block = dict[str, Any]

__all__ = ["blocks_of"]

_KEYS = ("source", "priority", "path", "text", "max_chars", "required")
_LARGEST = 4 * 1024 * 1024


def blocks_of(recipe: str, root: str, name: str) -> list[Block]:
    """Return the blocks of a recipe's file, in its order; nothing is cut.

    Args:
        recipe: The file.
        root: Folder that its paths are relative to.
        name: The recipe's name for messages.

    Raises:
        RefusedError: The recipe is malformed, a file that it needs is missing, lies outside of
            the root, is larger than it may be, or looks like it holds a secret.

    """
    if not os.path.isdir(root):
        raise RefusedError(f"--root {shorten(root)}: there is no such folder")
    entries = read_document(recipe, root=list)
    faults = _faults(entries)
    if faults:
        raise RefusedError(f"{name}: " + "; ".join(faults))
    made = []
    for number, entry in enumerate(entries):
        content = _content(entry, f"{name}: [{number}]", root)
        if content is None:
            continue
        where = f"{name}: [{number}]"
        if len(content) > entry["max_chars"]:
            told = f"{len(content)} characters, max_chars is {entry['max_chars']}"
            raise RefusedError(f"{where}: {told}; nothing is cut")
        refuse_secret(content, where)
        refuse_secret(entry["source"], f"{name}: [{number}].source")
        made.append({"source": entry["source"], "priority": entry["priority"], "content": content})
    return made


def _faults(entries: list[Any]) -> list[str]:
    """Return what is wrong with the form of a recipe."""
    if not entries:
        return ["expected a non-empty list of sources"]
    told = []
    seen: dict[str, int] = {}
    for number, entry in enumerate(entries):
        if not isinstance(entry, dict):
            told.append(f"[{number}]: expected an object")
            continue
        found = Faults(entry)
        for key in entry:
            if key not in _KEYS:
                found.add((key,), f"an unknown key; there are {', '.join(_KEYS)}")
        source = found.text(entry, ("source",))
        if source is not None and seen.setdefault(source, number) != number:
            found.add(("source",), f"is that of [{seen[source]}] too")
        found.positive(entry, ("max_chars",))
        priority = entry.get("priority")
        if type(priority) is not int or abs(priority) > LARGEST_INTEGER:
            found.add(("priority",), "expected an integer")
        if not isinstance(entry.get("required", True), bool):
            found.add(("required",), "expected true or false")
        if ("path" in entry) == ("text" in entry):
            found.add(("path",), "expected a path or a text, and not both")
        else:
            found.text(entry, ("path" if "path" in entry else "text",))
        told += [f"[{number}].{each}" for each in found.in_order()]
    return told


def _content(entry: Block, where: str, root: str) -> str | None:
    """Return the content of a source, or None for a file that may be absent and is."""
    text: str | None = entry.get("text")
    if text is not None:
        return text
    try:
        data = _data(entry, root)
    except RefusedError as error:
        said = str(error).replace(f"{os.path.realpath(root)}{os.sep}", "")
        raise RefusedError(f"{where}.path: {said}") from None
    if data is None:
        return None
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError:
        raise RefusedError(f"{where}.path: {shorten(entry['path'])}: not UTF-8") from None


def _data(entry: Block, root: str) -> bytes | None:
    place = contain(entry["path"], root)
    if os.path.lexists(place):
        return read_input(place, limit=_LARGEST)
    if entry.get("required", True):
        raise RefusedError(f"{shorten(entry['path'])}: there is no such file")
    return None
