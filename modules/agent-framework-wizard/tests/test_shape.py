"""The module's files: what they say of it, and whether that is so."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from hpp.core.fault import Faults
from hpp.core.manifest import packaged_manifest_path
from hpp.core.portable.minicfg import load_yaml
from hpp.core.portable.skillcommand import lint_skill
from hpp.installer.formats.installmanifest import check_install_manifest
from hpp.installer.formats.question import question_faults

if TYPE_CHECKING:
    from collections.abc import Callable

    Run = subprocess.CompletedProcess[bytes]
    Wizard = Callable[..., tuple[int, dict[str, Any]]]

README = (
    "What it is and is not", "Prerequisites and external services", "Plugin install",
    "Copy install", "What detection says", "What is safe to run again", "Manual wiring", "Proof",
    "Undo",
)  # fmt: skip
SOURCE = Path(__file__).resolve().parents[1]


def read(root: Path, name: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((root / name).read_bytes())
    return document


@pytest.fixture(scope="session")
def declared() -> dict[str, Any]:
    """Return what the manifest of the product says of the module."""
    manifest = json.loads(Path(packaged_manifest_path()).read_bytes())
    module: dict[str, Any] = next(each for each in manifest["modules"] if each["id"] == SOURCE.name)
    return module


def test_every_place_agrees_on_name_and_version(
    wizard_root: Path, declared: dict[str, Any]
) -> None:
    plugin = read(wizard_root, ".claude-plugin/plugin.json")
    install = read(wizard_root, "install/kit.install.json")
    build = read(SOURCE, "module.build.json")["module"]

    named = {(plugin["name"], plugin["version"]), (install["kit"], install["version"]),
             (build["id"], build["version"])}  # fmt: skip
    assert named == {(declared["id"], declared["version"])}
    assert build["area"] == declared["area"]


def test_the_components_are_those_that_are_declared(
    wizard_root: Path, declared: dict[str, Any]
) -> None:
    kinds = ("agents", "commands", "hooks", "rules", "scripts", "skills", "templates")

    assert [kind for kind in kinds if (wizard_root / kind).is_dir()] == declared["components"]


def test_the_channels_are_those_of_the_coverage(
    wizard_root: Path, declared: dict[str, Any]
) -> None:
    channels = {"native": "plugin", "explicit-command": "copy", "unsupported": "unsupported"}
    hosts = read(wizard_root, "install/kit.install.json")["hosts"]

    assert {host: entry["channel"] for host, entry in hosts.items()} == {
        host: channels[coverage] for host, coverage in declared["hosts"].items()
    }


def test_the_installer_accepts_the_questions_and_the_install_manifest(
    run: Callable[..., Run], wizard_root: Path
) -> None:
    document = json.loads(run("wizard.py", "--interview").stdout)
    found = Faults(document)

    for number, question in enumerate(document["questions"]):
        question_faults(found, question, ("questions", number))

    assert found.in_order() == []
    assert check_install_manifest(read(wizard_root, "install/kit.install.json")) == []


@pytest.mark.parametrize("script", ["wizard.py", "scripts/agent_check.py"])
def test_each_script_checks_itself_and_leaves_the_folder(
    run: Callable[..., Run], out: Path, script: str
) -> None:
    done = run(script, "--self-test", cwd=out)

    assert done.returncode == 0, done.stdout
    assert done.stdout.splitlines()[-1].endswith(b" 0 failed")
    assert list(out.iterdir()) == []


def test_every_template_lists_its_placeholders_exactly(wizard_root: Path) -> None:
    templates = sorted((wizard_root / "templates").rglob("*.template.md"))

    assert len(templates) == 5
    for path in templates:
        first, _, body = path.read_text(encoding="utf-8").partition("\n")
        listed = first.removeprefix("<!-- placeholders: ").removesuffix(" -->").split(", ")
        assert listed == sorted(set(re.findall(r"\{\{(\w+)\}\}", body))), path


def test_the_state_document_has_the_headings_that_programs_read(wizard: Wizard, out: Path) -> None:
    wizard("--demo", "--apply")

    text = (out / "docs/plans/execution/00-STATE.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (.+)$", text, re.MULTILINE) == ["Now", "OPEN ITEMS", "Log"]


def test_the_profile_is_read_by_the_one_reader(wizard: Wizard, out: Path) -> None:
    wizard("--demo", "--apply")

    profile = load_yaml((out / "operator-profile.yaml").read_text(), "operator-profile.yaml")
    assert profile == {
        "project": "my-agent",
        "language": "en",
        "paths": {
            "state_doc": "docs/plans/execution/00-STATE.md",
            "boot_doc": "docs/plans/execution/00-READ-FIRST.md",
        },
    }


def test_the_skill_passes_its_lint_its_proof_and_its_examples(wizard_root: Path) -> None:
    import datetime as dt

    folder = wizard_root / "skills/agent-framework-scaffold"

    found = lint_skill(str(folder), dt.date(2026, 12, 2), proofs=True, replay=True)

    assert [(each.rule, each.message) for each in found] == []


def test_the_command_waits_for_a_person(wizard_root: Path) -> None:
    text = (wizard_root / "commands/agent-scaffold.md").read_text(encoding="utf-8")
    front = load_yaml(text.split("---\n")[1], "command")

    assert front["disable-model-invocation"] is True
    assert set(front) >= {"description", "argument-hint", "allowed-tools"}
    assert "Wait for a yes" in text


def test_the_readme_has_its_nine_sections_and_shows_what_comes_out(
    wizard_root: Path, wizard: Wizard, run: Callable[..., Run], out: Path
) -> None:
    text = (wizard_root / "README.md").read_text(encoding="utf-8")
    assert tuple(re.findall(r"^## (.+)$", text, re.MULTILINE)[: len(README)]) == README
    proof = text.partition("## Proof")[2].partition("## Undo")[0]
    command, said = proof.partition("```console\n$ python3 ")[2].split("```")[0].split("\n", 1)
    wizard("--demo", "--apply")

    script, path = command.split()
    done = run(script, path.replace("PROJECT", str(out)))

    assert (done.returncode, done.stdout.decode()) == (0, said)


def test_each_command_that_agents_are_told_works(
    wizard_root: Path, wizard: Wizard, run: Callable[..., Run], out: Path
) -> None:
    text = (wizard_root / "AGENTS.md").read_text(encoding="utf-8")
    commands = re.findall(r"`python3 ([^`]+)`", text)
    wizard("--demo", "--apply")
    stand_in = {"DIR": str(out), "AGENTS": str(out / ".claude/agents"),
                "answers.example.json": str(wizard_root / "answers.example.json")}  # fmt: skip

    assert len(commands) == 6
    for command in commands:
        script, *words = command.split()
        done = run(script, *(stand_in.get(word, word) for word in words))
        assert done.returncode == 0, (command, done.stdout, done.stderr)


def test_control_a_template_with_another_list_is_refused(wizard_root: Path, tmp_path: Path) -> None:
    import shutil
    import sys

    copied = tmp_path / "module"
    shutil.copytree(wizard_root, copied)
    state = copied / "templates/00-STATE.template.md"
    state.write_text(state.read_text().replace("lane_rule, ", "", 1))

    done = subprocess.run(
        [sys.executable, copied / "wizard.py", "--demo", "--out", tmp_path / "out"],
        capture_output=True, timeout=60, check=False,
    )  # fmt: skip

    assert done.returncode == 3
    assert b"placeholders is not exact" in done.stderr
