"""What a run of the forge emits, and how an existing tree differs from it."""

from __future__ import annotations

import os

from hpp.core.folder import is_link
from hpp.core.strictjson import parse_bytes
from hpp.installer.forge import billofmaterials, catalogdocument
from hpp.installer.forge.buildmanifest import AREAS
from hpp.installer.forge.catalogue import (
    CLAUDE,
    CODEX,
    COPY,
    claude_catalogue,
    codex_catalogue,
)
from hpp.installer.forge.distributionfile import (
    MANIFEST,
    NAME,
    distribution_file,
    emitted_manifest,
)
from hpp.installer.formats.archive import member_mode
from hpp.installer.formats.moduletree import is_leftover

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from hpp.installer.forge.moduleforge import Emission
    from hpp.installer.forge.product import Product

__all__ = [
    "STAGING",
    "Output",
    "difference",
    "leftovers",
    "module_outputs",
    "product_output",
    "stale_places",
]

STAGING = ".forge-"
_ATTRIBUTES = b"""\
# Digests hold after a checkout on every system.
* text=auto eol=lf
*.zip binary
*.whl binary
*.gz binary
*.png binary
*.jpg binary
*.gif binary
*.ico binary
*.woff binary
*.woff2 binary
*.ttf binary
"""


class Output:
    """One thing that is swapped into the tree as a whole: a folder, or one file.

    Attributes:
        path: Its place, relative to the tree.
        files: Bytes by path below it; the one key of a file is an empty text.
        executables: Paths of `files` with mode 0755 besides ``*.sh``.

    """

    __slots__ = ("executables", "files", "path")

    def __init__(
        self, path: str, files: Mapping[str, bytes], executables: Sequence[str] = ()
    ) -> None:
        self.path = path
        self.files = files
        self.executables = tuple(executables)

    def mode(self, name: str) -> int:
        """Return the permission bits of a file of it."""
        return member_mode(name or self.path, self.executables)

    def place(self, name: str) -> str:
        """Return the place of a file of it in the tree."""
        return f"{self.path}/{name}" if name else self.path


def module_outputs(emission: Emission) -> list[Output]:
    """Return the folder and the zip of a module."""
    return [
        Output(emission.folder, emission.files, emission.executables()),
        Output(f"{emission.folder}.zip", {"": emission.archive}),
    ]


def product_output(product: Product, emissions: Sequence[Emission], out: str) -> list[Output]:
    """Return the files of the product, in the order of what digests what.

    Raises:
        RefusedError: The manifest cannot be emitted.

    """
    files = {
        ".gitattributes": _ATTRIBUTES,
        CLAUDE: claude_catalogue(product, emissions),
        CODEX: codex_catalogue(product, emissions),
        MANIFEST: emitted_manifest(product, emissions),
    }
    files[COPY] = files[CLAUDE]
    by_id = {emission.module.id: emission for emission in emissions}
    files[catalogdocument.NAME] = catalogdocument.catalog_document(
        product.manifest,
        [(m, by_id[m.id].folder, by_id[m.id].files) for m in product.manifest.modules],
    )
    wheels = billofmaterials.distribution_wheels(out)
    files[billofmaterials.NAME] = billofmaterials.bill_of_materials(product, emissions, wheels)
    files[NAME] = distribution_file(product, emissions, files)
    return [Output(path, {"": data}) for path, data in sorted(files.items())]


def difference(out: str, output: Output) -> Iterator[tuple[str, str]]:
    """Yield place and fault of everything in which a tree differs from an output."""
    present = dict(_present(os.path.join(out, *output.path.split("/")), ""))
    for name, data in sorted(output.files.items()):
        if name not in present:
            yield output.place(name), "it is missing"
        elif (fault := _fault(present[name], data)) is not None:
            yield output.place(name), fault
    listed = dict.fromkeys(output.files, "")
    for name in sorted(present):
        if name not in output.files and not is_leftover(name, listed):
            yield output.place(name), "the forge does not emit it"


def _fault(place: str, data: bytes) -> str | None:
    if is_link(place):
        return "it is a link"
    try:
        with open(place, "rb") as stream:
            found = stream.read(len(data) + 1)
    except OSError as error:
        return f"it cannot be read: {error.strerror}"
    return None if found == data else "its bytes differ"


def _present(place: str, name: str) -> Iterator[tuple[str, str]]:
    """Yield name and place of everything below a folder, or of the one file."""
    if is_link(place) or not os.path.isdir(place):
        if os.path.lexists(place):
            yield name, place
        return
    for each in sorted(os.listdir(place)):
        yield from _present(os.path.join(place, each), f"{name}/{each}" if name else each)


def stale_places(out: str, outputs: Sequence[Output]) -> list[str]:
    """Return what the tree's own distribution.json lists below an area and is emitted no more."""
    emitted = {output.path for output in outputs}
    place = os.path.join(out, NAME)
    if not os.path.isfile(place):
        return []
    with open(place, "rb") as stream:
        document = parse_bytes(stream.read(), NAME, root=dict)
    found: set[str] = set()
    modules = document.get("modules")
    for module in modules if isinstance(modules, list) else []:
        for key in ("path", "zip"):
            path = module.get(key) if isinstance(module, dict) else None
            if isinstance(path, str) and _is_below_area(path) and path not in emitted:
                found.add(path)
    return sorted(path for path in found if os.path.lexists(os.path.join(out, *path.split("/"))))


def stray_places(out: str, outputs: Sequence[Output]) -> Iterator[str]:
    """Yield everything directly below an area, and every staging folder, that is not emitted."""
    emitted = {output.path for output in outputs}
    for area in AREAS:
        folder = os.path.join(out, area)
        names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
        yield from (f"{area}/{name}" for name in names if f"{area}/{name}" not in emitted)
    yield from leftovers(out)


def leftovers(out: str) -> list[str]:
    """Return the staging folders that a run which was killed left behind."""
    names = sorted(os.listdir(out)) if os.path.isdir(out) else []
    return [name for name in names if name.startswith(STAGING)]


def _is_below_area(path: str) -> bool:
    area, slash, name = path.partition("/")
    return bool(slash) and area in AREAS and "/" not in name and name not in ("", ".", "..")
