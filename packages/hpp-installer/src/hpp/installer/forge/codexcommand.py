"""``codex_channel.py``: hold an emitted tree's Codex files to what the forge renders."""

from __future__ import annotations

import os

from hpp.core.errors import RefusedError, UsageError
from hpp.core.manifest import load_manifest
from hpp.core.strictjson import parse_bytes
from hpp.installer.forge.catalogue import CLAUDE, CODEX, laid_out
from hpp.installer.forge.codexplugin import (
    CATEGORY,
    NAME,
    codex_files,
    is_in_channel,
    unresolved_tokens,
)
from hpp.installer.forge.structure import PLUGIN, parsed
from hpp.installer.forge.tool import finish, read_tree, run_tool, write_file
from hpp.installer.formats.problem import Problem, block, exit_code

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from hpp.core.arguments import Arguments, Values
    from hpp.core.manifest import Module
    from hpp.core.portable.selftest import Checks

__all__ = ["main"]

SCHEMA = "hpp.codex-report/v1"
MANIFEST = "hpp.manifest.json"


def main(words: Sequence[str]) -> int:
    """Run the script and return its exit status."""
    return run_tool(
        "codex_channel.py",
        "Hold the Codex channel of a distribution to its modules",
        words,
        declare=_declare,
        answer=_answer,
        self_test=_self_test,
    )


def _declare(arguments: Arguments) -> None:
    arguments.flag("--check", help="say what differs from what would be rendered")
    arguments.flag("--write", help="render the channel's files, with --apply")
    arguments.flag("--apply", help="write; without it the plan is printed")
    arguments.option("--root", "DIR", help="a distribution tree", default=".")
    arguments.option("--json", "FILE", help="write the report to a file as well")


def _answer(values: Values) -> int:
    if values.check == values.write:
        raise UsageError("give either --check or --write")
    if values.apply and not values.write:
        raise UsageError("--apply goes with --write")
    files, problems = rendered(values.root)
    differing = [path for path, data in sorted(files.items()) if _read(values.root, path) != data]
    report = _report(problems, differing, is_check=values.check)
    if values.apply and not problems:
        for path in differing:
            place = os.path.join(values.root, *path.split("/"))
            os.makedirs(os.path.dirname(place), exist_ok=True)
            write_file(place, files[path])
    return finish(report, values.json)


def _report(problems: list[Problem], differing: list[str], *, is_check: bool) -> dict[str, Any]:
    code = exit_code(problems) or (1 if is_check and differing else 0)
    return {
        "schema": SCHEMA,
        "status": ("ok", "drift", "refused")[code],
        "exit_code": code,
        "differing": differing,
        "problems": [problem.document() for problem in problems],
    }


def rendered(root: str) -> tuple[dict[str, bytes], list[Problem]]:
    """Return the files of the channel by path, and what of it cannot be served.

    Raises:
        RefusedError: A document of the tree cannot be read.

    """
    manifest = load_manifest(os.path.join(root, MANIFEST))
    catalogue = _document(root, CLAUDE)
    codex = _document(root, CODEX)
    files: dict[str, bytes] = {}
    problems: list[Problem] = list(_catalogue_problems(manifest.modules, codex))
    served: list[dict[str, Any]] = []
    order = [entry.get("name") for entry in catalogue.get("plugins", []) if isinstance(entry, dict)]
    by_id = {module.id: module for module in manifest.modules if is_in_channel(module)}
    for module in [by_id[name] for name in order if name in by_id]:
        served.append(_entry(module))
        files.update(_module_files(root, module, problems))
    interface = codex.get("interface", {})
    files[CODEX] = laid_out(
        {"name": catalogue.get("name"), "interface": interface, "plugins": served}
    )
    return files, problems


def _entry(module: Module) -> dict[str, Any]:
    return {
        "name": module.id,
        "source": {"source": "local", "path": f"./{module.path}"},
        "policy": {"installation": "AVAILABLE", "authentication": "ON_INSTALL"},
        "category": CATEGORY,
    }


def _module_files(root: str, module: Module, problems: list[Problem]) -> dict[str, bytes]:
    tree = read_tree(os.path.join(root, *module.path.split("/")))
    plugin, fault = parsed(tree, PLUGIN)
    present, _ = parsed(tree, NAME)
    if plugin is None:
        raise RefusedError(f"{module.path}/{PLUGIN}: {fault}")
    if present is None or present.get("hooks") != {"hooks": {}}:
        problems.append(
            block(
                "codex-hooks-not-empty",
                f"{module.path}/{NAME}",
                "hooks is not the empty object",
                expected='exactly {"hooks": {}}, which keeps every hook off there',
                next_step="emit the module again",
            )
        )
    product = {key: (present or {}).get(key, "") for key in ("homepage", "repository")}
    sources = {path: data for path, data in tree.items() if not path.startswith("codex/")}
    made = codex_files(module, sources, plugin, product)
    problems += [
        block(
            "codex-token",
            f"{module.path}/{path}",
            "it names a folder of another host",
            expected="no such token in what is served to Codex",
            next_step="correct the skill",
        )
        for path in unresolved_tokens({**sources, **made})
    ]
    return {f"{module.path}/{path}": data for path, data in made.items()}


def _catalogue_problems(modules: Sequence[Module], codex: dict[str, Any]) -> Iterator[Problem]:
    listed = [entry.get("name") for entry in codex.get("plugins", []) if isinstance(entry, dict)]
    wanted = {module.id for module in modules if is_in_channel(module)}
    for name in sorted({str(name) for name in listed} - wanted):
        yield block(
            "codex-unqualified",
            CODEX,
            f"{name} is listed",
            expected="modules with skills that Codex supports",
            next_step="emit the tree again",
        )
    for name in sorted(wanted - set(listed)):
        yield block(
            "codex-omits",
            CODEX,
            f"{name} is missing",
            expected="every module with skills that Codex supports",
            next_step="emit the tree again",
        )


def _document(root: str, path: str) -> dict[str, Any]:
    data = _read(root, path)
    if data is None:
        raise RefusedError(f"{path}: there is no such file")
    document: dict[str, Any] = parse_bytes(data, path, root=dict)
    return document


def _read(root: str, path: str) -> bytes | None:
    place = os.path.join(root, *path.split("/"))
    if not os.path.isfile(place):
        return None
    with open(place, "rb") as stream:
        return stream.read()


def _self_test(checks: Checks, folder: str) -> None:
    from hpp.installer.forge.fixture import change_json, emit, write_sources

    write_sources(folder)
    out = emit(folder)

    def codes() -> set[str]:
        return {problem.code for problem in rendered(out)[1]}

    files, problems = rendered(out)
    same = all(_read(out, path) == data for path, data in files.items())
    checks.equal("what the forge emits is what is rendered", (same, problems), (True, []))
    plugin = os.path.join(out, "frameworks", "small-kit-0.1.0", *NAME.split("/"))
    change_json(plugin, lambda value: value.pop("hooks"))
    checks.equal("a plugin without the empty hooks is refused", codes(), {"codex-hooks-not-empty"})
    change_json(plugin, lambda value: value.update(hooks={"hooks": {}}))
    place = os.path.join(out, *CODEX.split("/"))
    change_json(place, lambda value: value["plugins"].append({"name": "kit-forge"}))
    checks.equal("a module without skills is refused", codes(), {"codex-unqualified"})
    change_json(place, lambda value: value["plugins"].clear())
    checks.equal("a module that is left out is refused", codes(), {"codex-omits"})
    token = unresolved_tokens({"skills/a/SKILL.md": b"${CLAUDE_PLUGIN_ROOT}"})
    checks.equal("a token that nothing replaced is found", token, ["skills/a/SKILL.md"])
