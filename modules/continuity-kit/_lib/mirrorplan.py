"""Which files are mirrored, and what keeps a file out; nothing is written."""

from __future__ import annotations

import os
import stat
from fnmatch import fnmatchcase

from hpp.core.errors import RefusedError
from hpp.core.portable import redact
from hpp.core.portable.fsread import contain, is_reparse, relative_fault
from hpp.core.portable.profile_loader import get, text
from hpp.core.strictjson import kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

__all__ = ["MANIFEST", "Entry", "Rule", "planned", "rules_of"]

MANIFEST = "_manifest.json"
_DEFAULT_FOLDER = "docs/_state-mirror"
_LARGEST = 1024 * 1024
_MOST_FILES = 20_000
_WILD = frozenset("*?[")
_KEYS = {"glob", "dest_subdir", "keep_latest", "allow_binary"}


class Rule:
    """One entry of ``paths.mirror_globs``.

    Attributes:
        prefix: The folders before the first wildcard.
        parts: The pattern below them, a part each.
        dest: Folder in the mirror.
        keep_latest: Only the newest N; 0 for all.
        allow_binary: Whether files that are not UTF-8 are taken.

    """

    __slots__ = ("allow_binary", "dest", "keep_latest", "parts", "prefix")

    def __init__(self, entry: object, where: str) -> None:
        if not isinstance(entry, dict):
            raise RefusedError(f"{where}: expected a mapping, got {kind_of(entry)}")
        for key in sorted(entry.keys() - _KEYS):
            raise RefusedError(f"{where}.{key}: no such key")
        parts = _path(entry, "glob", where)
        wild = next((n for n, part in enumerate(parts) if _WILD & set(part)), len(parts) - 1)
        self.prefix, self.parts = parts[:wild], parts[wild:]
        self.dest = "/".join(_path(entry, "dest_subdir", where))
        keep = entry.get("keep_latest", 0)
        if type(keep) is not int or keep < 0:
            raise RefusedError(f"{where}.keep_latest: expected a whole number of at least 1")
        self.keep_latest = keep
        self.allow_binary = entry.get("allow_binary", False)
        if type(self.allow_binary) is not bool:
            raise RefusedError(f"{where}.allow_binary: expected true or false")


class Entry:
    """One file of the plan.

    Attributes:
        source: Path below the project.
        dest: Path below the mirror.
        data: Its bytes; None when it is kept out.
        status: ``copy``, ``too-large``, ``binary``, ``refused-secret`` or ``unreadable``.

    """

    __slots__ = ("data", "dest", "source", "status")

    def __init__(self, source: str, dest: str, status: str, data: bytes | None = None) -> None:
        self.source = source
        self.dest = dest
        self.status = status
        self.data = data


def rules_of(profile: Mapping[str, Any]) -> tuple[str, list[Rule]]:
    """Return the mirror's folder and its rules.

    Raises:
        RefusedError: A value is malformed.

    """
    folder = text(profile, "paths.mirror_dir", _DEFAULT_FOLDER)
    fault = relative_fault(folder)
    if fault:
        raise RefusedError(f"operator-profile: paths.mirror_dir: {fault}")
    entries = get(profile, "paths.mirror_globs", [])
    if not isinstance(entries, list):
        raise RefusedError("operator-profile: paths.mirror_globs: expected a list")
    where = "operator-profile: paths.mirror_globs"
    return folder, [Rule(entry, f"{where}[{number}]") for number, entry in enumerate(entries)]


def planned(root: str, folder: str, rules: list[Rule]) -> list[Entry]:
    """Return the files that the rules select, by destination.

    Raises:
        RefusedError: Two files would be one, or a rule selects too many.

    """
    found: dict[str, Entry] = {}
    mirror = os.path.normpath(folder).replace(os.sep, "/")
    for rule in rules:
        for below in _selected(root, rule, mirror):
            source = "/".join([*rule.prefix, *below])
            dest = "/".join([rule.dest, *below])
            if dest in found and found[dest].source != source:
                raise RefusedError(f"{source}: {found[dest].source} has the same place, {dest}")
            if dest == MANIFEST:
                raise RefusedError(f"{source}: {dest} is the mirror's own file")
            found[dest] = _entry(root, source, dest, rule)
    return [found[dest] for dest in sorted(found)]


def _selected(root: str, rule: Rule, mirror: str) -> list[list[str]]:
    """Return the paths below a rule's prefix that it takes, the newest ones when limited."""
    start = contain("/".join(rule.prefix), root) if rule.prefix else os.path.realpath(root)
    times: list[tuple[float, list[str]]] = []
    for below in _walk(start, [], rule.prefix, mirror):
        if not _fits(below, rule.parts):
            continue
        if len(times) >= _MOST_FILES:
            raise RefusedError(f"{'/'.join(rule.prefix + rule.parts)}: over {_MOST_FILES} files")
        try:
            times.append((os.lstat(os.path.join(start, *below)).st_mtime, below))
        except OSError:
            continue
    if rule.keep_latest:
        times = sorted(times, key=lambda one: (-one[0], one[1]))[: rule.keep_latest]
    return sorted(below for _, below in times)


def _walk(folder: str, below: list[str], prefix: list[str], mirror: str) -> Iterator[list[str]]:
    """Yield every regular file below a folder; links are not followed, git's own is left out."""
    try:
        with os.scandir(folder) as entries:
            names = sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return
    for entry in names:
        path = [*below, entry.name]
        found = entry.stat(follow_symlinks=False)
        if is_reparse(found) or entry.name == ".git" or "/".join([*prefix, *path]) == mirror:
            continue
        if stat.S_ISDIR(found.st_mode):
            yield from _walk(entry.path, path, prefix, mirror)
        elif stat.S_ISREG(found.st_mode):
            yield path


def _fits(path: list[str], pattern: list[str]) -> bool:
    """Say whether a path fits a pattern, part by part; ``**`` stands for any folders."""
    if not pattern:
        return not path
    if pattern[0] == "**":
        rest = pattern[1:]
        return any(_fits(path[at:], rest) for at in range(len(path) + 1)) if rest else bool(path)
    return bool(path) and fnmatchcase(path[0], pattern[0]) and _fits(path[1:], pattern[1:])


def _entry(root: str, source: str, dest: str, rule: Rule) -> Entry:
    try:
        with open(contain(source, root), "rb") as file:
            data = file.read(_LARGEST + 1)
    except (OSError, RefusedError):
        return Entry(source, dest, "unreadable")
    if len(data) > _LARGEST:
        return Entry(source, dest, "too-large")
    try:
        content = data.decode("utf-8")
        is_text = "\0" not in content
    except UnicodeDecodeError:
        content, is_text = data.decode("latin-1"), False
    if not is_text and not rule.allow_binary:
        return Entry(source, dest, "binary")
    # A mirror is committed: this is where a secret would leave the machine.
    if redact.find_secrets(content):
        return Entry(source, dest, "refused-secret")
    return Entry(source, dest, "copy", data)


def _path(entry: dict[str, object], key: str, where: str) -> list[str]:
    value = entry.get(key)
    if not isinstance(value, str):
        raise RefusedError(f"{where}.{key}: expected a text, got {kind_of(value)}")
    fault = relative_fault(value)
    if fault:
        raise RefusedError(f"{where}.{key}: {fault}")
    parts = [part for part in value.replace("\\", "/").split("/") if part not in ("", ".")]
    if not parts or parts.count("**") > 2:  # noqa: PLR2004 -- more would take very long
        raise RefusedError(f"{where}.{key}: expected a path, with at most two '**'")
    return parts
