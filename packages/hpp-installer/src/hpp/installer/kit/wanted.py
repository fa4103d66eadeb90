"""What an installation wants to be in a target, file by file, the bytes included."""

from __future__ import annotations

import re
from dataclasses import dataclass

from hpp.installer.formats.archive import member_mode
from hpp.installer.formats.inventory import NAME as INVENTORY
from hpp.installer.formats.inventory import sha256_hex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hpp.installer.kit.layout import Layout
    from hpp.installer.kit.source import Source

__all__ = ["Wanted", "render", "wanted_files"]

_TOKEN = re.compile(r"\$\{(?:CLAUDE_)?PLUGIN_ROOT\}|\$(?:CLAUDE_)?PLUGIN_ROOT(?!\w)")
_HEADER = re.compile(r"---\n(.*?\n)---\n", re.DOTALL)
_NAME = re.compile(r"^name:.*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Wanted:
    """One file.

    Attributes:
        path: Relative to the target.
        data: What it holds.
        kind: ``runtime``, ``skill``, ``command`` or ``agent``.
        mode: Permission bits.
        source: The module's file that it comes from.
        source_sha256: Digest of that file; differs from the copy's where it was rendered.

    """

    path: str
    data: bytes
    kind: str
    mode: int
    source: str
    source_sha256: str

    @property
    def sha256(self) -> str:
        """Digest of what it holds."""
        return sha256_hex(self.data)


def wanted_files(source: Source, layout: Layout) -> list[Wanted]:
    """Return every file of a copy, but for the seeds, sorted by path.

    Only what the inventory lists is wanted; the module's folder is not walked for it.
    """
    runtime = layout.runtime(source.id)
    paths = [*source.listed, INVENTORY]
    wanted = [_copied(source, path, f"{runtime}/{path}") for path in paths]
    wanted += _skills(source, layout)
    wanted += _documents(source, layout, "commands", layout.commands, "command")
    wanted += _documents(source, layout, "agents", layout.agents, "agent")
    return sorted(wanted, key=lambda one: one.path)


def _copied(source: Source, path: str, place: str) -> Wanted:
    data = source.files[path]
    return Wanted(place, data, "runtime", member_mode(path), path, sha256_hex(data))


def _skills(source: Source, layout: Layout) -> Iterator[Wanted]:
    for path in source.listed:
        parts = path.split("/")
        if parts[0] == "skills" and len(parts) > 2:  # noqa: PLR2004 -- folder, skill, file
            name = f"hpp-{source.id}-{parts[1]}"
            place = f"{layout.skills}/{name}/{'/'.join(parts[2:])}"
            title = name if parts[2:] == ["SKILL.md"] else ""
            yield _rendered(source, path, place, "skill", layout=layout, name=title)


def _documents(
    source: Source, layout: Layout, folder: str, target: str, kind: str
) -> Iterator[Wanted]:
    for path in source.listed if target else ():
        if path.startswith(f"{folder}/") and path.endswith(".md"):
            inner = path.removeprefix(f"{folder}/").removesuffix(".md").replace("/", "-")
            name = f"hpp-{source.id}-{inner}"
            yield _rendered(source, path, f"{target}/{name}.md", kind, layout=layout, name=name)


def _rendered(  # noqa: PLR0913 -- one value an attribute
    source: Source, path: str, place: str, kind: str, *, layout: Layout, name: str
) -> Wanted:
    data = source.files[path]
    runtime = layout.runtime(source.id)
    copy = render(data, runtime, name, f"{source.id} {source.version}")
    return Wanted(place, copy, kind, member_mode(path), path, sha256_hex(data))


def render(data: bytes, runtime: str, name: str, module: str) -> bytes:
    """Return the copy of a text that names the module's folder as it is in the target.

    Args:
        data: The module's file; what is no UTF-8 text is copied as it is.
        runtime: The module's folder, relative to the target.
        name: What the copy is called, or an empty text for a file without a header of its
            own, which gets no note either.
        module: Id and version for the note.

    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return data
    text = _TOKEN.sub(lambda _: runtime, text)
    if not name:
        return text.encode("utf-8")
    note = f"> Copy of module {module}; its files are in `{runtime}`, relative to the project.\n\n"
    matched = _HEADER.match(text)
    if matched is None:
        return (note + text).encode("utf-8")
    header = matched[1]
    named = _NAME.sub(lambda _: f"name: {name}", header, count=1)
    if not _NAME.search(header):
        named = f"name: {name}\n{header}"
    rest = text[matched.end() :].removeprefix("\n")
    return f"---\n{named}---\n\n{note}{rest}".encode()
