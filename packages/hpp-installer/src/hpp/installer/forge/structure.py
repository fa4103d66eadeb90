"""Whether an emitted module is what the manifest declares, and whole."""

from __future__ import annotations

import ast

from hpp.core.errors import RefusedError
from hpp.core.strictjson import parse_bytes
from hpp.core.text import shorten
from hpp.installer.forge.buildmanifest import NAME as BUILD_MANIFEST
from hpp.installer.forge.hookwiring import NAME as HOOKS
from hpp.installer.forge.hookwiring import hook_problems
from hpp.installer.forge.wiringblock import CLAUDE_NAME, CODEX_NAME
from hpp.installer.formats.installmanifest import NAME as INSTALL
from hpp.installer.formats.installmanifest import check_install_manifest
from hpp.installer.formats.problem import block

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from hpp.core.manifest import Manifest, Module
    from hpp.installer.forge.buildmanifest import BuildManifest
    from hpp.installer.formats.problem import Problem

__all__ = ["PLUGIN", "parsed", "plugin_problems", "structure_problems"]

PLUGIN = ".claude-plugin/plugin.json"
COMPONENTS = ("agents", "commands", "hooks", "rules", "scripts", "skills", "templates")
CHANNELS = {"native": "plugin", "explicit-command": "copy", "unsupported": "unsupported"}
_DOCUMENTS = ("README.md", "AGENTS.md", PLUGIN, INSTALL)
_PLUGIN_TEXTS = ("name", "version", "description", "license")


def parsed(files: Mapping[str, bytes], path: str) -> tuple[dict[str, Any] | None, str]:
    """Return the JSON object of a file of a module, or why there is none."""
    if path not in files:
        return None, "it is missing"
    try:
        document: dict[str, Any] = parse_bytes(files[path], path, root=dict)
    except RefusedError as error:
        return None, str(error).removeprefix(f"{path}: ")
    return document, ""


def plugin_problems(plugin: dict[str, Any], manifest: BuildManifest) -> Iterator[Problem]:
    """Yield what is wrong with ``.claude-plugin/plugin.json``."""
    for key in _PLUGIN_TEXTS:
        if not isinstance(plugin.get(key), str) or not plugin[key].strip():
            yield _missing(PLUGIN, f"{key}: expected a non-blank text")
    author = plugin.get("author")
    if not isinstance(author, dict) or not isinstance(author.get("name"), str):
        yield _missing(PLUGIN, "author.name: expected a text")
    keywords = plugin.get("keywords")
    if not isinstance(keywords, list) or not all(isinstance(word, str) for word in keywords):
        yield _missing(PLUGIN, "keywords: expected a list of texts")
    if "hooks" in plugin:
        yield block(
            "hooks-listed-twice",
            PLUGIN,
            "it has the key hooks",
            expected="no such key: the host reads hooks/hooks.json by itself",
            next_step="remove the key",
        )
    for key, wanted in (("name", manifest.identity), ("version", manifest.version)):
        if isinstance(plugin.get(key), str) and plugin[key] != wanted:
            yield _differs(PLUGIN, key, plugin[key], wanted)


def structure_problems(
    product: Manifest, module: Module, manifest: BuildManifest, files: Mapping[str, bytes]
) -> Iterator[Problem]:
    """Yield everything in which the files of a module differ from what is declared of it."""
    for path in _DOCUMENTS:
        if path not in files:
            yield _missing(path, "there is no such file")
    yield from _component_problems(module, files)
    yield from _install_problems(module, manifest, files)
    yield from _hook_file_problems(product, module, files)
    for path in manifest.executables:
        if path not in files:
            yield _missing(path, "it is declared executable and is no file of the module")
    for path in sorted(files):
        if path.endswith(".py"):
            yield from _python_problems(path, files[path])


def _component_problems(module: Module, files: Mapping[str, bytes]) -> Iterator[Problem]:
    present = {path.split("/", 1)[0] for path in files if "/" in path}
    for kind in COMPONENTS:
        is_declared = kind in module.components
        if is_declared and kind not in present:
            yield _missing(f"{kind}/", "it is declared as a component and has no file")
        if not is_declared and kind in present:
            yield block(
                "component-undeclared",
                f"{kind}/",
                "it has files and is not declared as a component",
                expected=f"{kind} among the components of {module.id} in hpp.manifest.json",
                next_step="declare it or remove the files",
            )


def _install_problems(
    module: Module, manifest: BuildManifest, files: Mapping[str, bytes]
) -> Iterator[Problem]:
    document, fault = parsed(files, INSTALL)
    if document is None:
        if INSTALL in files:
            yield _invalid(fault)
        return
    faults = check_install_manifest(document)
    for told in faults:
        is_vacuous = told.startswith("questions[") and ".effect" in told
        yield _invalid(told, "vacuous-question" if is_vacuous else "install-manifest-invalid")
    if faults:
        return
    for key, wanted in (("kit", manifest.identity), ("version", manifest.version)):
        if document[key] != wanted:
            yield _differs(INSTALL, key, document[key], wanted)
    yield from map(_invalid, _reference_faults(document, module, files))


def _reference_faults(
    document: dict[str, Any], module: Module, files: Mapping[str, bytes]
) -> Iterator[str]:
    """Yield what the install manifest names and the module does not have."""
    smokes = document["smokes"]
    if not smokes and {"scripts", "hooks"} & set(module.components):
        yield "smokes: a module with scripts or hooks proves at least one of them"
    for number, smoke in enumerate(smokes):
        if smoke["argv"][1] not in files:
            yield f"smokes[{number}].argv[1]: {smoke['argv'][1]} is no file of the module"
    for number, seed in enumerate(document["seeds"]):
        if seed["from"] not in files:
            yield f"seeds[{number}].from: {seed['from']} is no file of the module"
    if document["docs"] not in files:
        yield f"docs: {document['docs']} is no file of the module"
    yield from _host_faults(document, module, files)


def _host_faults(
    document: dict[str, Any], module: Module, files: Mapping[str, bytes]
) -> Iterator[str]:
    wiring = document.get("wiring", {})
    has_hooks = "hooks" in module.components
    # Both blocks follow from the hooks file; when that has a fault, it is what is told.
    rendered = (CLAUDE_NAME, CODEX_NAME) if HOOKS in files else ()
    for host, path in wiring.items():
        if path not in files and path not in rendered:
            yield f"wiring.{host}: {path} is no file of the module"
    for host, coverage in module.hosts.items():
        entry = document["hosts"].get(host)
        wanted = CHANNELS.get(coverage, coverage)
        if entry is None or entry["channel"] != wanted:
            yield f"hosts.{host}.channel: expected {wanted}, as the manifest says {coverage}"
        if has_hooks and coverage != "unsupported" and host not in wiring:
            yield f"wiring.{host}: it is missing, and the module has hooks"


def _hook_file_problems(
    product: Manifest, module: Module, files: Mapping[str, bytes]
) -> Iterator[Problem]:
    declared = [hook for hook in product.hooks if hook.module == module.id]
    document, fault = parsed(files, HOOKS)
    if document is not None:
        yield from hook_problems(document, files, declared)
        if "hooks/pyrun.sh" not in files:
            yield _missing("hooks/pyrun.sh", "the commands of hooks/hooks.json start it")
    elif HOOKS in files:
        yield block(
            "hooks-file-invalid",
            HOOKS,
            fault,
            expected="a JSON object",
            next_step="correct the file",
        )
    elif declared:
        yield block(
            "hook-unwired",
            HOOKS,
            "there is no such file",
            expected=f"a file that wires {', '.join(hook.id for hook in declared)}",
            next_step="add the file or remove the declarations",
        )


def _python_problems(path: str, data: bytes) -> Iterator[Problem]:
    try:
        ast.parse(data)
    except (SyntaxError, ValueError) as error:
        # The words of a syntax error differ between versions; its place does not.
        line = getattr(error, "lineno", None) or 1
        yield block(
            "encoding",
            path,
            f"line {line} is no Python",
            expected="a file that compiles",
            next_step="correct it",
        )


def _missing(path: str, told: str) -> Problem:
    return block(
        "component-missing",
        path,
        told,
        expected="what every module and this module's declaration promise",
        next_step="add it, or correct the declaration",
    )


def _invalid(told: str, code: str = "install-manifest-invalid") -> Problem:
    return block(
        code,
        INSTALL,
        told,
        expected="an install manifest that this module keeps",
        next_step="correct the file",
    )


def _differs(path: str, key: str, measured: str, wanted: str) -> Problem:
    return block(
        "version-mismatch",
        path,
        f"{key}: {shorten(measured)}",
        expected=f"{wanted}, as in {BUILD_MANIFEST}",
        next_step="make all places agree",
    )
