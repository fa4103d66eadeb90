"""Documents that a command was given, each as the place of its root."""

from __future__ import annotations

from hpp.core.document import read_document, shown_name
from hpp.core.errors import UsageError
from hpp.core.strictjson import SMALL_LIMIT
from hpp.decide.place import Place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["check_stdin", "read_place"]


def read_place(path: str, *, root: type | None = dict, limit: int = SMALL_LIMIT) -> Place:
    """Return the root of a file, ``-`` for standard input.

    Raises:
        RefusedError: It cannot be read or is not strict JSON of that root type.

    """
    return Place(read_document(path, root=root, limit=limit), shown_name(path))


def check_stdin(paths: Iterable[str | None]) -> None:
    """Check the inputs of one call, of which one at most may be standard input.

    Raises:
        UsageError: Several are.

    """
    if list(paths).count("-") > 1:
        raise UsageError("standard input (-) can be read only once")
