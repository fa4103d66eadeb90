"""Receipts, ``hpp.install-receipt/v1``: what an installation put into a target.

The hash of a receipt makes an edit visible. It is no signature.
"""

from __future__ import annotations

from hpp.core.canonical import canonical_bytes, sha256_hex
from hpp.core.errors import RefusedError
from hpp.core.fault import Faults
from hpp.core.output import pretty_json
from hpp.core.strictjson import parse_bytes
from hpp.installer.formats.identifier import is_module_id, is_version
from hpp.installer.formats.relativepath import path_fault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hpp.core.fault import Path

__all__ = ["KINDS", "SCHEMA", "is_intact", "parse_receipt", "receipt_bytes", "sealed"]

SCHEMA = "hpp.install-receipt/v1"
KINDS = ("runtime", "skill", "command", "agent", "seed")
MODES = ("0644", "0755")
_HASH = "receipt_sha256"
_KEYS = frozenset(
    (
        "schema", "module", "version", "host", "channel", "installer_version", "installed_at",
        "source", "files", "dirs_created", "answers", "smokes", "manual_gates", "previous", _HASH,
    )
)  # fmt: skip
_DIGITS = frozenset("0123456789abcdef")


def sealed(receipt: dict[str, Any]) -> dict[str, Any]:
    """Return a receipt with the hash of the canonical JSON of all its other keys."""
    body = {key: value for key, value in receipt.items() if key != _HASH}
    return {**body, _HASH: sha256_hex(canonical_bytes(body))}


def is_intact(receipt: dict[str, Any]) -> bool:
    """Say whether a receipt holds the hash of what it says."""
    return bool(sealed(receipt)[_HASH] == receipt.get(_HASH))


def receipt_bytes(receipt: dict[str, Any]) -> bytes:
    """Return the file of a receipt."""
    return pretty_json(receipt)


def parse_receipt(data: bytes, where: str) -> dict[str, Any]:
    """Return the receipt of a file, whether or not its hash holds.

    Raises:
        RefusedError: It is no receipt, or names a place outside of the target.

    """
    document: dict[str, Any] = parse_bytes(data, where, root=dict)
    if document.get("schema") != SCHEMA:
        raise RefusedError(f'{where}: schema: expected the text "{SCHEMA}"')
    found = Faults(document)
    _identity(found, document)
    for key in ("source", "answers"):
        found.mapping(document, (key,))
    _files(found, document)
    _folders(found, document)
    for key in ("smokes", "manual_gates"):
        if not isinstance(document.get(key), list):
            found.add((key,), "expected a list")
    if document.get("previous") is not None:
        found.mapping(document, ("previous",))
    faults = found.in_order()
    if faults:
        raise RefusedError(f"{where}: {faults[0]}")
    return document


def _identity(found: Faults, document: dict[str, Any]) -> None:
    for key in document:
        if key not in _KEYS:
            found.add((key,), "unknown key")
    for key in ("module", "version", "host", "channel", "installer_version", "installed_at", _HASH):
        found.text(document, (key,))
    if not is_module_id(str(document.get("module"))):
        found.add(("module",), "expected the id of a module")
    if not is_version(str(document.get("version"))):
        found.add(("version",), "expected a version")


def _files(found: Faults, document: dict[str, Any]) -> None:
    files = document.get("files")
    if not isinstance(files, list):
        found.add(("files",), "expected a list")
        return
    for number, entry in enumerate(files):
        path: Path = ("files", number)
        if not isinstance(entry, dict):
            found.add(path, "expected an object")
            continue
        _place(found, entry.get("path"), (*path, "path"))
        digest = entry.get("sha256")
        if not isinstance(digest, str) or len(digest) != 64 or set(digest) - _DIGITS:  # noqa: PLR2004 -- SHA-256
            found.add((*path, "sha256"), "expected 64 lower-case hexadecimal digits")
        found.choice(entry, (*path, "kind"), KINDS)
        found.choice(entry, (*path, "mode"), MODES)


def _folders(found: Faults, document: dict[str, Any]) -> None:
    folders = document.get("dirs_created")
    if not isinstance(folders, list):
        found.add(("dirs_created",), "expected a list")
        return
    for number, folder in enumerate(folders):
        _place(found, folder, ("dirs_created", number))


def _place(found: Faults, value: object, path: Path) -> None:
    """Check that a receipt, which may have been edited, sends nobody out of the target."""
    if not isinstance(value, str) or path_fault(value):
        found.add(path, "expected a portable path inside the target")
