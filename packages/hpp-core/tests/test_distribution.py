"""A sound tree, and one broken copy of it for every way of being broken."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from hpp.core.distribution import check_distribution
from hpp.core.errors import RefusedError
from hpp.core.manifest import load_manifest

DATA = Path(__file__).parent / "data"
REMOVED = object()
CATALOGUE = "marketplace.json"
CODEX = ".agents/plugins/marketplace.json"
PLUGIN = "modules/alpha/.claude-plugin/plugin.json"
CODEX_PLUGIN = "modules/alpha/.codex-plugin/plugin.json"
HOOKS = "modules/alpha/hooks/hooks.json"
RUN = 'bash "${CLAUDE_PLUGIN_ROOT}/hooks/pyrun.sh" block "${CLAUDE_PLUGIN_ROOT}/hooks/%s"'
GUARD = {"type": "command", "command": RUN % "guard.py", "timeout": 30, "onFailure": "block"}
WATCH = {"type": "command", "command": RUN % "watch.py", "timeout": 30}
WIRED = {
    "PreToolUse": [{"matcher": "Bash", "hooks": [GUARD]}],
    "Stop": [{"hooks": [WATCH]}],
    "PreCompact": [{"hooks": [WATCH]}],
}


def put(path: Path, value: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = value if isinstance(value, str) else json.dumps(value)
    path.write_text(text, encoding="utf-8")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Write a sound distribution tree of the sample manifest."""
    root = tmp_path / "tree"
    root.mkdir()
    shutil.copyfile(DATA / "manifest.json", root / "hpp.manifest.json")
    modules = {"alpha": "1.0.0", "beta": "2.0.0", "gamma": "1.1.0"}
    listed = [
        {"name": name, "version": version, "source": f"./modules/{name}"}
        for name, version in modules.items()
    ]
    put(root / CATALOGUE, {"name": "sample", "version": "1.2.0", "plugins": listed})
    for name, version in modules.items():
        named = {"name": name, "version": version}
        put(root / f"modules/{name}/.claude-plugin/plugin.json", named)
        if name != "beta":
            silent = {**named, "hooks": {"hooks": {}}}
            put(root / f"modules/{name}/.codex-plugin/plugin.json", silent)
    put(root / HOOKS, {"description": "what is watched", "hooks": WIRED})
    entries = [
        {"name": name, "source": {"source": "local", "path": f"./modules/{name}"}}
        for name in ("gamma", "alpha")
    ]
    put(root / CODEX, {"name": "sample", "plugins": entries})
    return root


def check(tree: Path) -> dict[str, Any]:
    path = str(tree / "hpp.manifest.json")
    return check_distribution(load_manifest(path), path)


def refusal(tree: Path) -> str:
    with pytest.raises(RefusedError) as caught:
        check(tree)
    return str(caught.value)


def edit(tree: Path, name: str, place: str, value: object) -> None:
    """Replace, add or remove one value of a JSON file; a place is a path with slashes."""
    document = json.loads((tree / name).read_text(encoding="utf-8"))
    holder = document
    *steps, last = place.split("/")
    for step in steps:
        holder = holder[int(step)] if isinstance(holder, list) else holder[step]
    key: Any = int(last) if isinstance(holder, list) else last
    if value is REMOVED:
        del holder[key]
    elif isinstance(holder, list) and key == len(holder):
        holder.append(value)
    else:
        holder[key] = value
    put(tree / name, document)


def link(path: Path, target: Path, *, folder: bool = False) -> None:
    try:
        path.symlink_to(target, target_is_directory=folder)
    except OSError:
        pytest.skip("this system lets this user make no links")


def test_control_a_sound_tree_is_checked(tree: Path) -> None:
    assert check(tree) == {
        "checked": True,
        "status": "ok",
        "modules": 3,
        "codex_marketplace": {"checked": True, "plugins": 2},
    }


def test_without_a_catalogue_there_is_no_tree(tree: Path) -> None:
    (tree / CATALOGUE).unlink()
    assert check(tree) == {"checked": False, "status": "source-contract"}

    (tree / CATALOGUE).mkdir()
    assert check(tree) == {"checked": False, "status": "source-contract"}


def test_without_a_codex_catalogue_that_channel_is_not_checked(tree: Path) -> None:
    (tree / CODEX).unlink()
    shutil.rmtree(tree / "modules/alpha/.codex-plugin")

    assert check(tree)["codex_marketplace"] == {"checked": False}


def test_a_module_without_plugin_and_hook_files_is_sound(tree: Path) -> None:
    shutil.rmtree(tree / "modules/alpha/.claude-plugin")
    shutil.rmtree(tree / "modules/alpha/hooks")

    assert check(tree)["status"] == "ok"


# Catalogue, versions and sources.
@pytest.mark.parametrize(
    ("name", "place", "value", "message"),
    [
        (CATALOGUE, "version", "9", "marketplace.json: version: 9 differs from 1.2.0"),
        (CATALOGUE, "version", REMOVED, "version: not a text differs"),
        (CATALOGUE, "version", 1.2, "version: not a text differs"),
        (CATALOGUE, "plugins", {}, "marketplace.json: plugins: expected a list"),
        (CATALOGUE, "plugins", REMOVED, "plugins: expected a list"),
        (CATALOGUE, "plugins", [], "plugins: module alpha is missing"),
        (CATALOGUE, "plugins/0", "alpha", "plugins[0]: expected an object with a text name"),
        (CATALOGUE, "plugins/0/name", REMOVED, "plugins[0]: expected an object with a text name"),
        (CATALOGUE, "plugins/0/name", ["alpha"], "plugins[0]: expected an object with a text"),
        (CATALOGUE, "plugins/0/name", "Alpha", "plugins: module alpha is missing"),
        (CATALOGUE, "plugins/0/name", "ghost", "plugins: ghost is no module"),
        (CATALOGUE, "plugins/0/name", "beta", "plugins[1]: beta is listed twice"),
        (CATALOGUE, "plugins/3", {"name": "ghost"}, "plugins: ghost is no module"),
        (CATALOGUE, "plugins/0/version", "1.0", "alpha: version: 1.0 differs from 1.0.0"),
        (CATALOGUE, "plugins/0/version", REMOVED, "alpha: version: "),
        (CATALOGUE, "plugins/0/version", 1, "alpha: version: "),
        (CATALOGUE, "plugins/0/source", "./modules/beta", "alpha: source: ./modules/beta differs"),
        (CATALOGUE, "plugins/0/source", "/modules/alpha", "alpha: source: "),
        (CATALOGUE, "plugins/0/source", "../tree/modules/alpha", "alpha: source: "),
        (CATALOGUE, "plugins/0/source", REMOVED, "alpha: source: "),
        (CATALOGUE, "plugins/0/source", {"source": "local", "path": "modules/alpha"}, "source: "),
        (PLUGIN, "name", "Alpha", f"alpha: {PLUGIN}: name: Alpha differs from alpha"),
        (PLUGIN, "name", REMOVED, f"alpha: {PLUGIN}: name: "),
        (PLUGIN, "version", "1.0.1", f"alpha: {PLUGIN}: version: 1.0.1 differs from 1.0.0"),
        (PLUGIN, "version", 1, f"alpha: {PLUGIN}: version: "),
        (PLUGIN, "hooks", None, f"alpha: {PLUGIN}: hooks: expected an object, or a path"),
        (PLUGIN, "hooks", 1, "hooks: expected an object, or a path"),
        (PLUGIN, "hooks", [1], "hooks: expected an object, or a path"),
        (PLUGIN, "hooks", "", "hooks: expected an object, or a path"),
        (PLUGIN, "hooks", "../beta/hooks.json", "hooks: expected an object, or a path"),
        (PLUGIN, "hooks", "./absent.json", "modules/alpha/absent.json: there is no such file"),
    ],
)
def test_catalogue_and_plugin_files_that_disagree_are_refused(
    tree: Path, name: str, place: str, value: object, message: str
) -> None:
    edit(tree, name, place, value)

    assert message in refusal(tree)


# Wired hooks: the shape of the file, and what is not declared.
@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        ("$schema", "x", '["$schema"]: a key that not both hosts read'),
        ("hooks", REMOVED, "hooks: expected an object, it is missing"),
        ("hooks/Stop", {}, "hooks.Stop: expected a list"),
        ("hooks/Stop/0/hooks", 5, "hooks.Stop[0].hooks: expected a list"),
        ("hooks/Stop/0/matcher", 5, "hooks.Stop[0].matcher: expected a text"),
        ("hooks/Stop/0/hooks/0/args", [], "hooks.Stop[0].hooks[0].args: a key that not both"),
        ("hooks/Stop/0/hooks/0/timeout", 0, "hooks.Stop[0].hooks[0].timeout: expected a whole"),
        ("hooks/Stop/0/hooks/0/command", "echo hi", "Stop: a command without a script"),
        ("hooks/Stop/0/hooks/0/command", RUN % "other.py", "Stop: hooks/other.py is wired and"),
        ("hooks/Stop/0/hooks/0/command", "node ${CLAUDE_PLUGIN_ROOT}/hooks/watch.js",
         "hooks/watch.js is wired and not declared"),
        ("hooks/Stop/0/hooks/0/command", "/hooks/watch.py", "/hooks/watch.py is wired and not"),
        ("hooks/Stop/0/hooks/0/command", "${CLAUDE_PLUGIN_ROOT}/../beta/hooks/watch.py",
         "../beta/hooks/watch.py is wired"),
        ("hooks/Stop/0/hooks/0/command", "python hooks/watch.py && python hooks/more.py",
         "hooks/more.py is wired"),
        ("hooks/PreToolUse/0/hooks/0/command", RUN % "watch.py",
         "PreToolUse: hooks/watch.py is wired and not declared"),
        ("hooks/SessionStart", [{"hooks": [WATCH]}], "SessionStart: hooks/watch.py is wired"),
        ("hooks/stop", [{"hooks": [WATCH]}], "stop: hooks/watch.py is wired"),
    ],
)  # fmt: skip
def test_hooks_that_a_host_would_lose_or_nobody_declared_are_refused(
    tree: Path, place: str, value: object, message: str
) -> None:
    edit(tree, HOOKS, place, value)

    told = refusal(tree)
    assert message in told
    assert f"alpha: {HOOKS}: " in told


def test_a_hook_of_another_module_is_not_declared_for_this_one(tree: Path) -> None:
    put(tree / "modules/gamma/hooks/hooks.json", {"hooks": {"Stop": [{"hooks": [WATCH]}]}})

    assert "gamma: modules/gamma/hooks/hooks.json: Stop: hooks/watch.py" in refusal(tree)


@pytest.mark.parametrize(
    "hooks",
    [
        {"Stop": [{"hooks": [{**WATCH, "command": "python hooks/more.py"}]}]},
        {"hooks": {"Stop": [{"hooks": [{**WATCH, "command": "python hooks/more.py"}]}]}},
        ["./hooks/hooks.json", {"Stop": [{"hooks": [{**WATCH, "command": "hooks/more.py"}]}]}],
    ],
)
def test_hooks_inside_a_plugin_file_are_read_the_same_way(tree: Path, hooks: object) -> None:
    edit(tree, PLUGIN, "hooks", hooks)

    assert f"alpha: {PLUGIN}: hooks: Stop: hooks/more.py is wired" in refusal(tree)


@pytest.mark.parametrize(
    "hooks", [WIRED, {"hooks": WIRED}, {}, {"hooks": {}}, [], "./hooks/hooks.json", [WIRED, {}]]
)
def test_declared_hooks_inside_a_plugin_file_are_sound(tree: Path, hooks: object) -> None:
    edit(tree, PLUGIN, "hooks", hooks)

    assert check(tree)["status"] == "ok"


def test_a_hooks_file_that_a_plugin_names_is_read(tree: Path) -> None:
    edit(tree, PLUGIN, "hooks", "./more/hooks.json")
    put(tree / "modules/alpha/more/hooks.json", {"hooks": {"Stop": [{"hooks": [GUARD]}]}})

    assert "alpha: modules/alpha/more/hooks.json: Stop: hooks/guard.py" in refusal(tree)


def test_what_has_the_shape_and_is_declared_is_sound(tree: Path) -> None:
    both = f"{RUN % 'run.py'} hooks/guard.py"
    put(
        tree / HOOKS,
        {
            "hooks": {
                "PreToolUse": [
                    {"hooks": []},
                    {"matcher": "", "hooks": [{"type": "command", "command": both}]},
                    {"hooks": [{**GUARD, "timeout": 1}]},
                ],
                "Stop": [],
            }
        },
    )

    assert check(tree)["status"] == "ok"


# The Codex channel.
@pytest.mark.parametrize(
    ("name", "place", "value", "message"),
    [
        (CODEX, "name", "other", f"{CODEX}: name: it differs from sample"),
        (CODEX, "name", REMOVED, f"{CODEX}: name: it differs from sample"),
        (CODEX, "plugins", "x", f"{CODEX}: plugins: expected a list"),
        (CODEX, "plugins", [], f"{CODEX}: plugins: module alpha is missing"),
        (CODEX, "plugins/0", None, f"{CODEX}: plugins[0]: expected an object with a text name"),
        (CODEX, "plugins/2", {"name": "beta"}, f"{CODEX}: plugins: beta does not qualify"),
        (CODEX, "plugins/2", {"name": "ghost"}, f"{CODEX}: plugins: ghost is no module"),
        (CODEX, "plugins/0/name", "alpha", f"{CODEX}: plugins[1]: alpha is listed twice"),
        (CODEX, "plugins/1/source", "./modules/alpha", f"{CODEX}: alpha: source: expected"),
        (CODEX, "plugins/1/source", REMOVED, f"{CODEX}: alpha: source: expected"),
        (CODEX, "plugins/1/source/source", "git", "alpha: source: expected"),
        (CODEX, "plugins/1/source/ref", "main", "alpha: source: expected"),
        (CODEX, "plugins/1/source/path", "modules/alpha", "alpha: source: expected"),
        (CODEX, "plugins/1/source/path", "./modules/gamma", "alpha: source: expected"),
        (CODEX, "plugins/1/source/path", ["./modules/alpha"], "alpha: source: expected"),
        (CODEX_PLUGIN, "name", "x", f"alpha: {CODEX_PLUGIN}: name: x differs"),
        (CODEX_PLUGIN, "version", REMOVED, f"alpha: {CODEX_PLUGIN}: version: "),
        (CODEX_PLUGIN, "hooks", REMOVED, f"alpha: {CODEX_PLUGIN}: hooks: expected exactly"),
        (CODEX_PLUGIN, "hooks", {}, "hooks: expected exactly"),
        (CODEX_PLUGIN, "hooks", None, "hooks: expected exactly"),
        (CODEX_PLUGIN, "hooks", {"hooks": []}, "hooks: expected exactly"),
        (CODEX_PLUGIN, "hooks", {"hooks": {"Stop": []}}, "hooks: expected exactly"),
        (CODEX_PLUGIN, "hooks", {"hooks": {}, "description": ""}, "hooks: expected exactly"),
        (CODEX_PLUGIN, "hooks", "./hooks/hooks.json", "hooks: expected exactly"),
        (CATALOGUE, "name", REMOVED, "marketplace.json: name: expected a text"),
        ("hpp.manifest.json", "modules/2/hosts/codex", "unsupported", "gamma does not qualify"),
        ("hpp.manifest.json", "modules/2/components", ["scripts"], "gamma does not qualify"),
        ("hpp.manifest.json", "modules/1/hosts/codex", "native", None),
        ("hpp.manifest.json", "modules/1/components", ["scripts", "skills"], None),
    ],
)
def test_a_codex_channel_that_disagrees_is_refused(
    tree: Path, name: str, place: str, value: object, message: str | None
) -> None:
    edit(tree, name, place, value)

    if message is None:
        assert check(tree)["codex_marketplace"] == {"checked": True, "plugins": 2}
    else:
        assert message in refusal(tree)


def test_a_module_that_comes_to_qualify_is_missing_there(tree: Path) -> None:
    edit(tree, "hpp.manifest.json", "modules/1/hosts/codex", "native")
    edit(tree, "hpp.manifest.json", "modules/1/components", ["skills"])

    assert f"{CODEX}: plugins: module beta is missing" in refusal(tree)


def test_a_codex_plugin_file_must_be_there(tree: Path) -> None:
    (tree / CODEX_PLUGIN).unlink()

    assert f"alpha: {CODEX_PLUGIN}: there is no such file" in refusal(tree)


# Files that are no object, absent folders, links.
@pytest.mark.parametrize("name", [CATALOGUE, PLUGIN, HOOKS, CODEX, CODEX_PLUGIN])
@pytest.mark.parametrize("text", ["[]", "null", "7", "{", '{"a": 1, "a": 2}', "", "\ufeff"])
def test_a_file_that_is_no_strict_object_is_named(tree: Path, name: str, text: str) -> None:
    put(tree / name, text)

    told = refusal(tree)
    assert f"{name}: " in told
    assert str(tree) not in told


@pytest.mark.parametrize("name", [PLUGIN, HOOKS, CODEX])
def test_a_file_that_is_a_folder_or_a_link_to_nothing_is_refused(tree: Path, name: str) -> None:
    (tree / name).unlink()
    (tree / name).mkdir()
    told = refusal(tree)  # Windows does not open a folder, and says which it is
    assert f"{name}: it is a folder" in told or f"{name}: it is not a regular file" in told

    (tree / name).rmdir()
    link(tree / name, tree / "absent")
    assert f"{name}: there is no such file" in refusal(tree)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
@pytest.mark.parametrize("name", [PLUGIN, HOOKS, CODEX, CODEX_PLUGIN])
def test_a_pipe_in_the_place_of_a_file_holds_nothing_up(tree: Path, name: str) -> None:
    (tree / name).unlink()
    os.mkfifo(tree / name)

    assert f"{name}: it is not a regular file" in refusal(tree)


def test_a_module_s_folder_that_is_absent_or_a_file_is_refused(tree: Path) -> None:
    shutil.rmtree(tree / "modules/beta")
    assert "beta: modules/beta: there is no such folder" in refusal(tree)

    put(tree / "modules/beta", "")
    assert "beta: modules/beta: it is not a folder" in refusal(tree)


def test_a_module_s_folder_outside_the_tree_is_refused(tree: Path) -> None:
    outside = tree.parent / "tree-2"  # its name begins like the tree's
    shutil.move(tree / "modules/beta", outside)
    link(tree / "modules/beta", outside, folder=True)

    assert "beta: modules/beta: it lies outside the distribution" in refusal(tree)


def test_a_link_inside_the_tree_and_a_tree_behind_a_link_are_sound(tree: Path) -> None:
    shutil.move(tree / "modules/beta", tree / "kept")
    link(tree / "modules/beta", tree / "kept", folder=True)
    link(tree.parent / "alias", tree, folder=True)

    assert check(tree)["status"] == "ok"
    assert check(tree.parent / "alias")["status"] == "ok"


def test_a_module_at_the_root_of_the_tree_is_inside_it(tree: Path) -> None:
    edit(tree, "hpp.manifest.json", "modules/1/path", ".")
    edit(tree, CATALOGUE, "plugins/1/source", "./")

    assert check(tree)["status"] == "ok"


def test_paths_are_compared_without_empty_and_dot_components(tree: Path) -> None:
    edit(tree, "hpp.manifest.json", "modules/0/path", "modules\\.\\alpha")
    edit(tree, CATALOGUE, "plugins/0/source", "modules//alpha/")
    edit(tree, "hpp.manifest.json", "hooks/0/script", "./hooks//guard.py")

    assert check(tree)["status"] == "ok"


def test_every_disagreement_is_told_in_one_line(tree: Path) -> None:
    for number in range(3):
        edit(tree, CATALOGUE, f"plugins/{number}/version", "9")
    (tree / CODEX_PLUGIN).unlink()

    assert refusal(tree) == (
        "marketplace.json: alpha: version: 9 differs from 1.0.0 of the manifest; "
        "marketplace.json: beta: version: 9 differs from 2.0.0 of the manifest; "
        "marketplace.json: gamma: version: 9 differs from 1.1.0 of the manifest; "
        f"alpha: {CODEX_PLUGIN}: there is no such file"
    )


def test_many_disagreements_are_counted(tree: Path) -> None:
    hooks = {f"E{n}": [{"hooks": [WATCH]}] for n in range(20)}
    put(tree / HOOKS, {"hooks": hooks})

    assert refusal(tree).endswith("E11: hooks/watch.py is wired and not declared (and 8 more)")


def test_a_manifest_of_another_name_has_its_tree_beside_it(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.rename(tree / "hpp.manifest.json", tree / "m.json")
    edit(tree, CATALOGUE, "version", "9")
    monkeypatch.chdir(tree)

    with pytest.raises(RefusedError, match="version: 9 differs"):
        check_distribution(load_manifest("m.json"), "m.json")
