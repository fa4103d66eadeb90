"""The module's files: what they say of it, and whether that is so."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from hpp.core.manifest import packaged_manifest_path
from hpp.installer.formats.installmanifest import check_install_manifest

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable

    Run = subprocess.CompletedProcess[bytes]

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
    hooks = [each for each in manifest["hooks"] if each["module"] == SOURCE.name]
    return {**module, "declared_hooks": hooks}


def test_every_place_agrees_on_name_and_version(
    module_root: Path, declared: dict[str, Any]
) -> None:
    plugin = read(module_root, ".claude-plugin/plugin.json")
    install = read(module_root, "install/kit.install.json")
    build = read(SOURCE, "module.build.json")["module"]

    named = {(plugin["name"], plugin["version"]), (install["kit"], install["version"]),
             (build["id"], build["version"])}  # fmt: skip
    assert named == {(declared["id"], declared["version"])}
    assert build["area"] == declared["area"]
    assert "hooks" not in plugin


def test_what_is_wired_is_what_is_declared(module_root: Path, declared: dict[str, Any]) -> None:
    wired = {
        (event, re.findall(r'ROOT}/(hooks/\w+\.py)"', entry["command"])[0])
        for event, groups in read(module_root, "hooks/hooks.json")["hooks"].items()
        for group in groups
        for entry in group["hooks"]
    }

    assert wired == {
        (event, hook["script"]) for hook in declared["declared_hooks"] for event in hook["events"]
    }
    assert all((module_root / script).is_file() for _, script in wired)


def test_the_components_are_those_that_are_declared(
    module_root: Path, declared: dict[str, Any]
) -> None:
    kinds = ("agents", "commands", "hooks", "rules", "scripts", "skills", "templates")

    assert [kind for kind in kinds if (module_root / kind).is_dir()] == declared["components"]


def test_the_channels_are_those_of_the_coverage(
    module_root: Path, declared: dict[str, Any]
) -> None:
    channels = {"native": "plugin", "explicit-command": "copy", "unsupported": "unsupported"}
    hosts = read(module_root, "install/kit.install.json")["hosts"]

    assert {host: entry["channel"] for host, entry in hosts.items()} == {
        host: channels[coverage] for host, coverage in declared["hosts"].items()
    }
    assert check_install_manifest(read(module_root, "install/kit.install.json")) == []
    assert not (module_root / "install/codex-hooks.json").exists()
    assert not (module_root / ".codex-plugin").exists()


def test_every_executable_script_has_a_smoke(module_root: Path) -> None:
    smokes = read(module_root, "install/kit.install.json")["smokes"]
    tested = {smoke["argv"][1] for smoke in smokes if smoke["argv"][2:] == ["--self-test"]}

    scripts = {f"scripts/{path.name}" for path in (module_root / "scripts").glob("*.py")}
    assert tested == scripts | {"hooks/secret_scan_on_write.py"}


def test_the_readme_has_its_nine_sections_in_order(module_root: Path) -> None:
    text = (module_root / "README.md").read_text(encoding="utf-8")
    titles = re.findall(r"^## (.+)$", text, re.MULTILINE)

    assert tuple(titles[: len(README)]) == README


def test_the_readme_shows_what_really_comes_out(module_root: Path, run: Callable[..., Run]) -> None:
    text = (module_root / "README.md").read_text(encoding="utf-8")
    block = text.partition("## Proof")[2].partition("```console\n")[2].partition("```")[0]
    shown: dict[str, list[str]] = {}
    for line in block.splitlines():
        if line.startswith("$ "):
            command = line[2:]
            shown[command] = []
        else:
            shown[command].append(line)

    assert len(shown) == 3
    for command, lines in shown.items():
        _, script, word = command.split()
        done = run(script, word, cwd=module_root)
        said = done.stdout.decode().replace(module_root.name, SOURCE.name).splitlines()
        assert (done.returncode, said) == (0, lines), command


def test_the_block_of_the_readme_is_what_the_patcher_writes(
    module_root: Path, run: Callable[..., Run], project: Path
) -> None:
    text = (module_root / "README.md").read_text(encoding="utf-8")
    block = json.loads(text.partition("```json\n")[2].partition("```")[0])
    spec = module_root / "docs/examples/wiring-spec.json"

    run("scripts/wire_settings.py", "--target", "settings.json", "--spec", spec, "--apply")

    assert read(project, "settings.json") == block


def test_every_text_file_is_utf_8_with_line_feeds(module_root: Path) -> None:
    for path in module_root.rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            data = path.read_bytes()
            data.decode("utf-8")
            assert b"\r" not in data, path


def test_control_a_module_without_its_skills_would_be_seen(
    module_root: Path, declared: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / "hooks").mkdir()
    (tmp_path / "scripts").mkdir()

    with pytest.raises(AssertionError):
        test_the_components_are_those_that_are_declared(tmp_path, declared)
    assert (module_root / "skills").is_dir()


def test_each_command_that_agents_are_told_works(
    module_root: Path, run: Callable[..., Run], git: Callable[..., Run], project: Path
) -> None:
    text = (module_root / "AGENTS.md").read_text(encoding="utf-8")
    commands = re.findall(r"`python3 ([^`]+)`", text)
    git(project, "init", "-q")
    (project / "FILE").write_text("{}\n")
    stand_in = {
        "FILE": "FILE", "DIR": str(module_root), "HOOK": str(module_root / "docs/hook-template.py"),
        "skills": str(module_root / "skills"),
        "hooks/pre-commit-secret-scan.sh": str(module_root / "hooks/pre-commit-secret-scan.sh"),
    }  # fmt: skip

    assert len(commands) == 7
    for command in commands:
        script, *words = command.split()
        words = [stand_in.get(word, word) for word in words]
        if "--spec" in words:
            words[-1] = str(module_root / "docs/examples/wiring-spec.json")
        words += ["--today", "2026-12-02"] if "--all" in words else []
        words += ["--max-seconds", "20"] if "--event" in words else []
        done = run(script, *words)
        assert done.returncode == 0, (command, done.stdout, done.stderr)
