"""The file that a person names for a result: looked at first, written whole or not at all."""

from __future__ import annotations

import os

from hpp.core import durable
from hpp.core.document import read_state
from hpp.core.errors import RefusedError
from hpp.core.folder import Folder, is_link
from hpp.core.output import pretty_json
from hpp.core.strictjson import SMALL_LIMIT, parse_bytes
from hpp.core.text import shorten

__all__ = ["Target"]


class Target:
    """Where a document goes.

    Args:
        path: The file; missing folders are made when it is written. Below the current
            folder no link is followed, as a repository can carry one.
        schema: Schema of the document; a file that is no document of it is not replaced.

    Raises:
        RefusedError: It is a folder, a link, or another file.

    """

    def __init__(self, path: str, schema: str) -> None:
        if not path:
            raise RefusedError("--out: an empty value names no file")
        self._shown = f"--out {shorten(path)}"
        if "\0" in path:
            raise RefusedError(f"{self._shown}: not a file name")
        self._full = os.path.abspath(path)
        self._check(path, schema)
        self._root, self._names = self._folders()
        # The way there is tried now, since everything else is done before the writing.
        standing = self._names
        while standing and not os.path.lexists(os.path.join(self._root, *standing)):
            standing = standing[:-1]
        self._open(standing, create=False).close()

    def write(self, document: object) -> None:
        """Write the document, in place of one of the same schema if there is one.

        Raises:
            RefusedError: A link or another file stands on the way by now.
            MachineError: The system refuses the write; nothing is left.

        """
        with self._open(self._names, create=True) as folder:
            durable.replace(folder, os.path.basename(self._full), pretty_json(document))

    def _check(self, path: str, schema: str) -> None:
        if is_link(self._full):
            raise RefusedError(f"{self._shown}: it is a link")
        if os.path.isdir(self._full) or path.endswith(("/", os.sep)):
            raise RefusedError(f"{self._shown}: it is a folder")
        if not os.path.lexists(self._full):
            return
        try:
            data = read_state(self._full, limit=SMALL_LIMIT, no_links=True)
            found = parse_bytes(data or b"", path, root=dict).get("schema")
        except RefusedError:
            found = None
        if found != schema:
            raise RefusedError(
                f"{self._shown}: it exists and is no {schema} document; nothing replaces it"
            )

    def _folders(self) -> tuple[str, tuple[str, ...]]:
        """Return the folder that is trusted, and the names that lead from it to the file's."""
        parent = os.path.dirname(self._full)
        here = os.getcwd()
        if parent == here or parent.startswith(here.rstrip(os.sep) + os.sep):
            relative = os.path.relpath(parent, here)
            return here, () if relative == os.curdir else tuple(relative.split(os.sep))
        names: list[str] = []
        while not os.path.isdir(parent):
            parent, name = os.path.split(parent)
            names.insert(0, name)
            if not name:
                raise RefusedError(f"{self._shown}: there is no such place")
        return os.path.realpath(parent), tuple(names)

    def _open(self, names: tuple[str, ...], *, create: bool) -> Folder:
        try:
            return Folder(self._root, names, create=create)
        except RefusedError as error:
            raise RefusedError(f"{self._shown}: {error}") from None
