"""What a scaffold does to a folder: decided on one reading of it, then carried out whole.

The receipt beside the files says what was generated and with which bytes, so that a later
run knows a person's edit from its own work.
"""

from __future__ import annotations

import os
import time

from _lib.transaction import Transaction, destination_fault

from hpp.core.canonical import canonical_bytes, sha256_hex
from hpp.core.errors import RefusedError
from hpp.core.output import pretty_json
from hpp.core.portable.report import ToolRefusedError, problem
from hpp.core.strictjson import parse_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = ["RECEIPT", "Scaffold", "read_receipt", "refused", "undo"]

RECEIPT = ".hpp-scaffold.json"
SCHEMA = "hpp.scaffold-receipt/v1"
_KEYS = {"schema", "module", "version", "files", "dirs_created", "answers", "templates",
         "receipt_sha256"}  # fmt: skip


class Scaffold:
    """The difference between a folder and what is to be generated in it.

    Args:
        out: The folder, which need not exist.
        files: What is to be there, path to bytes.
        replace: Replace what a person edited, after a backup.

    Attributes:
        writes: Files that are new or change.
        unchanged: Files that are there already.
        kept: Files of the same name with other content, which stay.
        removed: Files that an earlier run generated, that are no longer wanted and not edited.
        backups: Edited files that are replaced, with the name of the copy.

    """

    def __init__(self, out: str, files: dict[str, bytes], *, replace: bool = False) -> None:
        self.out = out
        self.files = files
        self.receipt = read_receipt(out)
        self.recorded: dict[str, str] = self.receipt["files"] if self.receipt else {}
        self.writes: dict[str, bytes] = {}
        self.unchanged: list[str] = []
        self.kept: list[str] = []
        self.removed: list[str] = []
        self.backups: dict[str, bytes] = {}
        for path in (*sorted(files), RECEIPT):
            fault = destination_fault(out, path)
            if fault:
                raise refused("unsafe-destination", path, fault, "a file in a real folder")
        for path, data in sorted(files.items()):
            self._place(path, data, replace=replace)
        for path in sorted(set(self.recorded) - set(files)):
            self._retire(path)

    def _place(self, path: str, data: bytes, *, replace: bool) -> None:
        present = _read(self.out, path)
        if present == data:
            self.unchanged.append(path)
        elif present is None or sha256_hex(present) == self.recorded.get(path):
            self.writes[path] = data
        elif replace:
            self.writes[path] = data
            self.backups[self._backup_name(path)] = present
        else:
            self.kept.append(path)

    def _retire(self, path: str) -> None:
        if destination_fault(self.out, path):
            return
        present = _read(self.out, path)
        if present is not None and sha256_hex(present) == self.recorded[path]:
            self.removed.append(path)
        elif present is not None:
            self.kept.append(path)

    def _backup_name(self, path: str) -> str:
        stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
        number, name = 1, f"{path}.bak-{stamp}"
        while os.path.lexists(os.path.join(self.out, name)) or name in self.backups:
            number += 1
            name = f"{path}.bak-{stamp}-{number}"
        return name

    def apply(
        self,
        head: dict[str, Any],
        interrupt: Callable[[], None] = lambda: None,
    ) -> bool:
        """Write everything and the receipt in one transaction; return whether anything changed.

        Args:
            head: What the receipt says beside files and folders.
            interrupt: Called before each step.

        """
        files = {path: sha256_hex(self.files[path]) for path in self.files
                 if path not in self.kept or path in self.recorded}  # fmt: skip
        files.update({path: self.recorded[path] for path in self.kept if path in self.recorded})
        folders = list(self.receipt["dirs_created"]) if self.receipt else []
        missing = _missing_folders(self.out, (*self.writes, *self.backups, RECEIPT))
        receipt = _sealed({"schema": SCHEMA, **head, "files": files,
                           "dirs_created": sorted({*folders, *missing})})  # fmt: skip
        data = pretty_json(receipt)
        writes = {**self.backups, **self.writes}
        if data != _read(self.out, RECEIPT):
            writes[RECEIPT] = data
        if not writes and not self.removed:
            return False
        Transaction(self.out, interrupt).run(writes, self.removed)
        return True


def undo(out: str, *, keep: bool, apply: bool) -> tuple[list[str], list[str]]:
    """Remove what a receipt lists and nobody edited; return what goes and what stays.

    Raises:
        ToolRefusedError: There is no receipt, or a file was edited and `keep` is not said.

    """
    receipt = read_receipt(out)
    if receipt is None:
        raise refused("receipt-missing", RECEIPT, "there is none", "the receipt of a scaffold")
    present = {path: _read(out, path) for path in receipt["files"]}
    for path in (*receipt["files"], RECEIPT):
        fault = destination_fault(out, path)
        if fault:
            raise refused("unsafe-destination", path, fault, "a file in a real folder")
    edited = sorted(path for path, data in present.items()
                    if data is not None and sha256_hex(data) != receipt["files"][path])  # fmt: skip
    if edited and not keep:
        raise refused("modified-since", ", ".join(edited), "edited since they were generated",
                      "the generated bytes, or --keep-modified")  # fmt: skip
    going = sorted(path for path, data in present.items() if data is not None
                   and path not in edited)  # fmt: skip
    if apply:
        Transaction(out).run({}, [*going, RECEIPT])
        for folder in sorted(
            receipt["dirs_created"], key=lambda each: each.count("/"), reverse=True
        ):
            if folder != ".":
                _drop(os.path.join(out, *folder.split("/")))
        if "." in receipt["dirs_created"]:
            _drop(out)
    return going, edited


def read_receipt(out: str) -> dict[str, Any] | None:
    """Return the receipt of a folder, or None.

    Raises:
        ToolRefusedError: It is malformed or was edited.

    """
    data = _read(out, RECEIPT)
    if data is None:
        return None
    try:
        receipt: dict[str, Any] = parse_bytes(data, RECEIPT, root=dict)
    except RefusedError as error:
        raise refused("receipt-edited", RECEIPT, str(error), "the receipt as written") from None
    if set(receipt) != _KEYS or _sealed(dict(receipt)) != receipt or not _is_shaped(receipt):
        raise refused("receipt-edited", RECEIPT, "its digest is not that of its content",
                      "the receipt as written")  # fmt: skip
    return receipt


def refused(code: str, path: str, measured: str, expected: str) -> ToolRefusedError:
    """Return the refusal of a request; nothing was written."""
    return ToolRefusedError(
        problem(code, path=path, measured=measured, expected=expected,
                following="nothing was written; mend this, then run again")
    )  # fmt: skip


def _is_shaped(receipt: dict[str, Any]) -> bool:
    files, folders = receipt["files"], receipt["dirs_created"]
    texts = isinstance(files, dict) and all(isinstance(value, str) for value in files.values())
    listed = isinstance(folders, list) and all(isinstance(each, str) for each in folders)
    paths = (*files, *folders) if texts and listed else ("..",)
    return not any(".." in path.split("/") or path.startswith("/") or ":" in path for path in paths)


def _sealed(receipt: dict[str, Any]) -> dict[str, Any]:
    body = {key: value for key, value in receipt.items() if key != "receipt_sha256"}
    return {**body, "receipt_sha256": sha256_hex(canonical_bytes(body))}


def _missing_folders(out: str, paths: tuple[str, ...]) -> set[str]:
    found = set() if os.path.isdir(out) else {"."}
    for path in paths:
        parts = path.split("/")[:-1]
        for depth in range(1, len(parts) + 1):
            if not os.path.isdir(os.path.join(out, *parts[:depth])):
                found.add("/".join(parts[:depth]))
    return found


def _read(out: str, path: str) -> bytes | None:
    place = os.path.join(out, *path.split("/"))
    if os.path.islink(place) or not os.path.isfile(place):
        return None
    with open(place, "rb") as stream:
        return stream.read()


def _drop(folder: str) -> None:
    try:
        os.rmdir(folder)
    except OSError:
        return  # a person put something into it
