"""kit-forge as it is emitted: alone, on the standard library, it does what hpp does."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from hpp.installer.command import main

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable

    Run = subprocess.CompletedProcess[str]
    Script = Callable[..., Run]

REPOSITORY = Path(__file__).resolve().parents[3]
SCRIPTS = (
    "kit_doctor.py", "scripts/kit_assembler.py", "scripts/publish_lint.py",
    "scripts/wire_settings.py", "scripts/install_git_hook.py", "scripts/skill_lint.py",
    "scripts/codex_channel.py", "scripts/catalog.py",
)  # fmt: skip
SECTIONS = (
    "What it is and is not", "Prerequisites and external services", "Plugin install",
    "Copy install", "What detection says", "What is safe to run again", "Manual wiring",
    "Proof", "Undo",
)  # fmt: skip


def tree(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.mark.parametrize("name", SCRIPTS)
def test_every_script_checks_itself_and_leaves_the_module_alone(
    module_root: Path, script: Script, name: str
) -> None:
    before = tree(module_root)

    done = script(name, "--self-test")

    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1].endswith("checks, 0 failed")
    assert tree(module_root) == before


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_word_that_nothing_knows_ends_in_3(script: Script, name: str) -> None:
    done = script(name, "--unheard-of")

    assert done.returncode == 3
    assert "Traceback" not in done.stderr


def test_a_smoke_is_declared_for_every_script(module_root: Path) -> None:
    install = json.loads((module_root / "install/kit.install.json").read_bytes())

    assert {smoke["argv"][1] for smoke in install["smokes"]} == set(SCRIPTS)


def test_it_installs_itself_and_goes_without_a_trace(
    module_root: Path, script: Script, tmp_path: Path
) -> None:
    target = tmp_path / "project"
    target.mkdir()
    (target / "AGENTS.md").write_text("mine\n")
    before = tree(target)
    where = ["--target", str(target), "--host", "codex"]
    install = ["install", "--kit", str(module_root), *where, "--no-smoke"]

    planned = script("kit_doctor.py", *install)
    assert tree(target) == before
    assert planned.returncode in (0, 1), planned.stdout
    applied = script("kit_doctor.py", *install, "--apply")
    assert applied.returncode in (0, 1), applied.stdout
    copy = target / ".agents/hpp/kit-forge"
    assert tree(copy) == tree(module_root)
    assert script("kit_doctor.py", "verify", str(copy)).returncode == 0
    removed = script("kit_doctor.py", "uninstall", "--module", "kit-forge", *where, "--apply")
    assert removed.returncode == 0, removed.stdout
    assert tree(target) == before


def test_it_emits_what_the_program_emits(
    script: Script, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    words = ["--module", "kit-forge", "--root", str(REPOSITORY), "--apply", "--out"]
    ours = main(["forge", *words, str(tmp_path / "ours")])
    report = capfd.readouterr().out

    done = script("scripts/kit_assembler.py", *words, str(tmp_path / "theirs"))

    assert (done.returncode, done.stdout) == (ours, report)
    assert tree(tmp_path / "theirs") == tree(tmp_path / "ours")


def test_every_vendored_copy_equals_its_source(module_root: Path) -> None:
    vendor = module_root / "_vendor"
    copies = [path for path in vendor.rglob("*") if path.is_file()]

    assert len(copies) > 50
    for copy in copies:
        (source,) = REPOSITORY.glob(f"packages/*/src/{copy.relative_to(vendor).as_posix()}")
        assert copy.read_bytes() == source.read_bytes()


def test_one_changed_byte_is_seen_before_anything_runs(
    module_root: Path, script: Script, tmp_path: Path
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(module_root, copy)
    with (copy / "kit_doctor.py").open("ab") as stream:
        stream.write(b"\n")

    assert script("kit_doctor.py", "verify", str(module_root)).returncode == 0
    assert script("kit_doctor.py", "verify", str(copy)).returncode == 2


def test_the_templates_validate_as_they_are(module_root: Path) -> None:
    from hpp.installer.forge.buildmanifest import build_manifest_faults
    from hpp.installer.forge.publishrule import publish_rule_faults
    from hpp.installer.formats.installmanifest import check_install_manifest

    for name, faults in (
        ("module.build.example.json", build_manifest_faults),
        ("publish-rules.example.json", publish_rule_faults),
        ("kit.install.json", check_install_manifest),
    ):
        document = json.loads((module_root / "templates" / name).read_bytes())
        assert faults(document) == []
        document["extra"] = 1
        assert faults(document) != []


@pytest.mark.parametrize("name", ["README.md", "templates/README.install.md"])
def test_the_sections_of_a_readme_come_in_their_order(module_root: Path, name: str) -> None:
    lines = (module_root / name).read_text(encoding="utf-8").splitlines()
    titles = [line.removeprefix("## ") for line in lines if line.startswith("## ")]

    assert tuple(titles[: len(SECTIONS)]) == SECTIONS


def test_the_readme_quotes_what_the_script_prints(module_root: Path, script: Script) -> None:
    text = (module_root / "README.md").read_text(encoding="utf-8")
    block = text.split("```console\n", 1)[1].split("```", 1)[0]
    command, quoted = block.split("\n", 1)

    words = command.removeprefix("$ python3 ").split()
    assert script(*words).stdout == quoted
