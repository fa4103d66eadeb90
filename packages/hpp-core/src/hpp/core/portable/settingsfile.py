"""The files of a settings wiring: the settings, the record beside them, and the backups.

A file is written whole and under another name, compared once more with what was read, and
only then put in place: a host that saves its settings meanwhile keeps what it saved.
"""

from __future__ import annotations

import os
import re
import time

from hpp.core.errors import MachineError, RefusedError
from hpp.core.folder import is_link
from hpp.core.output import pretty_json
from hpp.core.portable.fswrite import replace_patiently
from hpp.core.portable.report import ToolRefusedError, problem
from hpp.core.portable.settingswiring import RECORD_SCHEMA
from hpp.core.strictjson import parse_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hpp.core.portable.settingswiring import Wiring

__all__ = ["SettingsFile"]

KEPT_BACKUPS = 5
LARGEST = 8 * 1024 * 1024
_BOM = b"\xef\xbb\xbf"
_EMPTY = "{}\n"


class SettingsFile:
    """A settings file as it was read once.

    Args:
        path: The file.
        follow: A link is followed to its file, as a person's own settings may be one.

    Attributes:
        text: Its JSON text; an empty object when the file does not exist.
        document: The same, read.
        record: What the record beside it lists.
        exists: Whether it was there.

    Raises:
        ToolRefusedError: It is a link, unreadable or malformed, or its folder is missing.

    """

    def __init__(self, path: str, *, follow: bool) -> None:
        self.shown = path
        if is_link(path) and not follow:
            raise _invalid(path, "a link", "a file: a repository can point a link anywhere")
        self.path = os.path.realpath(path) if follow else path
        self.record_path = f"{path}.hpp-wire.json"
        folder = os.path.dirname(self.path) or "."
        if not os.path.isdir(folder):
            raise _invalid(path, "its folder does not exist", "an existing folder")
        self.before = _read(self.path)
        self.record_before = _read(self.record_path)
        self.exists = self.before is not None
        self.text, self.document = _parsed(path, self.before)
        self.record = _record(self.record_path, self.record_before)

    def write(self, wiring: Wiring, now: float | None = None) -> str | None:
        """Put a wiring's text and record in place; return the name of the backup, if any.

        The record is written first when entries are added and last when they go, so that a
        crash in between leaves a record that names too much and never too little.

        Args:
            wiring: What was decided on this reading.
            now: Seconds since 1970 that name the backup; None is the present.

        Raises:
            ToolRefusedError: The file is no longer what was read.
            MachineError: The text does not hold what was decided; nothing was written.

        """
        record = wiring.record
        written = wiring.text.encode("utf-8")
        if parse_bytes(written, self.shown, root=dict) != wiring.document:
            raise MachineError(f"{self.shown}: the edit would not hold what was planned")
        data = (_BOM if (self.before or b"").startswith(_BOM) else b"") + written
        is_changed = wiring.text != self.text
        kept = self._backup(now) if self.exists and is_changed else None
        is_bare = not record["entries"] and record["status_line"] is None
        is_growing = set(record["entries"]) >= set(self.record["entries"])
        if not is_bare and is_growing:
            self._write_record(record)
        if is_bare and record["created_file"] and not wiring.document and self.exists:
            self._unchanged(self.path, self.before)
            os.unlink(self.path)
        elif is_changed:
            self._place(self.path, data, self.before)
        if not is_bare and not is_growing:
            self._write_record(record)
        elif is_bare and self.record_before is not None:
            self._unchanged(self.record_path, self.record_before)
            os.unlink(self.record_path)
        return kept

    def _write_record(self, record: dict[str, Any]) -> None:
        data = pretty_json(record)
        if data != self.record_before:
            self._place(self.record_path, data, self.record_before)

    def _place(self, path: str, data: bytes, before: bytes | None) -> None:
        temporary = f"{path}.{os.getpid()}.{os.urandom(4).hex()}.tmp"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        handle = os.open(temporary, flags, 0o600)
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
            os.chmod(temporary, _mode(path) if before is not None else 0o644)
            replace_patiently(lambda: self._swap(temporary, path, before))
        except BaseException:
            if os.path.lexists(temporary):
                os.unlink(temporary)
            raise

    def _swap(self, temporary: str, path: str, before: bytes | None) -> None:
        self._unchanged(path, before)  # at each attempt: a reader that waits may be a writer
        os.replace(temporary, path)

    def _unchanged(self, path: str, before: bytes | None) -> None:
        if _read(path) != before:
            raise ToolRefusedError(
                problem(
                    "wire-changed", path=self.shown, measured="it changed after it was read",
                    expected="the bytes that the plan was made from",
                    following="run again; nothing of ours was put in place of the change",
                )
            )  # fmt: skip

    def _backup(self, now: float | None) -> str:
        stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(now))
        base = f"{self.path}.bak-{stamp}"
        number, name = 1, base
        while os.path.lexists(name):
            number += 1
            name = f"{base}-{number}"
        self._place(name, self.before or b"", None)
        os.chmod(name, _mode(self.path))
        _prune(self.path)
        return os.path.basename(name)


def _mode(path: str) -> int:
    try:
        return os.stat(path).st_mode & 0o777
    except FileNotFoundError:  # it went away: the comparison that follows says so
        return 0o600


def _prune(path: str) -> None:
    folder, base = os.path.split(path)
    ours = re.compile(re.escape(base) + r"\.bak-(\d{8}T\d{6}Z)(?:-(\d+))?")
    found = [match for name in os.listdir(folder or ".") if (match := ours.fullmatch(name))]
    found.sort(key=lambda match: (match[1], int(match[2] or 1)))
    for match in found[:-KEPT_BACKUPS]:
        os.unlink(os.path.join(folder, match[0]))


def _read(path: str) -> bytes | None:
    try:
        with open(path, "rb") as stream:
            data = stream.read(LARGEST + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _invalid(path, f"cannot be read: {error.strerror}", "a readable file") from None
    if len(data) > LARGEST:
        raise _invalid(path, "larger than 8 MiB", "a settings file")
    return data


def _parsed(path: str, data: bytes | None) -> tuple[str, dict[str, Any]]:
    if data is None:
        return _EMPTY, {}
    try:
        document = parse_bytes(data, path, root=dict)
    except RefusedError as error:
        raise _invalid(path, str(error).removeprefix(f"{path}: "), "strict JSON") from None
    return data.removeprefix(_BOM).decode("utf-8"), document


def _record(path: str, data: bytes | None) -> dict[str, Any]:
    if data is None:
        return {
            "schema": RECORD_SCHEMA, "entries": {}, "status_line": None, "created": [],
            "created_file": False,
        }  # fmt: skip
    _, document = _parsed(path, data)
    wrong = _record_fault(document)
    if wrong:
        raise _invalid(path, wrong, f"a record of {RECORD_SCHEMA}")
    return document


def _record_fault(document: dict[str, Any]) -> str | None:
    kinds = {"entries": dict, "created": list, "created_file": bool, "schema": str}
    if set(document) != {*kinds, "status_line"} or document["schema"] != RECORD_SCHEMA:
        return "the keys of another document"
    for key, kind in kinds.items():
        if not isinstance(document[key], kind):
            return f"{key}: another kind of value"
    if not all(_is_entry(each) for each in document["entries"].values()):
        return "entries: an entry of another shape"
    if not all(_is_created(each) for each in document["created"]):
        return "created: a path of another shape"
    line = document["status_line"]
    if line is not None and not (isinstance(line, dict) and set(line) == {"value", "former"}):
        return "status_line: another shape"
    return None


def _is_entry(entry: object) -> bool:
    return (
        isinstance(entry, dict)
        and set(entry) == {"event", "matcher", "entry"}
        and isinstance(entry["event"], str)
        and isinstance(entry["matcher"], (str, type(None)))
        and isinstance(entry["entry"], dict)
        and isinstance(entry["entry"].get("command"), str)
    )


def _is_created(path: object) -> bool:
    return (
        isinstance(path, list)
        and 1 <= len(path) <= len(("hooks", "Event"))
        and path[0] == "hooks"
        and all(isinstance(step, str) for step in path)
    )


def _invalid(path: str, measured: str, expected: str) -> ToolRefusedError:
    return ToolRefusedError(
        problem(
            "settings-invalid", path=path, measured=measured, expected=expected,
            following="mend it, then run again; nothing was written",
        )
    )  # fmt: skip
