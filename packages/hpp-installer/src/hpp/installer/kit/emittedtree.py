"""A distribution tree under inspection: what is read of it, and what disagrees in it."""

from __future__ import annotations

import os

from hpp.core.document import read_state
from hpp.core.errors import RefusedError
from hpp.core.folder import is_link
from hpp.core.strictjson import SMALL_LIMIT, parse_bytes
from hpp.installer.formats.problem import Problem, block, warn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["EmittedTree"]

_AGAIN = "emit the distribution again"


class EmittedTree:
    """A distribution tree under inspection.

    Attributes:
        root: Where it lies.
        problems: What disagrees.

    """

    def __init__(self, root: str) -> None:
        self.root = root
        self.problems: list[Problem] = []

    def at(self, path: str) -> str:
        """Return where a place of the tree lies."""
        return os.path.join(self.root, *path.split("/"))

    def refuse(self, code: str, path: str, measured: str, expected: str) -> None:
        """Add a disagreement."""
        self.problems.append(block(code, path, measured, expected=expected, next_step=_AGAIN))

    def doubt(self, code: str, path: str, measured: str, expected: str) -> None:
        """Add what cannot be cross-checked."""
        self.problems.append(warn(code, path, measured, expected=expected, next_step=_AGAIN))

    def read(self, path: str) -> bytes | None:
        """Return the bytes of a file, or None when it is not there or cannot be read."""
        try:
            return read_state(self.at(path), limit=SMALL_LIMIT, no_links=True)
        except RefusedError:
            return None

    def document(self, path: str, code: str) -> dict[str, Any] | None:
        """Return the object of a file, or add why there is none."""
        data = self.read(path)
        if data is None:
            self.refuse(code, path, "it is missing", "a JSON object")
            return None
        try:
            document: dict[str, Any] = parse_bytes(data, path, root=dict)
        except RefusedError as error:
            self.refuse(code, path, str(error).removeprefix(f"{path}: "), "a JSON object")
            return None
        return document

    def link_in(self, path: str) -> bool:
        """Say whether any part of a place is a link."""
        parts = path.split("/")
        return any(is_link(self.at("/".join(parts[:n]))) for n in range(1, len(parts) + 1))
