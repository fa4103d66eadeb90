"""Documents that a command was given, each as the place of its root."""

from __future__ import annotations

from hpp.core.document import read_document, shown_name
from hpp.core.strictjson import SMALL_LIMIT
from hpp.decide.place import Place

__all__ = ["read_place"]


def read_place(path: str, *, root: type | None = dict, limit: int = SMALL_LIMIT) -> Place:
    """Return the root of a file, ``-`` for standard input.

    Raises:
        RefusedError: It cannot be read or is not strict JSON of that root type.

    """
    return Place(read_document(path, root=root, limit=limit), shown_name(path))
