"""The manifest: where it is, and whether it keeps its rules.

Read before most commands, so it is checked by plain code that imports nothing heavy; the
published JSON Schema is held to the same verdicts by a test.
"""

from __future__ import annotations

import os

from hpp.core.declaration import (
    Bundle,
    Hook,
    LoopDeclaration,
    Manifest,
    Module,
    Monitor,
    Transition,
)
from hpp.core.document import read_document, shown_name
from hpp.core.errors import RefusedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = [
    "NAME",
    "Bundle",
    "Hook",
    "LoopDeclaration",
    "Manifest",
    "Module",
    "Monitor",
    "Transition",
    "find_manifest",
    "load_manifest",
    "packaged_manifest_path",
    "parse_manifest",
]

NAME = "hpp.manifest.json"
_HERE = os.path.dirname(os.path.abspath(__file__))
_CHECKOUT = os.path.join("packages", "hpp-core", "src", "hpp", "core")


def packaged_manifest_path() -> str:
    """Return the path of the manifest that this distribution carries."""
    return os.path.join(_HERE, NAME)


def find_manifest(given: str | None, cwd: str | None = None) -> str:
    """Return the absolute path of the manifest in force.

    The one given; else the nearest in `cwd` and its parents, broken or not; else the one
    of the checkout that this source lies in; else the packaged copy.

    Args:
        given: Value of ``--manifest``, or None.
        cwd: Where a relative path and the search begin; None means the working directory.

    Raises:
        RefusedError: An empty text was given, or the working directory is gone.

    """
    if given == "":
        raise RefusedError("--manifest: an empty value names no file")
    folder = _working_directory() if cwd is None else os.path.abspath(cwd)
    if given is not None:
        return os.path.abspath(os.path.join(folder, given))
    return _nearest(folder) or _beside_source() or packaged_manifest_path()


def _working_directory() -> str:
    try:
        return os.getcwd()
    except OSError as error:
        raise RefusedError(f"the working directory cannot be found: {error.strerror}") from None


def _nearest(folder: str) -> str | None:
    while True:
        candidate = os.path.join(folder, NAME)
        if os.path.isfile(candidate):
            return candidate
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent


def _beside_source() -> str | None:
    if not _HERE.endswith(_CHECKOUT):
        return None
    candidate = os.path.join(_HERE[: -len(_CHECKOUT)], NAME)
    return candidate if os.path.isfile(candidate) else None


def load_manifest(path: str) -> Manifest:
    """Return the manifest of a file.

    Raises:
        RefusedError: It cannot be read or breaks a rule; the first fault in document order
            is named, with the number of further ones.

    """
    return parse_manifest(read_document(path, root=dict), shown_name(path))


def parse_manifest(document: dict[str, Any], where: str) -> Manifest:
    """Return the manifest of a parsed document; `where` names it in messages.

    Raises:
        RefusedError: It breaks a rule.

    """
    from hpp.core.manifestrule import manifest_faults

    faults = manifest_faults(document)
    if faults:
        further = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
        raise RefusedError(f"{where}: {faults[0]}{further}")
    return Manifest(document)
