"""What doc_rollup.py is given: the payload of a session and the configuration of targets."""

from __future__ import annotations

import os
import re
import time

from hpp.core.errors import RefusedError
from hpp.core.portable import redact
from hpp.core.portable.fsread import inside, read_bounded, relative_fault
from hpp.core.strictjson import kind_of, parse_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Json = dict[str, Any]

__all__ = ["MODES", "Target", "read_config", "read_payload"]

SCHEMA = "hpp.rollup-config/v1"
MODES = ("prepend-after-header", "append-section", "create-new", "header-and-section")
_ROLES = (
    "changelog", "evolution", "snapshot", "learnings", "state-log", "session-wrapup",
    "mirror-passive",
)  # fmt: skip
_MARKER = re.compile(r"[A-Za-z0-9._:-]{3,80}")
_NESTED = re.compile(r"[+*}]\??\)[+*{]")
_LONGEST_PATTERN = 200
_LISTS = ("shipments", "decisions", "learnings")
_PAYLOAD = {"session_marker", "summary", "date", "metrics", *_LISTS}
_TARGET = {
    "path", "role", "mode", "entry_marker", "max_bytes", "max_entries", "pointer", "template",
    "passive",
}  # fmt: skip
_LARGEST = 1024 * 1024


class Target:
    """One document that is kept up.

    Attributes:
        root: The folder it may not leave.
        shown: Path as the report names it.
        path: Path below `root`, date filled in.
        role, mode, entry_marker, max_bytes, max_entries, pointer, template, passive: As
            configured.

    """

    __slots__ = (
        "entry_marker", "max_bytes", "max_entries", "mode", "passive", "path", "pointer", "role",
        "root", "shown", "template",
    )  # fmt: skip

    def __init__(self, root: str, prefix: str, entry: Json, date: str, where: str) -> None:
        _closed(entry, _TARGET, where)
        self.root = root
        self.path = _text(entry, "path", where).replace("{date}", date)
        fault = relative_fault(self.path)
        if fault:
            raise RefusedError(f"{where}.path: {fault}")
        self.shown = f"{prefix}{self.path}"
        self.role = _choice(entry, "role", _ROLES, where)
        self.mode = _choice(entry, "mode", MODES, where)
        self.entry_marker = _pattern(entry, where)
        self.max_bytes = _number(entry, "max_bytes", 65536, where)
        self.max_entries = _number(entry, "max_entries", 30, where)
        self.pointer = _text(entry, "pointer", where, default="")
        self.passive = _flag(entry, "passive", where) or self.role == "mirror-passive"
        self.template = _template(entry, where, is_needed=not self.passive)


def read_payload(data: bytes) -> Json:
    """Return the payload, its absent parts empty.

    Raises:
        RefusedError: It is malformed, or holds text like a secret.

    """
    if len(data) > _LARGEST:
        raise RefusedError(f"payload: more than {_LARGEST} bytes")
    given: Json = parse_bytes(data, "payload", root=dict)
    _closed(given, _PAYLOAD, "payload")
    marker = _text(given, "session_marker", "payload")
    if not _MARKER.fullmatch(marker):
        raise RefusedError("payload.session_marker: expected 3 to 80 of A-Z a-z 0-9 . _ : -")
    payload: Json = {"session_marker": marker, "summary": _text(given, "summary", "payload")}
    if not payload["summary"].strip():
        raise RefusedError("payload.summary: expected a text that is not empty")
    payload["date"] = _date(given)
    for name in _LISTS:
        payload[name] = _texts(given, name)
    payload["metrics"] = _metrics(given)
    _no_secret(given, "payload")
    return payload


def read_config(path: str, project: str, date: str) -> list[Target]:
    """Return the targets of a configuration.

    Raises:
        RefusedError: It is missing or malformed, or a target would leave its folder.

    """
    name = os.path.basename(path)
    data = read_bounded(path, _LARGEST, name, f"more than {_LARGEST} bytes")
    config: Json = parse_bytes(data, name, root=dict)
    _closed(config, {"schema", "repos"}, name)
    if config.get("schema") != SCHEMA:
        raise RefusedError(f"{name}: schema: expected {SCHEMA!r}")
    targets: list[Target] = []
    for number, repo in enumerate(_objects(config, "repos", name)):
        where = f"{name}: repos[{number}]"
        targets += _repo(repo, os.path.dirname(os.path.abspath(path)), project, date, where)
    return targets


def _repo(repo: Json, base: str, project: str, date: str, where: str) -> list[Target]:
    _closed(repo, {"name", "root", "allow_external_root", "targets"}, where)
    name, given = _text(repo, "name", where), _text(repo, "root", where)
    if os.path.isabs(given) or given[1:2] == ":" or given[:1] in ("~", "\\"):
        raise RefusedError(f"{where}.root: expected a path relative to the configuration")
    root = os.path.realpath(os.path.join(base, given))
    is_outside = inside(root, project) is None
    if is_outside and not _flag(repo, "allow_external_root", where):
        raise RefusedError(f"{where}.root: outside of the project; allow_external_root is not true")
    if not os.path.isdir(root):
        raise RefusedError(f"{where}.root: there is no such folder")
    prefix = "" if root == os.path.realpath(project) else f"{name}/"
    return [
        Target(root, prefix, entry, date, f"{where}.targets[{number}]")
        for number, entry in enumerate(_objects(repo, "targets", where))
    ]


def _closed(holder: Json, known: set[str], where: str) -> None:
    for key in sorted(holder.keys() - known):
        raise RefusedError(f"{where}: {redact.shown(key)}: no such key")


def _text(holder: Json, key: str, where: str, default: str | None = None) -> str:
    value = holder.get(key, default)
    if not isinstance(value, str) or (not value and default is None):
        raise RefusedError(f"{where}.{key}: expected a text, got {kind_of(value)}")
    return value


def _choice(holder: Json, key: str, choices: tuple[str, ...], where: str) -> str:
    value = _text(holder, key, where)
    if value not in choices:
        raise RefusedError(f"{where}.{key}: expected one of {', '.join(choices)}")
    return value


def _flag(holder: Json, key: str, where: str) -> bool:
    value = holder.get(key, False)
    if not isinstance(value, bool):
        raise RefusedError(f"{where}.{key}: expected true or false")
    return value


def _number(holder: Json, key: str, default: int, where: str) -> int:
    value = holder.get(key, default)
    if type(value) is not int or value < 1:
        raise RefusedError(f"{where}.{key}: expected a whole number of at least 1")
    return value


def _pattern(holder: Json, where: str) -> re.Pattern[str] | None:
    if "entry_marker" not in holder:
        return None
    text = _text(holder, "entry_marker", where)
    if len(text) > _LONGEST_PATTERN or _NESTED.search(text):
        raise RefusedError(
            f"{where}.entry_marker: expected at most {_LONGEST_PATTERN} characters and no "
            "repetition of a repetition"
        )
    try:
        return re.compile(text)
    except re.error as error:
        raise RefusedError(f"{where}.entry_marker: {error}") from None


def _template(holder: Json, where: str, *, is_needed: bool) -> str:
    value = holder.get("template")
    if isinstance(value, list) and all(isinstance(line, str) for line in value):
        value = "\n".join(value)
    if value is None and not is_needed:
        return ""
    if not isinstance(value, str) or not value.strip():
        raise RefusedError(f"{where}.template: expected a text or a list of lines")
    return value


def _objects(holder: Json, key: str, where: str) -> list[Json]:
    value = holder.get(key)
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise RefusedError(f"{where}.{key}: expected a list of objects")
    return value


def _texts(holder: Json, key: str) -> list[str]:
    value = holder.get(key, [])
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise RefusedError(f"payload.{key}: expected a list of texts")
    return value


def _date(holder: Json) -> str:
    text = _text(holder, "date", "payload", default=time.strftime("%Y-%m-%d", time.gmtime()))
    try:
        is_real = time.strftime("%Y-%m-%d", time.strptime(text, "%Y-%m-%d")) == text
    except ValueError:
        is_real = False
    if not is_real:
        raise RefusedError("payload.date: expected a real date, YYYY-MM-DD")
    return text


def _metrics(holder: Json) -> list[Json]:
    metrics = _objects({"metrics": holder.get("metrics", [])}, "metrics", "payload")
    for number, metric in enumerate(metrics):
        where = f"payload.metrics[{number}]"
        _closed(metric, {"name", "before", "after", "re_derive_cmd"}, where)
        _text(metric, "name", where)
        if not _text(metric, "re_derive_cmd", where).strip():
            raise RefusedError(f"{where}.re_derive_cmd: a number carries the command that makes it")
        for key in ("before", "after"):
            value = metric.get(key)
            if isinstance(value, bool) or not isinstance(value, (str, int, float)):
                raise RefusedError(f"{where}.{key}: expected a text or a number")
    return metrics


def _no_secret(value: object, where: str) -> None:
    if isinstance(value, dict):
        for key, inner in value.items():
            _no_secret(inner, f"{where}.{key}")
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            _no_secret(inner, f"{where}[{number}]")
    elif isinstance(value, str):
        for kind, length in redact.find_secrets(value):
            raise RefusedError(f"{where}: secret-like text ({kind}, {length} characters)")
