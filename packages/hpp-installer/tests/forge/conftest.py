"""A small source tree that the forge accepts: three modules, two of them with hooks."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import hpp.core
import hpp.installer.forge_command
from hpp.core.manifest import packaged_manifest_path
from hpp.installer.command import main
from hpp.installer.forge.fixture import TOOL, skill_text

if TYPE_CHECKING:
    from collections.abc import Callable

CORE = Path(hpp.core.__file__).parent
INSTALLER = Path(hpp.installer.forge_command.__file__).parent
KEPT = ("kit-forge", "claude-dev-kit", "lane-kit")
COMPONENTS = {
    "kit-forge": ["scripts"],
    "claude-dev-kit": ["hooks", "scripts"],
    "lane-kit": ["hooks", "scripts", "skills"],
}
HOOK = "hooks/guard.py"


class SourceTree:
    """A source tree in a folder of its own, and the forge run on it."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def put(self, path: str, content: object) -> None:
        """Write a file: bytes and text as they are, anything else as JSON."""
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            data = content
        elif isinstance(content, str):
            data = content.encode()
        else:
            data = (json.dumps(content, indent=2) + "\n").encode()
        place.write_bytes(data)

    def read(self, path: str) -> Any:  # noqa: ANN401 -- any JSON value
        """Return the JSON value of a file."""
        return json.loads((self.root / path).read_bytes())

    def change(self, path: str, change: Callable[[Any], object]) -> None:
        """Apply a function to the JSON value of a file and write it."""
        value = self.read(path)
        change(value)
        self.put(path, value)

    def snapshot(self, folder: str = "") -> dict[str, bytes]:
        """Return the bytes of every file below a folder, by path."""
        top = self.root / folder
        return {
            path.relative_to(top).as_posix(): path.read_bytes()
            for path in sorted(top.rglob("*"))
            if path.is_file()
        }


def manifest() -> dict[str, Any]:
    """Return the manifest of the product, cut down to the modules of the tree."""
    document: dict[str, Any] = json.loads(Path(packaged_manifest_path()).read_bytes())
    document["modules"] = [m for m in document["modules"] if m["id"] in KEPT]
    for module in document["modules"]:
        module["components"] = COMPONENTS[module["id"]]
        module["integrates_with"] = [i for i in module["integrates_with"] if i in KEPT]
    document["bundles"] = {
        "small": {"modules": ["lane-kit"], "capabilities": ["lane-isolation"]},
    }
    document["hooks"] = [
        {
            "id": f"{module}/guard",
            "module": module,
            "script": HOOK,
            "events": ["PreToolUse"],
            "capabilities": ["automatic-permission-gates"],
            "exit_policy": "block",
        }
        for module in KEPT[1:]
    ]
    return document


def hooks_file() -> dict[str, Any]:
    """Return a hooks file that wires the one hook."""
    root = "${CLAUDE_PLUGIN_ROOT}"
    command = f'bash "{root}/hooks/pyrun.sh" closed "{root}/{HOOK}"'
    entry = {"type": "command", "command": command, "timeout": 30, "onFailure": "block"}
    return {
        "description": "Guard.",
        "hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [entry]}]},
    }


def fill_module(tree: SourceTree, module: dict[str, Any]) -> None:
    """Write the sources of one module."""
    identity, top = module["id"], f"modules/{module['id']}"
    has_hooks = "hooks" in module["components"]
    author = "The House Party Protocol authors"
    tree.put(
        f"{top}/module.build.json",
        {
            "schema": "hpp.module-build/v1",
            "module": {
                "id": identity,
                "version": "0.1.0",
                "area": module["area"],
                "license": "MIT",
                "author": author,
                "source_root": top,
            },
            "include": ["**"],
            "exclude": ["tests/**"],
            "vendor": [{"from": "hpp/core/text.py", "to": "_vendor"}],
            "executables": ["scripts/tool.py"],
            "replace": [],
            "third_party": [],
        },
    )
    tree.put(
        f"{top}/.claude-plugin/plugin.json",
        {
            "name": identity,
            "version": "0.1.0",
            "description": f"The module {identity}.",
            "author": {"name": author},
            "license": "MIT",
            "keywords": ["small"],
        },
    )
    channels = {"native": "plugin", "explicit-command": "copy", "unsupported": "unsupported"}
    install = {
        "schema": "hpp.kit-install/v1",
        "kit": identity,
        "version": "0.1.0",
        "requires": {"python": ">=3.10", "external_services": []},
        "seeds": [],
        "questions": [],
        "smokes": [{"id": "tool", "argv": ["{python}", "scripts/tool.py", "--self-test"]}],
        "hosts": {
            host: {"channel": channels[coverage], "manual_gates": []}
            for host, coverage in module["hosts"].items()
        },
        "docs": "README.md",
    }
    if has_hooks:
        tree.put(f"{top}/hooks/hooks.json", hooks_file())
        tree.put(f"{top}/{HOOK}", "raise SystemExit(0)\n")
        tree.put(f"{top}/hooks/pyrun.sh", "exit 0\n")
        wiring = {"claude-code": "install/wiring.settings.jsonc"}
        if module["hosts"]["codex"] != "unsupported":
            wiring["codex"] = "install/codex-hooks.json"
        install["wiring"] = wiring
    tree.put(f"{top}/install/kit.install.json", install)
    tree.put(f"{top}/README.md", f"# {identity}\n\nText.\n")
    tree.put(f"{top}/AGENTS.md", f"# {identity}\n")
    tree.put(f"{top}/scripts/tool.py", TOOL)
    tree.put(f"{top}/tests/test_tool.py", "def test_it(): assert True\n")
    if "skills" in module["components"]:
        tree.put(f"{top}/skills/lanes/SKILL.md", skill_text("lanes"))
    if identity == "kit-forge":
        tree.put(f"{top}/kit_doctor.py", "raise SystemExit(0)\n")


@pytest.fixture
def source_tree(tmp_path: Path) -> SourceTree:
    """Return a fresh source tree that the forge accepts."""
    tree = SourceTree(tmp_path / "source")
    tree.put("LICENSE", "MIT License\n")
    declared = manifest()
    tree.put("hpp.manifest.json", declared)
    tree.put(
        "modules/product.build.json",
        {
            "schema": "hpp.product-build/v1",
            "displayName": "House Party Protocol",
            "description": "Modules.",
            "owner": "The House Party Protocol authors",
            "homepage": "https://hpp.invalid/",
            "repository": "https://hpp.invalid/hpp",
            "modules": [
                {"id": module["id"], "category": "workflow"} for module in declared["modules"]
            ],
        },
    )
    tree.put(
        "modules/publish-rules.json",
        {"schema": "hpp.publish-rules/v1", "allowed_emails": [], "rules": [], "allow": []},
    )
    for source in ("text.py", "errors.py", "__init__.py"):
        target = f"packages/hpp-core/src/hpp/core/{source}"
        tree.put(target, (CORE / source).read_bytes())
    for module in declared["modules"]:
        fill_module(tree, module)
    return tree


class Answer:
    """Exit status, report and standard error of one run."""

    def __init__(self, status: int, out: str, err: str) -> None:
        self.status = status
        self.out = out
        self.err = err
        self.report: dict[str, Any] = json.loads(out) if out else {}

    @property
    def codes(self) -> set[str]:
        """Return the codes of all problems."""
        return {problem["code"] for problem in self.report.get("problems", [])}

    def paths(self, code: str) -> list[str]:
        """Return the paths of the problems of a code."""
        return [p["path"] for p in self.report["problems"] if p["code"] == code]


Run = "Callable[..., Answer]"


@pytest.fixture
def forge(source_tree: SourceTree, capfd: pytest.CaptureFixture[str]) -> Callable[..., Answer]:
    """Return a function that runs the forge on the tree into its folder ``out``."""

    def run(*words: str, out: str = "out", root: Path | None = None) -> Answer:
        place = source_tree.root.parent / out
        chosen = [] if "--module" in words else ["--all"]
        top = ["--root", str(root or source_tree.root)]
        status = main(["forge", *chosen, *top, "--out", str(place), *words])
        captured = capfd.readouterr()
        return Answer(status, captured.out, captured.err)

    return run


@pytest.fixture
def emitted(source_tree: SourceTree, forge: Callable[..., Answer]) -> SourceTree:
    """Return the tree that the forge emits."""
    answer = forge("--apply")
    assert answer.status == 0, answer.report
    return SourceTree(source_tree.root.parent / "out")


@pytest.fixture
def environment() -> dict[str, str]:
    """Return the variables of a child process that finds this very installation."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONHASHSEED"}
    return {**kept, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
