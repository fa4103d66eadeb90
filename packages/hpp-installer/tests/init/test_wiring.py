"""Lines to paste: which ones, for which host, and what each placeholder is."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from hpp.core.manifest import packaged_manifest_path
from hpp.installer.command import main
from hpp.installer.kit import fixture
from hpp.installer.stage import STAGES
from hpp.installer.wiring import is_to_paste

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Init = Callable[..., tuple[int, dict[str, Any]]]

TREE = ("--manifest", "dist/hpp.manifest.json")
KIT_FORGE = (
    'hpp kit install --kit "<distribution>/installers/kit-forge-0.1.0" --host claude-code '
    '--target "t" --apply'
)
NATIVE = ["operator-kit", "lane-kit", "continuity-kit", "health-kit", "gotcha-memory"]


def wired(init: Init, *words: str) -> dict[str, Any]:
    _, report = init(*words)
    stage = report["stages"][STAGES.index("wire-suggest")]
    detail: dict[str, Any] = stage["detail"]
    pasted = [line for line in detail["lines"] if is_to_paste(line)]
    if "--decision-advisor" not in words:
        assert stage["summary"] == f"{len(pasted)} lines to paste, 0 files written"
    assert detail["lines"][-1].startswith("# command policy as configured: hpp policy check --mode")
    return {**detail, "pasted": pasted, "comments": "\n".join(detail["lines"])}


@pytest.mark.usefixtures("project")
def test_claude_gets_plugins_and_one_line_for_every_other_module(init: Init) -> None:
    detail = wired(init)

    assert detail["pasted"] == [
        "/plugin marketplace add <owner>/<repository>",
        *(f"/plugin install {name}@house-party-protocol" for name in NATIVE),
        KIT_FORGE,
    ]
    assert detail["installer_present"] is False
    for told in ("# <distribution>", "# <owner>/<repository>", ".claude/settings.local.json"):
        assert told in detail["comments"]


@pytest.mark.usefixtures("project")
def test_codex_gets_skills_once_and_a_line_for_every_module(init: Init) -> None:
    detail = wired(init, "--host", "codex")

    skills = [line for line in detail["pasted"] if line.startswith("codex plugin")]
    assert skills[0] == 'codex plugin marketplace add "<owner>/<repository>"'
    assert skills[1:] == [f"codex plugin add {name}@house-party-protocol" for name in NATIVE]
    copies = [line for line in detail["pasted"] if line.startswith("hpp kit install")]
    assert len(copies) == 6
    assert all(' --host codex --target "t" --apply' in line for line in copies)
    for told in (".agents/skills", ".agents/hpp/<module>", "AGENTS.md", "install/codex-hooks.json",
                 ".codex/hooks.json", "trust questions", "stay off"):  # fmt: skip
        assert told in detail["comments"]
    assert detail["settings_path"] is None
    assert detail["manual_gates"] == ["hooks"]


@pytest.mark.usefixtures("project", "tree")
def test_beside_an_emitted_tree_every_path_is_there(init: Init, workplace: Path) -> None:
    detail = wired(init, *TREE, "--host", "codex")

    copies = [line for line in detail["pasted"] if line.startswith("python ")]
    assert len(copies) == 6
    for line in copies:
        for path in line.split('"')[1:4:2]:
            assert (workplace / path).exists(), line
    assert detail["installer"] == "dist/installers/kit-forge-0.1.0/kit_doctor.py"
    assert detail["installer_present"] is True
    assert "codex plugin marketplace add o/r" in detail["pasted"]
    assert "<distribution>" not in detail["comments"]


@pytest.mark.usefixtures("project")
def test_a_tree_that_is_found_is_named_from_the_working_folder(
    init: Init, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tree / "t").mkdir()
    monkeypatch.chdir(tree)
    assert wired(init, "--host", "codex")["installer"].startswith("installers/")

    (tree / "deep/t").mkdir(parents=True)
    monkeypatch.chdir(tree / "deep")
    assert wired(init, "--host", "codex")["installer"].startswith("../installers/")


@pytest.mark.usefixtures("project")
def test_sources_are_no_distribution(init: Init, tree: Path) -> None:
    for folder in [*tree.glob("*/*-0.1.0")]:
        (folder / "module.build.json").write_bytes(b"{}")
        (folder / "CHECKSUMS.txt").unlink()

    detail = wired(init, *TREE, "--host", "codex")

    assert detail["installer_present"] is False
    assert (
        'hpp kit install --kit "<distribution>/multi-session/lane-kit-0.1.0"'
        in (detail["comments"])
    )


@pytest.mark.usefixtures("project")
def test_a_given_marketplace_is_used_as_it_is_typed(init: Init) -> None:
    detail = wired(init, "--marketplace", "me/mirror")

    assert detail["pasted"][0] == "/plugin marketplace add me/mirror"
    assert "<owner>" not in detail["comments"]


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("declared", ["--config=x", " -x", "", "  ", 7, None])
def test_a_repository_that_is_none_is_a_placeholder(
    init: Init, tree: Path, declared: object
) -> None:
    path = tree / "marketplace.json"
    catalogue = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**catalogue, "repository": declared}), encoding="utf-8")

    assert wired(init, *TREE)["pasted"][0] == "/plugin marketplace add <owner>/<repository>"


@pytest.mark.usefixtures("project")
def test_the_hook_table_has_a_row_for_each_hook_of_the_chosen(init: Init) -> None:
    rows = wired(init, "--modules", "lane-kit,agent-framework-wizard")["hook_capabilities"]

    assert [row["id"].partition("/")[0] for row in rows] == ["lane-kit"] * 3
    assert all(row["events"] and row["capabilities"] for row in rows)
    assert wired(init, "--modules", "kit-forge,supabase-pack")["hook_capabilities"] == []


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize(
    ("advisor", "told"),
    [
        ("typesafe", "TYPESAFE_API_KEY"),
        ("openrouter", "OPENROUTER_API_KEY"),
        ("compatible", "ADVISOR_ENDPOINT"),
    ],
)
def test_an_advisor_adds_a_block_that_is_not_counted(
    init: Init, monkeypatch: pytest.MonkeyPatch, advisor: str, told: str
) -> None:
    monkeypatch.setenv("TYPESAFE_API_KEY", "k-from-the-environment")
    monkeypatch.setenv("OPENROUTER_API_KEY", "k-from-the-environment")
    plain = wired(init)
    detail = wired(init, "--decision-advisor", advisor)

    added = [line for line in detail["lines"] if line not in plain["lines"]]
    evals = [line for line in added if line.startswith("hpp decide eval ")]
    assert len(evals) == 2
    assert "baseline_decider.py" in evals[0]
    assert "decide.py" in evals[1]
    assert evals[0].split('"')[1] == evals[1].split('"')[1]
    assert any(line.startswith("hpp decide validate") for line in added)
    assert any(told in line and is_to_paste(line) for line in added)
    assert "k-from-the-environment" not in "".join(added)
    assert any("stores no key" in line for line in added)
    assert not any("decide" in line for line in plain["lines"])


@pytest.mark.usefixtures("project")
def test_control_names_of_a_hostile_manifest_end_no_line(init: Init, tree: Path) -> None:
    path = tree / "hpp.manifest.json"
    text = path.read_text(encoding="utf-8").replace(
        '"name": "house-party-protocol"', json.dumps("name") + ': "x\\nrm -rf ~; $(id) `id`"'
    )
    path.write_text(text, encoding="utf-8")
    (tree / "marketplace.json").unlink()

    for host in ("claude-code", "codex"):
        detail = wired(init, *TREE, "--host", host)
        assert not any("\n" in line for line in detail["lines"])
        assert not any(line.startswith("rm") for line in detail["lines"])
        for line in detail["pasted"]:
            if line.startswith("codex plugin add"):
                assert "\\$(id) \\`id\\`" in line


@pytest.fixture
def demo(workplace: Path) -> Path:
    """Write a distribution of one module that can be installed; return its manifest."""
    root = workplace / "a demo"
    files = fixture.sealed_files(fixture.module_files("0.1.0"))
    folder = type(workplace)(fixture.write_distribution(str(root), files, "0.1.0"))
    with open(packaged_manifest_path(), encoding="utf-8") as stream:
        document = json.load(stream)
    module = {
        "id": fixture.ID,
        "version": "0.1.0",
        "area": folder.parent.name,
        "path": folder.relative_to(root).as_posix(),
        "capabilities": ["greet"],
        "requires": [],
        "integrates_with": [],
        "hosts": {"claude-code": "native", "codex": "explicit-command"},
        "components": ["agents", "commands", "hooks", "scripts", "skills"],
    }
    hook = {**document["hooks"][1], "id": f"{fixture.ID}/guard", "module": fixture.ID}
    document["modules"] = [module]
    document["hooks"] = [{**hook, "script": "hooks/guard.py", "events": ["PreToolUse"]}]
    document["bundles"] = {"one": {"modules": [fixture.ID], "capabilities": ["greet"]}}
    (root / "hpp.manifest.json").write_text(json.dumps(document), encoding="utf-8")
    return root / "hpp.manifest.json"


@pytest.mark.usefixtures("demo")
def test_the_line_for_a_module_installs_it(init: Init, project: Path) -> None:
    import shlex

    words = ("--manifest", "a demo/hpp.manifest.json", "--host", "codex")
    _, report = init(*words)
    lines = report["stages"][STAGES.index("wire-suggest")]["detail"]["lines"]
    (line,) = [each for each in lines if each.startswith("hpp kit install")]
    assert report["readiness"]["failed"] == 0
    assert list(project.iterdir()) == []

    assert main([*shlex.split(line)[1:], "--no-smoke"]) in (0, 1)  # a warning: no proof ran

    assert (project / f".agents/hpp/{fixture.ID}/CHECKSUMS.txt").is_file()
