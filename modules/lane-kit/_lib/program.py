"""Find a program that the person installed, and never one that the project brings."""

from __future__ import annotations

import os

__all__ = ["find_program"]

_ENDINGS = (".exe", ".cmd", ".bat")


def find_program(
    name: str, project: str, path: str | None = None, system: str = os.name
) -> str | None:
    """Return the first program of this name on the path, or None.

    Relative entries do not count, nor what lies in the project, links followed.

    Args:
        name: Without an ending.
        project: A folder whose programs do not count.
        path: As the variable ``PATH``; None for this process's.
        system: As `os.name`.

    """
    given = os.environ.get("PATH", "") if path is None else path
    own = _plain(project)
    endings = _ENDINGS if system == "nt" else ("",)
    for folder in given.split(os.pathsep):
        if not folder or not os.path.isabs(folder):
            continue
        for ending in endings:
            found = os.path.join(folder, name + ending)
            if not os.path.isfile(found) or not (system == "nt" or os.access(found, os.X_OK)):
                continue
            if not any(_is_below(_plain(each), own) for each in (folder, found)):
                return found
    return None


def _plain(path: str) -> str:
    return os.path.normcase(os.path.realpath(path))


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)
