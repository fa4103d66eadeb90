"""Whether the files of a module are those that its ``CHECKSUMS.txt`` lists, and no others."""

from __future__ import annotations

import hashlib
import os
import stat

from hpp.core.document import read_state
from hpp.core.errors import RefusedError
from hpp.core.folder import is_link
from hpp.core.strictjson import SMALL_LIMIT
from hpp.core.text import shorten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

__all__ = ["INVENTORY", "MISMATCH", "NOT_VERIFIED", "VERIFIED", "check_module"]

INVENTORY = "CHECKSUMS.txt"
VERIFIED, MISMATCH, NOT_VERIFIED = "verified", "mismatch", "not-verified"
_DIGITS = frozenset("0123456789abcdef")
_DIGEST = 64
_LONGEST_PATH = 180
_TOLD = 3
# Left behind by running the module; nothing else may lie in it unlisted.
_CACHES = {"__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache"}
_DEVICES = {"con", "prn", "aux", "nul"} | {f"{p}{n}" for p in ("com", "lpt") for n in range(1, 10)}


def check_module(root: str, path: str, anchor: str | None = None) -> dict[str, Any]:
    """Return the ``checksum`` of a module's row.

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
    inventory = os.path.join(folder, INVENTORY)
    if not os.path.lexists(inventory):
        return _unmeasured(f"{path} has no {INVENTORY}; the forge writes one")
    try:
        data = read_state(inventory, limit=SMALL_LIMIT, no_links=True) or b""
    except RefusedError:
        return _mismatch([f"{INVENTORY}: it is no regular file that can be read"])
    failures: list[str] = []
    if anchor is not None and hashlib.sha256(data).hexdigest() != anchor:
        failures.append(f"{INVENTORY}: it is not the inventory that distribution.json names")
    listed = _listed(data, failures)
    failures += _differences(folder, listed)
    return _mismatch(failures) if failures else {"status": VERIFIED, "files": len(listed)}


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


def _listed(data: bytes, failures: list[str]) -> dict[str, str]:
    """Return path to digest of an inventory; what is wrong with it joins the failures."""
    if data.startswith(b"\xef\xbb\xbf"):
        failures.append(f"{INVENTORY}: it begins with a byte-order mark")
    if b"\r" in data:
        failures.append(f"{INVENTORY}: its line ends were rewritten to CRLF; check it out anew")
        data = data.replace(b"\r\n", b"\n")
    if not data.strip():
        failures.append(f"{INVENTORY}: it lists nothing")
    listed: dict[str, str] = {}
    folded: set[str] = set()
    for number, line in enumerate(data.decode("utf-8", "surrogateescape").splitlines(), 1):
        digest, gap, path = line[:_DIGEST], line[_DIGEST : _DIGEST + 2], line[_DIGEST + 2 :]
        if len(digest) != _DIGEST or not _DIGITS.issuperset(digest) or gap != "  ":
            failures.append(f"{INVENTORY}: line {number}: expected a digest, two blanks, a path")
        elif not _is_safe(path):
            failures.append(f"{INVENTORY}: line {number}: {shorten(path)!r} leaves the module")
        elif path.casefold() in folded:
            failures.append(f"{INVENTORY}: line {number}: {shorten(path)} is listed twice")
        else:
            folded.add(path.casefold())
            listed[path] = digest
    return listed


def _is_safe(path: str) -> bool:
    """Say whether a path names a file of the module and the same one on every system."""
    if not path.isascii() or not path.isprintable() or len(path) > _LONGEST_PATH:
        return False
    if not path or any(char in path for char in '\\:*?"<>|') or path == INVENTORY:
        return False
    return all(_is_safe_name(name) for name in path.split("/"))


def _is_safe_name(name: str) -> bool:
    if name in ("", ".", "..") or name.endswith((".", " ")):
        return False
    return name.partition(".")[0].lower() not in _DEVICES


def _differences(folder: str, listed: dict[str, str]) -> list[str]:
    """Return what differs between the list and the folder, by path."""
    found = dict(_files(folder, ""))
    told = {path: "it is missing" for path in listed if path not in found}
    for path, kind in found.items():
        if kind != "file":
            told[path] = f"it is a {kind}"
        elif path in listed:
            reason = _digest_fault(os.path.join(folder, *path.split("/")), listed[path])
            if reason:
                told[path] = reason
        elif path != INVENTORY and _CACHES.isdisjoint(path.split("/")[:-1]):
            told[path] = "it is not listed"
    return [f"{shorten(path)}: {told[path]}" for path in sorted(told)]


def _files(folder: str, prefix: str) -> Iterator[tuple[str, str]]:
    """Yield everything below a folder that is no folder, and what it is; follow no link."""
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        yield prefix.rstrip("/") or ".", "folder that cannot be read"
        return
    for entry in entries:
        path = prefix + entry.name
        mode = entry.stat(follow_symlinks=False).st_mode
        if is_link(entry.path):
            yield path, "link"
        elif stat.S_ISDIR(mode):
            yield from _files(entry.path, f"{path}/")
        else:
            yield path, "file" if stat.S_ISREG(mode) else "special file"


def _digest_fault(path: str, wanted: str) -> str:
    try:
        with open(path, "rb") as stream:
            data = stream.read()
    except OSError as error:
        return f"it cannot be read: {error.strerror}"
    if hashlib.sha256(data).hexdigest() == wanted:
        return ""
    if hashlib.sha256(data.replace(b"\r\n", b"\n")).hexdigest() == wanted:
        return "its line ends were rewritten to CRLF, the content is the same; check it out anew"
    return "its content is not the listed one"
