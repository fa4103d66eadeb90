"""One module from its source to the bytes that are emitted; nothing is written here."""

from __future__ import annotations

import os

from hpp.core.canonical import sha256_hex
from hpp.core.errors import RefusedError
from hpp.core.strictjson import parse_bytes
from hpp.installer.forge import wiringblock
from hpp.installer.forge.buildmanifest import NAME, build_manifest, build_manifest_faults
from hpp.installer.forge.codexplugin import NAME as CODEX_PLUGIN
from hpp.installer.forge.codexplugin import codex_files, is_in_channel, unresolved_tokens
from hpp.installer.forge.forbiddenname import forbidden_name
from hpp.installer.forge.hookwiring import NAME as HOOKS
from hpp.installer.forge.notice import THIRD_PARTY, third_party_text
from hpp.installer.forge.publishlint import lint_tree
from hpp.installer.forge.replacement import replace_all
from hpp.installer.forge.skillcheck import skill_problems
from hpp.installer.forge.sourceset import collision_problems, source_files
from hpp.installer.forge.structure import PLUGIN, parsed, plugin_problems, structure_problems
from hpp.installer.forge.textform import normal_text
from hpp.installer.forge.vendoring import vendor
from hpp.installer.formats.archive import form_faults, read_zip, zip_bytes
from hpp.installer.formats.inventory import NAME as INVENTORY
from hpp.installer.formats.inventory import inventory_bytes
from hpp.installer.formats.problem import BLOCK, Problem, block
from hpp.installer.formats.relativepath import path_fault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from hpp.core.manifest import Module
    from hpp.installer.forge.buildmanifest import BuildManifest
    from hpp.installer.forge.product import Product
    from hpp.installer.forge.publishrule import RuleSet
    from hpp.installer.forge.sourceset import Reader

__all__ = ["Emission", "forge_module"]

_RENDERED = (
    "LICENSE", CODEX_PLUGIN, wiringblock.CLAUDE_NAME, wiringblock.CODEX_NAME, THIRD_PARTY, INVENTORY
)  # fmt: skip


class Emission:
    """What one module becomes.

    Attributes:
        module: Its declaration.
        manifest: Its build manifest, None when that is refused.
        files: Bytes by path, ``CHECKSUMS.txt`` included.
        archive: The zip of the same bytes.
        plugin: Its ``.claude-plugin/plugin.json``.
        problems: Everything that was found, `module.path` in front of each path.

    """

    def __init__(self, module: Module) -> None:
        self.module = module
        self.manifest: BuildManifest | None = None
        self.files: dict[str, bytes] = {}
        self.archive = b""
        self.plugin: dict[str, Any] = {}
        self.problems: list[Problem] = []

    @property
    def folder(self) -> str:
        """Return its place in the distribution."""
        return f"{self.module.area}/{self.module.id}-{self.module.version}"

    @property
    def is_refused(self) -> bool:
        """Say whether a problem stops the emission."""
        return any(problem.severity == BLOCK for problem in self.problems)

    def executables(self) -> tuple[str, ...]:
        """Return the paths with mode 0755 besides ``*.sh``."""
        return self.manifest.executables if self.manifest is not None else ()


def forge_module(
    product: Product, identity: str, reader: Reader, rules: RuleSet, today: str
) -> Emission:
    """Return what a module becomes, with everything that is wrong with it.

    Raises:
        RefusedError: The product declares no such module.

    """
    emission = Emission(product.module(identity))
    found: list[Problem] = []
    emission.manifest = _build_manifest(product, emission.module, reader, found)
    if emission.manifest is not None:
        _fill(emission, product, reader, found)
    if emission.manifest is not None and not _blocks(found):
        result = lint_tree(emission.files, _own_rules(rules, emission), today=today)
        found += result.problems
        found += skill_problems(emission.files, today)
        _seal(emission, found)
    emission.problems = [_placed(problem, emission.module.path) for problem in found]
    return emission


def _blocks(found: list[Problem]) -> bool:
    return any(problem.severity == BLOCK for problem in found)


def _placed(problem: Problem, folder: str) -> Problem:
    path = problem.path if problem.path.startswith(f"{folder}/") else f"{folder}/{problem.path}"
    return Problem(
        problem.code, problem.severity, path, problem.measured, problem.expected, problem.next
    )


def _own_rules(rules: RuleSet, emission: Emission) -> RuleSet:
    """Return the rules with the allowances of this module, whose paths begin with its source."""
    from dataclasses import replace

    prefix = f"{emission.module.path}/"
    own = tuple(
        replace(entry, path=entry.path.removeprefix(prefix))
        for entry in rules.allowed
        if entry.path.startswith(prefix)
    )
    return replace(rules, allowed=own)


def _build_manifest(
    product: Product, module: Module, reader: Reader, found: list[Problem]
) -> BuildManifest | None:
    place = os.path.join(product.root, *module.path.split("/"), NAME)
    try:
        data = reader.read(place)
        document: dict[str, Any] = parse_bytes(data, NAME, root=dict)
    except (OSError, ValueError) as error:
        told = getattr(error, "strerror", None) or str(error)
        found.append(_invalid(f"it cannot be read: {told}"))
        return None
    except RefusedError as error:
        found.append(_invalid(str(error).removeprefix(f"{NAME}: ")))
        return None
    faults = build_manifest_faults(document)
    found += [_invalid(fault) for fault in faults]
    if faults:
        return None
    manifest = build_manifest(document)
    for key, measured, wanted in (
        ("module.id", manifest.identity, module.id),
        ("module.version", manifest.version, module.version),
        ("module.area", manifest.area, module.area),
    ):
        if measured != wanted:
            found.append(_mismatch(NAME, f"{key}: {measured}", str(wanted)))
    return None if _blocks(found) else manifest


def _fill(emission: Emission, product: Product, reader: Reader, found: list[Problem]) -> None:
    """Put every file but the inventory into the emission."""
    manifest = emission.manifest
    assert manifest is not None  # noqa: S101 -- the caller looked
    files = emission.files
    files.update(source_files(reader, manifest, found))
    found += [
        block(
            "emission-drift",
            path,
            "the forge writes this file",
            expected="no such file in the source",
            next_step="remove it from the source",
        )
        for path in sorted(files)
        if path in _RENDERED or path.startswith("codex/")
    ]
    vendor(reader, manifest, files, found)
    found += replace_all(files, manifest.replace)
    if _blocks(found):
        return
    plugin, fault = parsed(files, PLUGIN)
    if plugin is None and PLUGIN in files:
        found.append(_component(PLUGIN, fault))
    if plugin is not None:
        found += plugin_problems(plugin, manifest)
        emission.plugin = plugin
    if not _blocks(found):
        _render(emission, product, reader, found)
    found += structure_problems(product.manifest, emission.module, manifest, files)
    found += collision_problems(files)
    found += _name_problems(files)


def _render(emission: Emission, product: Product, reader: Reader, found: list[Problem]) -> None:
    """Add the files that follow from others."""
    files, module = emission.files, emission.module
    try:
        files["LICENSE"] = normal_text(reader.read(os.path.join(product.root, "LICENSE")))[0]
    except OSError:
        found.append(_component("LICENSE", "the repository has none at its root"))
    hooks, _ = parsed(files, HOOKS)
    if hooks is not None and isinstance(hooks.get("hooks"), dict):
        _render_wiring(emission, hooks)
    if is_in_channel(module) and emission.plugin:
        files.update(codex_files(module, files, emission.plugin, product.build))
        found += [
            block(
                "codex-token",
                path,
                "it names a folder of another host",
                expected="no such token in what is served to Codex",
                next_step="name a file of the module, or say it without a path",
            )
            for path in unresolved_tokens(files)
        ]
    notices = emission.manifest.third_party if emission.manifest is not None else ()
    for notice in notices:
        if notice["notice"] not in files:
            found.append(
                _component(notice["notice"], "the notice that third_party names is missing")
            )
    if notices:
        files[THIRD_PARTY] = third_party_text(notices)


def _render_wiring(emission: Emission, hooks: dict[str, Any]) -> None:
    from hpp.core.hookfile import hook_file_faults

    if hook_file_faults(hooks):
        return  # told with the structure
    identity = emission.module.id
    emission.files[wiringblock.CLAUDE_NAME] = wiringblock.claude_block(identity, hooks)
    if emission.module.hosts.get("codex", "unsupported") != "unsupported":
        emission.files[wiringblock.CODEX_NAME] = wiringblock.codex_block(identity, hooks)


def _name_problems(files: dict[str, bytes]) -> Iterator[Problem]:
    for path in sorted(files):
        told = path_fault(path)
        code = "unsafe-path" if told else "forbidden-name"
        if told := told or forbidden_name(path):
            expected = "a portable path, and a file that belongs in a release"
            yield block(code, path, told, expected=expected, next_step="choose another place")


def _seal(emission: Emission, found: list[Problem]) -> None:
    """Add the inventory and make the archive, and prove that it holds the same bytes."""
    files = emission.files
    digests = {path: sha256_hex(data) for path, data in files.items()}
    files[INVENTORY] = inventory_bytes(digests)
    emission.archive = zip_bytes(files, emission.executables())
    faults = form_faults(emission.archive, emission.executables())
    read = read_zip(emission.archive, f"{emission.folder}.zip")
    found += read.problems
    if not read.problems and read.files != files:
        faults.append("its members are not the module's files")
    found += [
        block(
            "zip-invalid",
            f"{emission.folder}.zip",
            told,
            expected="an archive of exactly the module's files",
            next_step="this is a fault of the forge; report it",
        )
        for told in faults
    ]


def _invalid(told: str) -> Problem:
    return block(
        "build-manifest-invalid",
        NAME,
        told,
        expected="a build manifest, hpp.module-build/v1",
        next_step="correct the file",
    )


def _mismatch(path: str, measured: str, wanted: str) -> Problem:
    return block(
        "version-mismatch",
        path,
        measured,
        expected=f"{wanted}, as in hpp.manifest.json",
        next_step="make all places agree",
    )


def _component(path: str, told: str) -> Problem:
    return block(
        "component-missing",
        path,
        told,
        expected="a file that every such module has",
        next_step="add or correct it",
    )
