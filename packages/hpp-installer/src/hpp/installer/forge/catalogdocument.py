"""``docs/CATALOG.md``: what the modules of an emitted tree hold, counted from the tree."""

from __future__ import annotations

import os
from urllib.parse import quote

from hpp.core.errors import RefusedError
from hpp.core.manifest import load_manifest
from hpp.core.strictjson import parse_bytes
from hpp.installer.forge.frontmatter import front_value
from hpp.installer.formats.installmanifest import NAME as INSTALL
from hpp.installer.formats.moduletree import read_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from hpp.core.manifest import Manifest, Module

__all__ = ["NAME", "catalog_document", "tree_catalog"]

NAME = "docs/CATALOG.md"
MANIFEST = "hpp.manifest.json"


def tree_catalog(root: str) -> bytes:
    """Return the document of an emitted tree.

    Raises:
        RefusedError: Its manifest or a module cannot be read.

    """
    manifest = load_manifest(os.path.join(root, MANIFEST))
    modules: dict[str, Mapping[str, bytes]] = {}
    for module in manifest.modules:
        try:
            found = read_module(os.path.join(root, *module.path.split("/")))
        except OSError as error:
            raise RefusedError(f"{module.path}: cannot be read: {error.strerror}") from None
        if found.problems:
            problem = found.problems[0]
            raise RefusedError(f"{module.path}/{problem.path}: {problem.measured}")
        modules[module.path] = found.files
    return catalog_document(manifest, [(m, m.path, modules[m.path]) for m in manifest.modules])


def catalog_document(
    manifest: Manifest, modules: list[tuple[Module, str, Mapping[str, bytes]]]
) -> bytes:
    """Return the document.

    Args:
        manifest: The manifest, for hooks.
        modules: Each declaration with the folder and the files of the emission.

    """
    hooks = sum(len(hook.events) > 0 for hook in manifest.hooks if _is_of(hook.module, modules))
    lines = ["# Catalogue", "", f"{len(modules)} modules, {hooks} hooks."]
    for module, folder, files in modules:
        lines += ["", *_module(manifest, module, folder, files)]
    return ("\n".join(lines) + "\n").encode("utf-8")


def _is_of(identity: str, modules: list[tuple[Module, str, Mapping[str, bytes]]]) -> bool:
    return any(module.id == identity for module, _, _ in modules)


def _module(
    manifest: Manifest, module: Module, folder: str, files: Mapping[str, bytes]
) -> Iterator[str]:
    yield f"## {module.id} {module.version}"
    yield ""
    yield f"`{folder}`"
    yield ""
    hosts = [f"{host} {coverage}" for host, coverage in sorted(module.hosts.items())]
    yield f"- Coverage: {', '.join(hosts)}"
    yield f"- Capabilities: {', '.join(module.capabilities)}"
    for title, lines in _parts(manifest, module, folder, files):
        if lines:
            yield ""
            yield f"### {title} ({len(lines)})"
            yield ""
            yield from lines


def _parts(
    manifest: Manifest, module: Module, folder: str, files: Mapping[str, bytes]
) -> Iterator[tuple[str, list[str]]]:
    def linked(kind: str, is_part: Callable[[str], bool], told: bool = False) -> list[str]:  # noqa: FBT001, FBT002 -- a local shorthand
        return [
            _line(folder, path, _told(files[path]) if told else "")
            for path in sorted(files)
            if path.startswith(f"{kind}/") and is_part(path)
        ]

    yield "Skills", linked("skills", lambda path: path.endswith("/SKILL.md"), told=True)
    yield "Commands", linked("commands", lambda path: path.endswith(".md"), told=True)
    yield "Agents", linked("agents", lambda path: path.endswith(".md"), told=True)
    yield (
        "Hooks",
        [
            f"- `{hook.id}`: {', '.join(hook.events)}; {', '.join(hook.capabilities)}"
            for hook in manifest.hooks
            if hook.module == module.id
        ],
    )
    yield "Rules", linked("rules", lambda _: True)
    yield "Templates", linked("templates", lambda _: True)
    yield "Scripts", linked("scripts", lambda path: path.endswith((".py", ".sh")))
    yield "Smokes", _smokes(files)


def _told(data: bytes) -> str:
    return front_value(data.decode("utf-8", "replace"), "description")


def _line(folder: str, path: str, told: str) -> str:
    target = quote(f"../{folder}/{path}", safe="/")
    return f"- [{path}]({target})" + (f": {told}" if told else "")


def _smokes(files: Mapping[str, bytes]) -> list[str]:
    if INSTALL not in files:
        return []
    document = parse_bytes(files[INSTALL], INSTALL, root=dict)
    return [f"- `{smoke['id']}`: `{' '.join(smoke['argv'])}`" for smoke in document["smokes"]]
