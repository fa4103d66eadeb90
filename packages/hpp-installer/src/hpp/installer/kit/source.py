"""A module to verify or install, from a folder or a zip: read once, and that buffer is used."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from hpp.core.document import read_input
from hpp.core.errors import RefusedError
from hpp.core.strictjson import JsonRefusedError, parse_bytes
from hpp.core.text import printable, shorten, utf8_path
from hpp.installer.formats import installmanifest, inventory
from hpp.installer.formats.archive import LARGEST_ARCHIVE, read_zip
from hpp.installer.formats.identifier import split_folder
from hpp.installer.formats.inventory import Inventory, parse_inventory, sha256_hex
from hpp.installer.formats.moduletree import is_leftover, read_module
from hpp.installer.formats.problem import BLOCK, Problem, block, warn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["CLAUDE_PLUGIN", "Source", "open_source"]

CLAUDE_PLUGIN = ".claude-plugin/plugin.json"
CODEX_PLUGIN = ".codex-plugin/plugin.json"
_AGAIN = "take the module from its distribution again"


@dataclass(slots=True)
class Source:
    """A module as it was read.

    Attributes:
        path: The folder or archive, absolute.
        kind: ``dir`` or ``zip``.
        files: Bytes by path, what the inventory does not list included.
        inventory: What it says, or None when there is none.
        manifest: The install manifest, or None when it is refused.
        problems: Everything that is wrong with it.
        archive_sha256: Of a zip; else an empty text.
        mismatches: Files that are not as listed.
        missing: Files that are listed and not there.
        extras: Files that are there and not listed.
        unsafe: Paths that are refused.

    """

    path: str
    kind: str
    files: dict[str, bytes] = field(default_factory=dict)
    inventory: Inventory | None = None
    manifest: dict[str, Any] | None = None
    problems: list[Problem] = field(default_factory=list)
    archive_sha256: str = ""
    mismatches: list[dict[str, str]] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    extras: list[str] = field(default_factory=list)
    unsafe: list[str] = field(default_factory=list)

    @property
    def id(self) -> str:
        """Id of the module, empty when it has no sound install manifest."""
        return str(self.manifest["kit"]) if self.manifest else ""

    @property
    def version(self) -> str:
        """Version of the module, empty when it has no sound install manifest."""
        return str(self.manifest["version"]) if self.manifest else ""

    @property
    def checksums_sha256(self) -> str:
        """Digest of the inventory, empty when there is none."""
        data = self.files.get(inventory.NAME)
        return sha256_hex(data) if data is not None else ""

    @property
    def listed(self) -> dict[str, str]:
        """Digests by path, as the inventory has them."""
        return self.inventory.files if self.inventory else {}

    @property
    def is_sound(self) -> bool:
        """Say whether nothing was found that stops it."""
        return all(problem.severity != BLOCK for problem in self.problems)

    def text(self, path: str) -> str:
        """Return a file that is listed, as text."""
        return self.files[path].decode("utf-8")


def open_source(path: str) -> Source:
    """Read a module and look for everything that is wrong with it."""
    source = _from_folder(path) if os.path.isdir(path) else _from_archive(path)
    if not source.files and source.problems:
        return source
    _compare(source)
    _read_manifest(source)
    _identity(source)
    return source


def _from_folder(path: str) -> Source:
    source = Source(path, "dir")
    try:
        tree = read_module(path)
    except OSError as error:
        told = f"it cannot be read: {error.strerror}"
        inner = os.path.relpath(str(error.filename or path), os.path.dirname(path))
        source.problems.append(_no_module(utf8_path(inner.replace(os.sep, "/")), told))
        return source
    source.files = tree.files
    source.problems += tree.problems
    source.unsafe += [problem.path for problem in tree.problems]
    return source


def _from_archive(path: str) -> Source:
    source = Source(path, "zip")
    name = os.path.basename(path)
    try:
        data = read_input(path, limit=LARGEST_ARCHIVE)
    except RefusedError as error:
        told = str(error).removeprefix(f"{printable(path)}: ")
        source.problems.append(_no_module(name, told))
        return source
    source.archive_sha256 = sha256_hex(data)
    found = read_zip(data, name)
    source.files = found.files
    source.problems += found.problems
    source.unsafe += [problem.path for problem in found.problems if problem.path != name]
    return source


def _no_module(path: str, measured: str) -> Problem:
    return block(
        "install-manifest-invalid",
        path,
        measured,
        expected="the folder or the zip of a module",
        next_step="name a module of a distribution",
    )


def _compare(source: Source) -> None:
    """Hold the files to the inventory."""
    data = source.files.get(inventory.NAME)
    if data is None:
        told = "it is missing, so nothing can be compared"
        source.problems.append(_file_problem("file-missing", inventory.NAME, told, "an inventory"))
        return
    source.inventory = parse_inventory(data)
    source.problems += source.inventory.problems
    source.unsafe += source.inventory.unsafe
    for path, digest in source.listed.items():
        if path in source.unsafe:
            continue
        if path not in source.files:
            source.missing.append(path)
            problem = _file_problem("file-missing", path, "it is listed and not there", "the file")
            source.problems.append(problem)
        elif sha256_hex(source.files[path]) != digest:
            _mismatch(source, path, digest)
    for path in source.files:
        if path in source.listed or path == inventory.NAME or is_leftover(path, source.listed):
            continue
        source.extras.append(path)
        step = "remove it, or take the module from its distribution again"
        told = "it is there and not listed"
        source.problems.append(
            warn("unlisted-file", shorten(path, 200), told, expected="no such file", next_step=step)
        )


def _mismatch(source: Source, path: str, digest: str) -> None:
    data = source.files[path]
    actual = sha256_hex(data)
    source.mismatches.append({"file": path, "expected": digest, "actual": actual})
    measured, step = actual, _AGAIN
    if b"\r\n" in data and sha256_hex(data.replace(b"\r\n", b"\n")) == digest:
        measured = "content equal after CRLF->LF: line ends were rewritten by git"
        step = "add `* -text` to .gitattributes and check the module out again"
    source.problems.append(
        block("checksum-mismatch", path, measured, expected=digest, next_step=step)
    )


def _file_problem(code: str, path: str, measured: str, expected: str) -> Problem:
    return block(code, path, measured, expected=expected, next_step=_AGAIN)


def _read_manifest(source: Source) -> None:
    name = installmanifest.NAME
    document = _json(source, name, "install-manifest-invalid")
    if document is None:
        if name not in source.files and name not in source.missing:
            source.problems.append(_no_module(name, "it is missing, so this is no module"))
        return
    faults = installmanifest.check_install_manifest(document)
    faults += [] if faults else _file_faults(source, document)
    for fault in faults:
        source.problems.append(
            block(
                "install-manifest-invalid",
                name,
                fault,
                expected="a document of hpp.kit-install/v1",
                next_step="correct the module at its source and emit it again",
            )
        )
    if not faults:
        source.manifest = document


def _file_faults(source: Source, document: dict[str, Any]) -> list[str]:
    """Return what the install manifest names that the module does not list."""
    named = [(f"seeds[{n}].from", seed["from"]) for n, seed in enumerate(document["seeds"])]
    named += [(f"smokes[{n}].argv[1]", s["argv"][1]) for n, s in enumerate(document["smokes"])]
    named += [(f"wiring.{host}", path) for host, path in document.get("wiring", {}).items()]
    named.append(("docs", document["docs"]))
    faults = [
        f"{key}: {path} is not listed in {inventory.NAME}"
        for key, path in named
        if path not in source.listed
    ]
    if not document["smokes"] and any(p.startswith(("scripts/", "hooks/")) for p in source.listed):
        faults.append("smokes: a module with scripts or hooks has at least one")
    seeds = {seed["from"] for seed in document["seeds"]}
    for number, question in enumerate(document["questions"]):
        seed = question["effect"].get("seed")
        if seed is not None and seed not in seeds:
            faults.append(f"questions[{number}].effect.seed: {seed} is no seed of this module")
    return faults


def _json(source: Source, path: str, code: str) -> dict[str, Any] | None:
    data = source.files.get(path)
    if data is None:
        return None
    try:
        document: dict[str, Any] = parse_bytes(data, path, root=dict)
    except JsonRefusedError as error:
        step = "correct the module at its source and emit it again"
        source.problems.append(
            block(code, path, error.reason, expected="strict JSON, an object", next_step=step)
        )
        return None
    return document


def _identity(source: Source) -> None:
    """Hold every place that states id and version to the install manifest."""
    if source.manifest is None:
        return
    for path, code in ((CLAUDE_PLUGIN, "plugin-manifest-missing"), (CODEX_PLUGIN, "")):
        document = _json(source, path, "version-mismatch") if path in source.files else None
        if path not in source.files and code:
            told = "it is missing"
            source.problems.append(
                _file_problem("version-mismatch", path, told, "the plugin's file")
            )
        if document is not None:
            _same(source, path, document.get("name"), document.get("version"))
    name = os.path.basename(source.path)
    stated = split_folder(name.removesuffix(".zip") if source.kind == "zip" else name)
    if stated is not None:
        _same(source, name, *stated)


def _same(source: Source, path: str, name: object, version: object) -> None:
    if (name, version) != (source.id, source.version):
        shown = f"{shorten(str(name))} {shorten(str(version))}"
        expected = f"{source.id} {source.version}, as {installmanifest.NAME} says"
        source.problems.append(_file_problem("version-mismatch", path, shown, expected))
