"""Where the manifest, its modules and its installer lie, as lines to paste name them."""

from __future__ import annotations

import os

from hpp.core.document import read_state
from hpp.core.errors import RefusedError
from hpp.core.fault import normal_path
from hpp.core.strictjson import SMALL_LIMIT, parse_bytes
from hpp.core.text import utf8_path
from hpp.installer.shellword import forward

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hpp.core.manifest import Manifest, Module

__all__ = ["ELSEWHERE", "PLACEHOLDER_SLUG", "Place"]

ELSEWHERE = "<distribution>"
PLACEHOLDER_SLUG = "<owner>/<repository>"
CATALOGUE = "marketplace.json"
_SOURCE_MARK = "module.build.json"  # a build manifest is never emitted


class Place:
    """The folder that a manifest stands in.

    Args:
        manifest: What it declares.
        path: Its file, absolute.
        given: The value of ``--manifest``, or None when it was found.
        cwd: Folder that the lines will be pasted in.

    """

    def __init__(
        self, manifest: Manifest, path: str, given: str | None = None, cwd: str | None = None
    ) -> None:
        self.manifest = manifest
        self.root = os.path.dirname(path)
        self.given = given
        self._shown = self._prefix(cwd or os.getcwd())

    def _prefix(self, cwd: str) -> str:
        """Return what goes before a path below the root; absolute only where that was typed."""
        if self.given is not None:
            folder = os.path.dirname(self.given)
        else:
            try:
                folder = os.path.relpath(self.root, cwd)
            except ValueError:  # another drive of Windows
                folder = ELSEWHERE
        folder = utf8_path(forward(folder))
        return "" if folder in ("", ".") else f"{folder.rstrip('/')}/"

    def has_module(self, module: Module) -> bool:
        """Say whether the folder of a module, as the forge emits it, is beside the manifest."""
        folder = self._at(module.path)
        return os.path.isdir(folder) and not os.path.lexists(os.path.join(folder, _SOURCE_MARK))

    def module(self, module: Module) -> str:
        """Return where a module lies; in a distribution that is elsewhere, where it will."""
        if self.has_module(module):
            return self._shown + normal_path(module.path)
        folder = normal_path(module.path)
        if module.area is not None:  # the forge names the folder so
            folder = f"{module.area}/{module.id}-{module.version}"
        return f"{ELSEWHERE}/{folder}"

    @property
    def has_installer(self) -> bool:
        """Say whether the emitted installer is beside the manifest."""
        path = self._at(self.manifest.installer_path)
        mark = os.path.join(os.path.dirname(path), _SOURCE_MARK)
        return os.path.isfile(path) and not os.path.lexists(mark)

    @property
    def installer(self) -> str:
        """Return where the emitted installer lies, or how `hpp` does its work."""
        if not self.has_installer:
            return "hpp kit"
        return self._shown + normal_path(self.manifest.installer_path)

    def beside(self, relative: str) -> str | None:
        """Return how a file below the root is named, or None when there is none."""
        is_there = os.path.isfile(self._at(relative))
        return self._shown + relative if is_there else None

    def slug(self) -> str:
        """Return what a marketplace is added by, or the placeholder when nothing declares it."""
        path = self._at(CATALOGUE)
        try:
            data = read_state(path, limit=SMALL_LIMIT) or b"{}"
            declared = parse_bytes(data, CATALOGUE, root=dict).get("repository")
        except RefusedError:
            declared = None
        named = declared.strip() if isinstance(declared, str) else ""
        if not named or named.startswith("-"):  # it would be read as an option, quoted or not
            return PLACEHOLDER_SLUG
        return named.removeprefix("https://github.com/").removesuffix(".git")

    def _at(self, relative: str) -> str:
        return os.path.join(self.root, *normal_path(relative).split("/"))
