"""The operator's profile as scripts read it: a value that cannot be used is refused."""

from __future__ import annotations

import os

from hpp.core.errors import RefusedError
from hpp.core.portable import profile_loader
from hpp.core.strictjson import kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from _lib.commandtext import Declared

__all__ = ["Setting", "read_setting"]

_WHERE = "operator-profile"


class Setting:
    """A profile with its project.

    Attributes:
        root: The project's folder.
        values: The whole document; empty without one.

    """

    __slots__ = ("root", "values")

    def __init__(self, root: str, values: dict[str, Any]) -> None:
        self.root = root
        self.values = values

    def path(self, key: str, default: str) -> str:
        """Return the absolute place of ``paths.<key>``, which stays below the project.

        Raises:
            RefusedError: It is no text, climbs, or passes through a link.

        """
        from hpp.core.portable.fsread import contain

        name = profile_loader.text(self.values, f"paths.{key}", default)
        try:
            return contain(name, self.root)
        except RefusedError as error:
            raise RefusedError(f"{_WHERE}: paths.{key}: {error}") from None

    def shown_path(self, path: str) -> str:
        """Return a path as messages name it: from the project, with ``/``."""
        return os.path.relpath(path, os.path.realpath(self.root)).replace(os.sep, "/")

    def mapping(self, key: str) -> dict[str, Any]:
        """Return a mapping, empty when there is none.

        Raises:
            RefusedError: It is something else.

        """
        value = profile_loader.get(self.values, key, {})
        if value is None:
            return {}
        if not isinstance(value, dict):
            raise RefusedError(f"{_WHERE}: {key}: expected a mapping, got {kind_of(value)}")
        return value

    def commands(self, key: str) -> list[Declared]:
        """Return a list of declared commands.

        Raises:
            RefusedError: It is no list, or an entry is no command.

        """
        value = profile_loader.get(self.values, key, [])
        if not isinstance(value, list):
            raise RefusedError(
                f"{_WHERE}: {key}: expected a list of commands, got {kind_of(value)}"
            )
        from _lib.commandtext import declared

        return [declared(each, f"{_WHERE}: {key}[{at}]") for at, each in enumerate(value)]


def read_setting(root: str) -> Setting:
    """Return the profile that counts for a project.

    Raises:
        RefusedError: It is named and missing, or cannot be read.

    """
    start = os.getcwd()
    return Setting(root, profile_loader.load(start, root))
