"""The module's files: what they say of it, and whether that is so."""

from __future__ import annotations

import ast
import json
import re
import shlex
import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import hpp.core
from hpp.core.manifest import packaged_manifest_path

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable

    Run = subprocess.CompletedProcess[bytes]

README = (
    "What it is and is not", "Prerequisites and external services", "Plugin install",
    "Copy install", "What detection says", "What is safe to run again", "Manual wiring", "Proof",
    "Undo", "What installs where", "Configuration", "Commands", "State", "Limits",
)  # fmt: skip
SOURCE = Path(__file__).resolve().parents[1]
LIBRARY = Path(hpp.core.__file__).parents[2]
WRITES = frozenset({"atomic_write", "append_jsonl", "state_dir", "append"})
NETWORK = frozenset({"subprocess", "socket", "ssl", "http", "asyncio", "_posixsubprocess"})


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


def closure(root: Path, entry: str) -> dict[Path, ast.Module]:
    """Return the files that a script can import, its own and the library's, parsed."""
    found: dict[Path, ast.Module] = {}
    left = [root / entry]
    while left:
        path = left.pop()
        if path in found:
            continue
        found[path] = ast.parse(path.read_bytes())
        for node in ast.walk(found[path]):
            if not isinstance(node, ast.ImportFrom) or node.module is None:
                continue
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
            for name in names:
                if not name.startswith(("_lib", "hpp")):
                    continue  # of the standard library, or of other people
                base = root if name.startswith("_lib") else LIBRARY
                place = base / (name.replace(".", "/") + ".py")
                # What a self-test uses makes files on purpose, in a folder that goes away.
                if place.is_file() and place.name != "selftest.py":
                    left.append(place)
    return found


def abilities(root: Path, entry: str) -> set[str]:
    """Return what the files that a script can import are able to do."""
    able = set()
    for tree in closure(root, entry).values():
        for node in ast.walk(tree):
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
                names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
                if any(name.partition(".")[0] in NETWORK for name in names):
                    able.add("process or network")
            called = getattr(getattr(node, "func", None), "id", None)
            if called in WRITES:
                able.add("writes")
    return able


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
        (event, re.findall(r'ROOT}/(scripts/\w+\.py)"', entry["command"])[0])
        for event, groups in read(module_root, "hooks/hooks.json")["hooks"].items()
        for group in groups
        for entry in group["hooks"]
    }

    expected = {
        (event, hook["script"]) for hook in declared["declared_hooks"] for event in hook["events"]
    }
    assert wired == expected
    for _, script in wired:
        assert (module_root / script).is_file()


def test_what_reads_can_do_no_more_than_read(module_root: Path) -> None:
    assert abilities(module_root, "statusline/statusline.py") == set()
    assert abilities(module_root, "scripts/health_probe.py") == {"writes", "process or network"}


def test_network_code_is_in_one_file(module_root: Path) -> None:
    reaching = {
        path.name
        for path in [*module_root.glob("*/*.py")]
        if {"socket", "ssl", "http", "asyncio"} & imported(path)
    }

    assert reaching == {"health_probe.py"}


def imported(path: Path) -> set[str]:
    """Return the first parts of the modules that a file imports."""
    found = set()
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        if isinstance(node, ast.ImportFrom):
            found.add((node.module or "").partition(".")[0])
    return found


def test_control_a_hook_that_writes_or_starts_something_would_be_seen(tmp_path: Path) -> None:
    (tmp_path / "_lib").mkdir()
    (tmp_path / "_lib" / "part.py").write_text("import subprocess\natomic_write('x', b'')\n")
    (tmp_path / "hook.py").write_text("def decide():\n    from _lib.part import x\n")

    assert abilities(tmp_path, "hook.py") == {"writes", "process or network"}


def test_the_components_are_those_that_are_declared(
    module_root: Path, declared: dict[str, Any]
) -> None:
    for component in declared["components"]:
        assert any((module_root / component).rglob("*.*")), component


def test_what_is_imported_is_vendored(module_root: Path) -> None:
    entries = {entry["from"] for entry in read(SOURCE, "module.build.json")["vendor"]}
    for path in [*(module_root / "_lib").glob("*.py"), *(module_root / "hooks").glob("*.py"),
                 *(module_root / "scripts").glob("*.py")]:  # fmt: skip
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("hpp.core"):
                places = [node.module or "", *(f"{node.module}.{name.name}" for name in node.names)]
                files = {place.replace(".", "/") + ".py" for place in places}
                assert files & entries, (path.name, node.module)


def test_the_install_manifest_asks_and_arms_nothing_by_itself(
    module_root: Path, declared: dict[str, Any]
) -> None:
    install = read(module_root, "install/kit.install.json")

    channels = {"native": "plugin", "explicit-command": "copy", "unsupported": "unsupported"}
    assert {host: each["channel"] for host, each in install["hosts"].items()} == {
        host: channels[coverage] for host, coverage in declared["hosts"].items()
    }
    events = {event for hook in declared["declared_hooks"] for event in hook["events"]}
    assert set(install["hosts"]["claude-code"]["manual_gates"]) == {
        "hooks", "statusLine", *events,
    }  # fmt: skip
    (question,) = install["questions"]
    assert question["default"] is False
    assert question["effect"]["next_command"][1] == "scripts/health_probe.py"
    for seed in install["seeds"]:
        assert (module_root / seed["from"]).is_file()


def test_every_executable_file_has_a_smoke(module_root: Path) -> None:
    smokes = read(module_root, "install/kit.install.json")["smokes"]
    tested = {smoke["argv"][1] for smoke in smokes if smoke["argv"][2:] == ["--self-test"]}

    executable = {
        str(path.relative_to(module_root).as_posix())
        for path in module_root.rglob("*.py")
        if "_vendor" not in path.parts and '__name__ == "__main__"' in path.read_text("utf-8")
    }
    assert tested == executable


def test_the_readme_has_its_sections_in_order(module_root: Path) -> None:
    text = (module_root / "README.md").read_text(encoding="utf-8")

    assert tuple(re.findall(r"^## (.+)$", text, re.MULTILINE)) == README


def shown(text: str) -> dict[str, list[str]]:
    """Return the commands of the console blocks, each with what is shown to come out."""
    commands: dict[str, list[str]] = {}
    for block in re.findall(r"```console\n(.*?)```", text, re.DOTALL):
        for line in block.splitlines():
            if line.startswith("$ "):
                command = line[2:]
                commands[command] = []
            else:
                commands[command].append(line)
    return commands


@pytest.mark.parametrize("document", ["README.md", "skills/dashboard-builder/SKILL.md"])
def test_a_document_shows_what_really_comes_out(
    module_root: Path, run: Callable[..., Run], document: str
) -> None:
    text = (module_root / document).read_text(encoding="utf-8")
    stamps = re.findall(r"<!-- executed: \S+ · exit=(\d)", text)
    commands = shown(text)

    assert commands
    for number, (command, lines) in enumerate(commands.items()):
        _, script, *words = shlex.split(command.replace("${CLAUDE_PLUGIN_ROOT}", str(module_root)))
        done = run(script, *words, **({} if stamps else {"cwd": module_root}))
        said = (done.stdout + done.stderr).decode().splitlines()
        assert said == lines, command
        assert done.returncode == (int(stamps[number]) if stamps else 0), command


@pytest.mark.parametrize("document", ["AGENTS.md"])
def test_each_command_that_agents_are_told_works(
    module_root: Path, run: Callable[..., Run], document: str
) -> None:
    text = (module_root / document).read_text(encoding="utf-8")
    commands = re.findall(r"^python3 (.+)$|`python3 ([^`]+)`", text, re.MULTILINE)

    told = [first or second for first, second in commands]
    told = [command for command in told if "kit_doctor" not in command]
    assert len(told) == 5
    for command in told:
        assert run(*shlex.split(command)).returncode == 0, command


def test_the_block_of_the_readme_is_the_one_of_the_plugin(module_root: Path) -> None:
    text = (module_root / "README.md").read_text(encoding="utf-8")
    block = json.loads(text.partition("```json\n")[2].partition("```")[0])

    assert block == read(module_root, "hooks/hooks.json")


def test_the_skill_shows_what_really_comes_out(
    module_root: Path, run: Callable[..., Run], project: Path
) -> None:
    text = (module_root / "skills/health-check/SKILL.md").read_text(encoding="utf-8")
    examples = re.findall(r"console\n\$ (.+?)\n(.+?)\n```\n<!-- executed: \S+ · exit=(\d)", text)
    job = {"name": "job", "type": "cmd", "target": ["python3", "-c", ""]}
    orders = {"name": "orders", "type": "json-timestamp", "target": "orders.json", "field": "at",
              "freshness": 3600}  # fmt: skip
    (project / "orders.json").write_text(json.dumps({"at": time.time() - 24 * 86400 - 60}))

    def configure(*probes: dict[str, Any]) -> None:
        document = {"health": {"probes": list(probes)}}
        (project / "operator-profile.json").write_text(json.dumps(document))

    assert len(examples) == 3
    for number, (command, said, status) in enumerate(examples):
        configure(*([{**job, "target": "python3 -c ''"}] if number == 2 else [job, orders]))
        if number == 0:
            assert run("scripts/health_probe.py", "approve", "--apply").returncode == 0
        if number == 1:
            shutil.rmtree(project / ".git" / "hpp")
        words = shlex.split(command.replace("${CLAUDE_PLUGIN_ROOT}", str(module_root)))
        done = run(*words[1:])
        shown_text = (done.stdout + done.stderr).decode().strip()
        assert (shown_text, done.returncode) == (said, int(status)), command


def test_the_skills_hold_to_their_contract(module_root: Path, run: Callable[..., Run]) -> None:
    lint = LIBRARY / "hpp/core/portable/skill_lint.py"

    words = ["--all", module_root / "skills", "--run-proofs", "--replay", "--today", "2026-12-02"]
    done = run(lint, *words)

    assert done.returncode == 0, done.stdout.decode()


def test_every_text_file_is_utf_8_with_line_feeds(module_root: Path) -> None:
    for path in module_root.rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            data = path.read_bytes()
            data.decode("utf-8")
            assert b"\r" not in data, path
