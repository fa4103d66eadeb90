"""Shared sources in a module: the copies that it names, and everything that they import."""

from __future__ import annotations

from hpp.installer.forge.buildmanifest import VENDOR
from hpp.installer.forge.importclosure import Closure, imported_names
from hpp.installer.formats.problem import block

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hpp.installer.forge.buildmanifest import BuildManifest
    from hpp.installer.forge.sourceset import Reader
    from hpp.installer.formats.problem import Problem

__all__ = ["vendor"]

_SHARED = "sources of hpp.core and hpp.installer on the standard library alone"


def vendor(
    reader: Reader, manifest: BuildManifest, files: dict[str, bytes], problems: list[Problem]
) -> None:
    """Copy into `files` what the build manifest vendors, byte for byte."""
    problems += [
        _drift(path, "the forge alone writes below _vendor", "remove it from the source")
        for path in files
        if path.startswith(f"{VENDOR}/")
    ]
    closure = Closure(reader)
    for number, entry in enumerate(manifest.vendor):
        found = closure.find(entry.source)
        where = f"module.build.json: vendor[{number}]"
        if not found:
            told = f"there is no {entry.source} below packages/*/src"
            problems.append(_drift(where, told, "correct its path"))
        elif entry.to == VENDOR:
            for source in found:
                closure.add(source)
        elif found != [entry.source]:
            told = f"{entry.source} is a folder, which can only go to {VENDOR}"
            problems.append(_drift(where, told, "name a file"))
        elif entry.to in files:
            problems.append(_drift(entry.to, "the source has that file too", "remove one of them"))
        else:
            files[entry.to] = closure.read(entry.source)
            if entry.source.endswith(".py"):
                closure.add_imports(entry.source, files[entry.to])
    problems += _import_faults(closure, files)
    files.update((f"{VENDOR}/{path}", data) for path, data in closure.files.items())


def _import_faults(closure: Closure, files: dict[str, bytes]) -> Iterator[Problem]:
    for source, told in closure.faults:
        yield _drift(source, told, "vendor what needs the standard library alone")
    for path in sorted(files):
        if not path.endswith(".py") or not _is_run(path):
            continue
        for name in _missing(path, files[path], closure):
            yield _drift(path, f"imports {name}, which vendor does not bring", "add it to vendor")


def _is_run(path: str) -> bool:
    """Say whether a module's own Python file runs from the emission: documents do not."""
    return "/" not in path or path.split("/", 1)[0] in ("hooks", "scripts", "_lib", "evals")


def _missing(path: str, data: bytes, closure: Closure) -> Iterator[str]:
    """Yield what a module's own file imports of ours without a copy of it being there."""
    try:
        names = list(imported_names(data, path))
    except (SyntaxError, ValueError):
        return  # told by whoever checks the module's structure
    for name, is_attribute in names:
        if not name.startswith("hpp."):
            continue
        source = closure.module(name)
        is_known = source is not None or is_attribute or closure.is_folder(name)
        if not is_known or (source is not None and source not in closure.files):
            yield name


def _drift(path: str, measured: str, step: str) -> Problem:
    return block("vendor-drift", path, measured, expected=_SHARED, next_step=step)
