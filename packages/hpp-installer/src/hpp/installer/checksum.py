"""Whether the files of a module are those that its ``CHECKSUMS.txt`` lists, and no others."""

from __future__ import annotations

import os

from hpp.core.canonical import sha256_hex
from hpp.core.document import read_state
from hpp.core.errors import RefusedError
from hpp.core.folder import is_link
from hpp.core.strictjson import SMALL_LIMIT
from hpp.core.text import shorten
from hpp.installer.formats.inventory import NAME, parse_inventory
from hpp.installer.formats.moduletree import is_leftover, read_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["MISMATCH", "NOT_VERIFIED", "VERIFIED", "check_module"]

VERIFIED, MISMATCH, NOT_VERIFIED = "verified", "mismatch", "not-verified"
_TOLD = 3


def check_module(root: str, path: str, anchor: str | None = None) -> dict[str, Any]:
    """Return the ``checksum`` of a module's row; no link is followed.

    Args:
        root: Folder of the manifest.
        path: The module's folder below it, with ``/``.
        anchor: SHA-256 that the inventory has to have, or None where nothing says it.

    """
    folder = os.path.join(root, *path.split("/"))
    if not os.path.lexists(folder):
        return _unmeasured(f"{path} is not beside the manifest")
    linked = _first_link(root, path)
    if linked:
        return _mismatch([f"{linked}: it is a link"])
    if not os.path.isdir(folder):
        return _mismatch([f"{path}: it is not a folder"])
    inventory = os.path.join(folder, NAME)
    if not os.path.lexists(inventory):
        return _unmeasured(f"{path} has no {NAME}; the forge writes one")
    try:
        data = read_state(inventory, limit=SMALL_LIMIT, no_links=True) or b""
        failures, files = _compared(folder, data)
    except (RefusedError, OSError):
        return _mismatch([f"{NAME}: it cannot be read as a regular file"])
    if anchor is not None and sha256_hex(data) != anchor:
        failures.insert(0, f"{NAME}: it is not the one that distribution.json names")
    return _mismatch(failures) if failures else {"status": VERIFIED, "files": files}


def _unmeasured(reason: str) -> dict[str, Any]:
    return {"status": NOT_VERIFIED, "reason": reason}


def _mismatch(failures: list[str]) -> dict[str, Any]:
    return {"status": MISMATCH, "failures": failures[:_TOLD]}


def _first_link(root: str, path: str) -> str:
    """Return the first part of a path that is a link, as written from the root, or nothing."""
    place, shown = root, []
    for part in path.split("/"):
        place = os.path.join(place, part)
        shown.append(part)
        if is_link(place):
            return "/".join(shown)
    return ""


def _compared(folder: str, data: bytes) -> tuple[list[str], int]:
    """Return what differs, the inventory's own faults first, and how many files are listed."""
    inventory, tree = parse_inventory(data), read_module(folder)
    failures = [
        f"{problem.path}: {problem.measured}" for problem in (*inventory.problems, *tree.problems)
    ]
    told = {path: "it is missing" for path in inventory.files if path not in tree.files}
    for path in tree.links:
        told.pop(path, None)  # that it is a link was said
    for path, content in tree.files.items():
        wanted = inventory.files.get(path)
        if wanted is not None:
            told.update({path: fault} if (fault := _fault(content, wanted)) else {})
        elif path != NAME and not is_leftover(path, inventory.files):
            told[path] = "it is not listed"
    failures += [f"{shorten(path, 180)}: {told[path]}" for path in sorted(told)]
    return failures, len(inventory.files)


def _fault(content: bytes, wanted: str) -> str:
    if sha256_hex(content) == wanted:
        return ""
    if sha256_hex(content.replace(b"\r\n", b"\n")) == wanted:
        return "content equal after CRLF->LF: line ends were rewritten by git; check it out anew"
    return "its content is not the listed one"
