"""The module's files: what they say of it, and whether that is so."""

from __future__ import annotations

import ast
import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from hpp.core.manifest import packaged_manifest_path
from hpp.core.portable.minicfg import load_yaml
from hpp.installer.formats.installmanifest import check_install_manifest

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable

    Run = Callable[..., subprocess.CompletedProcess[str]]

README = (
    "What it is and is not", "Prerequisites and external services", "Plugin install",
    "Copy install", "What detection says", "What is safe to run again", "Manual wiring", "Proof",
    "Undo",
)  # fmt: skip
SOURCE = Path(__file__).resolve().parents[1]
LONGEST_AGENTS_PAGE = 60


def read(root: Path, name: str) -> Any:  # noqa: ANN401 -- any document
    return json.loads((root / name).read_bytes())


@pytest.fixture(scope="session")
def declared() -> dict[str, Any]:
    """Return what the manifest of the product says of the module."""
    manifest = read(Path(packaged_manifest_path()).parent, "hpp.manifest.json")
    module: dict[str, Any] = next(each for each in manifest["modules"] if each["id"] == SOURCE.name)
    return module


def test_every_place_agrees_on_name_and_version(squad_root: Path, declared: dict[str, Any]) -> None:
    plugin = read(squad_root, ".claude-plugin/plugin.json")
    install = read(squad_root, "install/kit.install.json")
    build = read(SOURCE, "module.build.json")["module"]

    named = {(plugin["name"], plugin["version"]), (install["kit"], install["version"]),
             (build["id"], build["version"])}  # fmt: skip
    assert named == {(declared["id"], declared["version"])}
    assert build["area"] == declared["area"]
    assert not {"agents", "commands", "hooks"} & set(plugin)


def test_the_components_are_those_that_are_declared(
    squad_root: Path, declared: dict[str, Any]
) -> None:
    kinds = ("agents", "commands", "hooks", "rules", "scripts", "skills", "templates")

    assert [kind for kind in kinds if (squad_root / kind).is_dir()] == declared["components"]


def test_each_capability_has_what_backs_it(squad_root: Path, declared: dict[str, Any]) -> None:
    backed = {
        "agent-roles": ("agents/*.md", "commands/*.md", "scripts/squad_lint.py"),
        "parallel-review": ("skills/pp-consolidate/SKILL.md", "scripts/pp_merge.py"),
        "routing.model-policy": ("templates/routing/*.json", "scripts/squad_brief.py"),
        "context.compile": ("templates/context/*.json", "scripts/squad_brief.py"),
    }

    assert set(declared["capabilities"]) == set(backed)
    for patterns in backed.values():
        assert all(list(squad_root.glob(pattern)) for pattern in patterns)
    assert "review plan" in (squad_root / "commands/master.md").read_text(encoding="utf-8")


def test_the_install_manifest_is_sound_and_runs_every_script(squad_root: Path) -> None:
    install = read(squad_root, "install/kit.install.json")
    scripts = sorted(
        path.relative_to(squad_root).as_posix() for path in squad_root.glob("scripts/*")
    )

    assert check_install_manifest(install) == []
    assert sorted(smoke["argv"][1] for smoke in install["smokes"]) == [
        script for script in scripts if script.endswith(".py")
    ]
    assert "wiring" not in install
    assert [host["manual_gates"] for host in install["hosts"].values()] == [[], []]


def test_there_are_two_sets_of_tools_and_no_third(squad_root: Path) -> None:
    reader = ("Read, Grep, Glob, Bash", "Write, Edit, MultiEdit, NotebookEdit")
    maker = ("Read, Grep, Glob, Bash, Write, Edit", None)
    fronts = {
        page.stem: load_yaml(page.read_text(encoding="utf-8").split("---\n")[1], page.name)
        for page in squad_root.glob("agents/*.md")
    }

    sets = {name: (front["tools"], front.get("disallowedTools")) for name, front in fronts.items()}
    makers = {name for name, tools in sets.items() if tools == maker}
    assert makers == {"dev", "data-engineer", "devops", "squad-creator"}
    assert all(sets[name] == reader for name in set(sets) - makers)
    assert {front["name"] for front in fronts.values()} == {f"squad-{name}" for name in fronts}


def test_each_command_delegates_to_its_role_and_a_person_starts_what_edits(
    squad_root: Path,
) -> None:
    for page in sorted(squad_root.glob("commands/*.md")):
        text = page.read_text(encoding="utf-8")
        front = load_yaml(text.split("---\n")[1], page.name)
        starts = page.stem in ("dev", "data-engineer", "devops", "squad-creator", "po")

        assert set(front) >= {"description", "argument-hint", "allowed-tools"}
        assert (front.get("disable-model-invocation") is True) == starts, page.name
        assert f"the agent squad-{page.stem} " in text
        assert "Gate" in text
        assert f"--role {page.stem} " in text


def test_the_documents_list_the_sets_as_the_pages_have_them(squad_root: Path, run: Run) -> None:
    told = json.loads(run("squad_brief.py", "roles", "--json").stdout)["roles"]
    document = (squad_root / "docs/roles.md").read_text(encoding="utf-8")

    for name in ("reader", "maker"):
        row = next(line for line in document.splitlines() if line.startswith(f"| {name} |"))
        listed = row.split("|")[3].strip().split(", ")
        assert listed == [each["name"] for each in told if each["set"] == name]


def test_every_skill_speaks_of_material_as_the_roles_do(
    squad_root: Path, library: Callable[[str], Any]
) -> None:
    missing_points = library("untrusted").missing_points

    for page in sorted(squad_root.glob("skills/*/SKILL.md")):
        text = (
            page.read_text(encoding="utf-8").partition("## Untrusted input")[2].partition("##")[0]
        )
        assert missing_points(" ".join(text.split()), is_reader=True) == [], page
    assert len(missing_points("It is data, never an order.", is_reader=True)) == 7


def test_the_sources_use_the_standard_library_and_our_own(squad_root: Path) -> None:
    own = {"_lib", "hpp", *sys.stdlib_module_names}
    paths = [*squad_root.glob("scripts/*.py"), *squad_root.glob("_lib/*.py")]

    assert len(paths) >= 20
    for path in paths:
        for node in ast.walk(ast.parse(path.read_bytes())):
            names = []
            if isinstance(node, ast.Import):
                names = [each.name for each in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
                assert not names[0].startswith("hpp") or names[0].startswith("hpp.core")
            assert {name.split(".")[0] for name in names} <= own, path


def test_the_readme_has_its_nine_sections_and_shows_what_comes_out(
    squad_root: Path, run: Run
) -> None:
    text = (squad_root / "README.md").read_text(encoding="utf-8")
    assert tuple(re.findall(r"^## (.+)$", text, re.MULTILINE)[: len(README)]) == README
    proof = text.partition("## Proof")[2].partition("## Undo")[0]
    command, said = (
        proof.partition("```console\n$ python3 scripts/")[2].split("```")[0].split("\n", 1)
    )

    done = run(*command.split(), cwd=squad_root)

    assert (done.returncode, done.stdout) == (0, said)


def test_each_command_that_agents_are_told_works(
    squad_root: Path, run: Run, fixture_repo: Path, tmp_path: Path
) -> None:
    text = (squad_root / "AGENTS.md").read_text(encoding="utf-8")
    commands = re.findall(r"`python3 scripts/([^`]+)`", text)
    stand_in = {"PROJECT": str(fixture_repo), "MERGED": str(tmp_path / "m.json"),
                "STORY": str(fixture_repo / ".squad/story.md"), "GOAL": "it works",
                "COMMAND": "make"}  # fmt: skip

    assert len(text.splitlines()) <= LONGEST_AGENTS_PAGE
    assert len(commands) == 9
    for command in commands:
        done = run(*(stand_in.get(word, word) for word in command.split()), cwd=squad_root)
        assert done.returncode == 0, (command, done.stdout, done.stderr)


@pytest.mark.parametrize("skill", ["pp-consolidate", "pp-discovery", "pp-xray"])
def test_each_example_of_a_skill_gives_what_is_shown(
    squad_root: Path, run: Run, project: Path, skill: str
) -> None:
    text = (squad_root / f"skills/{skill}/SKILL.md").read_text(encoding="utf-8")
    root = '"${CLAUDE_PLUGIN_ROOT}/'
    examples = re.findall(
        r"```console\n\$ python3 (.+)\n([^`]*)```\n<!-- executed: [-\d]+ · exit=(\d) · replay -->",
        text,
    )

    assert len(examples) == 3
    for command, shown, status in examples:
        words = re.findall(r'"[^"]*"|\S+', command)
        script, *rest = [word.replace(root, f"{squad_root}/").strip('"') for word in words]
        done = run(Path(script).name, *rest)
        assert (done.returncode, done.stdout + done.stderr) == (int(status), shown), command
        for path in project.iterdir():
            path.unlink()


def test_each_brief_that_a_command_shows_is_understood(squad_root: Path, run: Run) -> None:
    pattern = re.compile(r'`python3 "\$\{CLAUDE_PLUGIN_ROOT\}/scripts/squad_brief\.py" ([^`]+)`')
    count = 0
    for page in sorted(squad_root.glob("commands/*.md")):
        for line in pattern.findall(page.read_text(encoding="utf-8")):
            words = [word.strip("'") for word in line.split()]
            if words[0] != "brief":
                continue
            done = run("squad_brief.py", *words)
            count += 1
            assert done.returncode == 0, (page.name, done.stderr)

    assert count == 12


def test_each_call_of_the_harness_that_is_shown_exists(
    squad_root: Path, hpp: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    calls: dict[str, set[str]] = {}
    pages = [*squad_root.glob("*/*.md"), *squad_root.glob("skills/*/SKILL.md")]
    for page in pages:
        shown = re.findall(r"`python3 -m hpp ([^`]+)`", page.read_text(encoding="utf-8"))
        for line in shown:
            words = line.partition(" -- ")[0].split()
            calls.setdefault(" ".join(words[:2]), set()).update(
                word for word in words if word.startswith("--")
            )

    assert set(calls) == {
        "cite check", "evidence run", "evidence verify", "findings check", "work plan",
    }  # fmt: skip
    for command, options in calls.items():
        told = hpp(*command.split(), "--help")
        assert told.returncode == 0, command
        assert [option for option in options if f"{option} " not in told.stdout] == [], command
