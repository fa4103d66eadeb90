"""What a script of the lanes stands in: files, settings, lanes and variables."""

from __future__ import annotations

import os
import sys
import time

from _lib.config import Config, read_config
from _lib.identity import Scene
from _lib.paths import find_place
from _lib.registry import read_registry

from hpp.core.errors import HppError, RefusedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from _lib.paths import Place

__all__ = ["Workplace", "add_project_option", "open_workplace"]


class Workplace:
    """One call of a script.

    Attributes:
        place: The files.
        now: Unix seconds.

    """

    __slots__ = ("_config", "name", "now", "place")

    def __init__(self, place: Place, now: int, name: str) -> None:
        self.place = place
        self.now = now
        self.name = name
        self._config: Config | None = None

    @property
    def config(self) -> Config:
        """Return the settings; what cannot be read is refused."""
        if self._config is None:
            self._config = read_config(self.place.config)
        return self._config

    def lenient_config(self) -> Config:
        """Return the settings, for a verb that only reads: defaults and a note when they fail."""
        try:
            return self.config
        except HppError as error:
            self.note(f"{error}; the defaults are used")
            self._config = Config()
            self._config.fault = str(error)
            return self._config

    def scene(self, *, lenient: bool = False) -> Scene:
        """Return what a request is judged in."""
        config = self.lenient_config() if lenient else self.config
        registry = read_registry(self.place.registry)
        return Scene(os.environ, self.now, config, registry, self.place.project)

    def note(self, text: str) -> None:
        """Say something beside the result."""
        from hpp.core.text import printable

        sys.stderr.write(f"{self.name}: {printable(' '.join(text.split()))}\n")


def open_workplace(args: argparse.Namespace, name: str) -> Workplace:
    """Return the workplace of a call.

    Raises:
        RefusedError: The project's folder is not there.

    """
    start = (
        getattr(args, "project_dir", None) or os.environ.get("CLAUDE_PROJECT_DIR") or os.getcwd()
    )
    if not os.path.isdir(start):
        raise RefusedError(f"--project-dir: {start}: no such folder")
    now = getattr(args, "now", None)
    return Workplace(find_place(start, os.environ), int(time.time()) if now is None else now, name)


def add_project_option(parser: argparse.ArgumentParser) -> None:
    """Add the option that names the project."""
    parser.add_argument(
        "--project-dir", metavar="DIR", help="a folder of the project (default: the working folder)"
    )
