"""The folder that a module is installed into, as it is now."""

from __future__ import annotations

import os
import stat

from hpp.core.canonical import sha256_hex
from hpp.core.document import read_state
from hpp.core.errors import RefusedError
from hpp.core.folder import is_link
from hpp.core.strictjson import SMALL_LIMIT
from hpp.installer.formats.destination import place_fault
from hpp.installer.formats.receipt import is_intact, parse_receipt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from hpp.installer.kit.layout import Layout

__all__ = ["Target"]


class Target:
    """A folder, reached through no link; places in it are relative, with ``/``.

    Attributes:
        root: Its absolute path.
        shown: The path as it was typed.

    """

    def __init__(self, root: str, shown: str) -> None:
        self.root = root
        self.shown = shown

    def at(self, path: str) -> str:
        """Return where a place of the target lies."""
        return os.path.join(self.root, *path.split("/"))

    def exists(self, path: str) -> bool:
        """Say whether anything has that name, be it a dangling link."""
        return os.path.lexists(self.at(path))

    def is_folder(self, path: str) -> bool:
        """Say whether a real folder is there."""
        return not is_link(self.at(path)) and os.path.isdir(self.at(path))

    def read(self, path: str) -> bytes | None:
        """Return the bytes of a file, or None when nothing is there.

        Raises:
            RefusedError: A link is on the way, it is no regular file, or it cannot be read.

        """
        if fault := place_fault(self.root, path):
            raise RefusedError(f"{path}: {fault}")
        return read_state(self.at(path), limit=SMALL_LIMIT, no_links=True)

    def digest(self, path: str) -> str | None:
        """Return the SHA-256 of a file, or None when nothing is there; raises as `read` does."""
        data = self.read(path)
        return None if data is None else sha256_hex(data)

    def receipt(self, layout: Layout, module: str) -> dict[str, Any] | None:
        """Return a module's receipt, or None when it has none.

        Raises:
            RefusedError: It cannot be read, is no receipt, or is another module's.

        """
        place = layout.receipt(module)
        data = self.read(place)
        if data is None:
            return None
        receipt = parse_receipt(data, place)
        if (receipt["module"], receipt["host"]) != (module, layout.host):
            raise RefusedError(f"{place}: it is the receipt of another module or host")
        if not is_intact(receipt):
            raise RefusedError(f"{place}: its hash is not that of what it says: it was edited")
        return receipt

    def receipts(self, layout: Layout) -> dict[str, dict[str, Any]]:
        """Return the receipts that can be read, by module; the rest is `status`'s to tell."""
        found = {}
        for module in self.modules(layout):
            try:
                receipt = self.receipt(layout, module)
            except RefusedError:
                continue
            if receipt is not None:
                found[module] = receipt
        return found

    def modules(self, layout: Layout) -> list[str]:
        """Return the names of the receipts that are there."""
        if place_fault(self.root, layout.receipts, folder=True):
            return []
        try:
            names = sorted(os.listdir(self.at(layout.receipts)))
        except OSError:
            return []
        return [name.removesuffix(".json") for name in names if name.endswith(".json")]

    def missing_folders(self, paths: Iterable[str]) -> list[str]:
        """Return the folders above these places that are not there, outermost first."""
        wanted = {
            "/".join(parts[:count])
            for parts in (path.split("/") for path in paths)
            for count in range(1, len(parts))
        }
        return sorted(folder for folder in wanted if not self.exists(folder))

    def walk(self, folder: str) -> list[str]:
        """Return every file below a folder, and every link, relative to the target."""
        found = []
        for name in sorted(os.listdir(self.at(folder))) if self.is_folder(folder) else []:
            place = f"{folder}/{name}"
            mode = os.lstat(self.at(place)).st_mode
            is_folder = stat.S_ISDIR(mode) and not is_link(self.at(place))
            found += self.walk(place) if is_folder else [place]
        return found
