"""The source files of a module: which, and their bytes, each read once."""

from __future__ import annotations

import os

from hpp.core.canonical import sha256_hex
from hpp.core.folder import is_link
from hpp.installer.forge.forbiddenname import forbidden_name
from hpp.installer.forge.pattern import matches
from hpp.installer.forge.textform import is_binary, normal_text
from hpp.installer.formats.archive import LARGEST_MEMBER
from hpp.installer.formats.problem import block
from hpp.installer.formats.relativepath import collisions, path_fault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hpp.installer.forge.buildmanifest import BuildManifest
    from hpp.installer.formats.problem import Problem

__all__ = ["Reader", "source_files"]


class Reader:
    """Reads files and remembers their digests, so that a change meanwhile is seen.

    Attributes:
        digests: SHA-256 of every file read, by its absolute path.

    """

    def __init__(self, root: str) -> None:
        self.root = root
        self.digests: dict[str, str] = {}

    def read(self, place: str) -> bytes:
        """Return the bytes of a file.

        Raises:
            OSError: It cannot be read.
            ValueError: It is larger than a module's file may be.

        """
        data = _bytes(place)
        self.digests[place] = sha256_hex(data)
        return data

    def drift(self) -> Iterator[Problem]:
        """Yield every file whose bytes are no longer those that were read."""
        for place, digest in sorted(self.digests.items()):
            try:
                is_same = sha256_hex(_bytes(place)) == digest
            except (OSError, ValueError):
                is_same = False
            if not is_same:
                yield block(
                    "source-drift",
                    os.path.relpath(place, self.root).replace(os.sep, "/"),
                    "it changed while the module was put together",
                    expected="the bytes that were read first",
                    next_step="run the forge again when nothing writes to the sources",
                )


def _bytes(place: str) -> bytes:
    with open(place, "rb") as stream:
        data = stream.read(LARGEST_MEMBER + 1)
    if len(data) > LARGEST_MEMBER:
        raise ValueError(f"it is larger than {LARGEST_MEMBER} bytes")
    return data


def source_files(
    reader: Reader, manifest: BuildManifest, problems: list[Problem]
) -> dict[str, bytes]:
    """Return the normalised files that a build manifest takes from its source, by path.

    Everything that is wrong is added to `problems`; what is wrong is left out.
    """
    top = os.path.join(reader.root, *manifest.source_root.split("/"))
    everything = dict(_walk(top, "", problems))
    chosen = [path for path in everything if _is_chosen(manifest, path)]
    for number, glob in enumerate(manifest.include):
        if not any(matches(glob, path) for path in everything):
            problems.append(
                block(
                    "vacuous-include",
                    f"module.build.json: include[{number}]",
                    f"{glob} matches no file",
                    expected="at least one",
                    next_step="correct the glob or remove it",
                )
            )
    files: dict[str, bytes] = {}
    for path in sorted(chosen, key=os.fsencode):
        data = _fit(reader, path, everything[path], problems)
        if data is not None:
            files[path] = data
    problems += collision_problems(files)
    return files


def _is_chosen(manifest: BuildManifest, path: str) -> bool:
    # The build manifest is the one source file that is never emitted, excluded or not.
    if path == "module.build.json" or any(matches(glob, path) for glob in manifest.exclude):
        return False
    return any(matches(glob, path) for glob in manifest.include)


def collision_problems(paths: dict[str, bytes]) -> Iterator[Problem]:
    """Yield pairs of paths that are one file where case does not count."""
    for first, second in collisions(paths):
        yield block(
            "case-collision",
            second,
            f"{first} and {second} are one file on some systems",
            expected="names that differ in more than case",
            next_step="rename one of them",
        )


def _walk(folder: str, above: str, problems: list[Problem]) -> Iterator[tuple[str, str]]:
    for name in sorted(os.listdir(folder), key=os.fsencode):
        place = os.path.join(folder, name)
        path = f"{above}{name}"
        if is_link(place):
            problems.append(
                block(
                    "link-in-module",
                    path,
                    "it is a link",
                    expected="regular files and folders",
                    next_step="put the file itself there",
                )
            )
        elif os.path.isdir(place):
            yield from _walk(place, f"{path}/", problems)
        else:
            yield path, place


def _fit(reader: Reader, path: str, place: str, problems: list[Problem]) -> bytes | None:
    """Return the normalised bytes of a file that may be emitted, or None."""
    code, told, step = "", "", "rename or exclude it"
    if told := path_fault(path):
        code = "unsafe-path"
    elif told := forbidden_name(path):
        code, step = "forbidden-name", "remove it from the source, or exclude it"
    if code:
        expected = "a portable path, and a file that belongs in a release"
        problems.append(block(code, path, told, expected=expected, next_step=step))
        return None
    if not os.path.isfile(place):
        told = "it is no regular file"
    else:
        try:
            data = reader.read(place)
        except OSError as error:
            told = f"it cannot be read: {error.strerror}"
        except ValueError as error:
            told = str(error)
        else:
            return _normal(path, data, problems)
    expected = "a readable regular file"
    problems.append(block("unsafe-path", path, told, expected=expected, next_step=step))
    return None


def _normal(path: str, data: bytes, problems: list[Problem]) -> bytes | None:
    if is_binary(path, data):
        return data
    plain, fault = normal_text(data)
    if not fault:
        return plain
    expected = "UTF-8 without a byte-order mark, lines ended by line feeds"
    problems.append(
        block("encoding", path, fault, expected=expected, next_step="save it in that form")
    )
    return None
