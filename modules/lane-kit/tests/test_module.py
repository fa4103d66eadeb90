"""The module's files: what they say of it, and whether that is so."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from hpp.core.manifest import packaged_manifest_path

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable

    Run = subprocess.CompletedProcess[str]
    Call = Callable[..., Run]

README = (
    "What it is and is not", "Prerequisites and external services", "Plugin install",
    "Copy install", "What detection says", "What is safe to run again", "Manual wiring", "Proof",
    "Undo",
)  # fmt: skip
SOURCE = Path(__file__).resolve().parents[1]
STARTERS = frozenset({"hpp.core.portable.gitproc", "hpp.core.runner", "hpp.core.git", "subprocess"})


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


def test_every_script_and_hook_has_a_smoke(module_root: Path) -> None:
    smokes = read(module_root, "install/kit.install.json")["smokes"]

    files = {f"scripts/{path.name}" for path in (module_root / "scripts").glob("*.py")}
    files |= {f"hooks/{path.name}" for path in (module_root / "hooks").glob("lane_*.py")}
    assert {smoke["argv"][1] for smoke in smokes} == files
    assert all(smoke["argv"][2:] == ["--self-test"] for smoke in smokes)


def imports_of(path: Path, root: Path) -> set[str]:
    """Return what a file and what it imports of the module's own imports, at any place."""
    seen: set[str] = set()
    todo = [path]
    while todo:
        for node in ast.walk(ast.parse(todo.pop().read_text(encoding="utf-8"))):
            names = []
            if isinstance(node, ast.ImportFrom) and node.module:
                names = [node.module, *(f"{node.module}.{each.name}" for each in node.names)]
            elif isinstance(node, ast.Import):
                names = [each.name for each in node.names]
            for name in set(names) - seen:
                seen.add(name)
                own = root / f"{name.replace('.', '/')}.py"
                if name.startswith("_lib.") and own.is_file():
                    todo.append(own)
    return seen


@pytest.mark.parametrize("name", ["lane_register", "lane_git_guard", "lane_territory_guard"])
def test_a_hook_can_do_what_it_declares_and_no_more(
    module_root: Path, declared: dict[str, Any], name: str
) -> None:
    hook = next(
        each for each in declared["declared_hooks"] if each["script"].endswith(f"{name}.py")
    )
    path = module_root / hook["script"]
    text = path.read_text(encoding="utf-8")
    # The self-test is asked for by hand and never runs for a host.
    without = re.sub(r"from _lib\.guardtest import \w+", "", text)
    without = re.sub(r"from _lib\.(?:lanesline|hookcheck) import [\w, ]+", "", without)
    trimmed = path.with_name(f"trimmed_{name}.py")
    trimmed.write_text(without, encoding="utf-8")
    try:
        found = imports_of(trimmed, module_root)
    finally:
        trimmed.unlink()

    starts = bool(STARTERS & found)
    assert starts == ("mcp-network-and-process-activity" in hook["capabilities"])
    writes = bool({"_lib.folder", "_lib.registrywrite"} & found)
    assert writes == ("automatic-source-writes" in hook["capabilities"])
    # What a session was told is kept outside of the project.
    remembers = "hpp.core.portable.fswrite" in found
    assert remembers == ("session-observation-and-cost-records" in hook["capabilities"])


def test_the_readme_has_its_nine_sections_in_order(module_root: Path) -> None:
    text = (module_root / "README.md").read_text(encoding="utf-8")

    assert tuple(re.findall(r"^## (.+)$", text, re.MULTILINE)[: len(README)]) == README


def test_the_readme_shows_what_really_comes_out(module_root: Path, run: Call) -> None:
    text = (module_root / "README.md").read_text(encoding="utf-8")
    block = text.partition("## Proof")[2].partition("```console\n")[2].partition("```")[0]
    said, codes = [], []
    for line in block.splitlines():
        if line.startswith("$ python3 "):
            said.append(line)
            done = run(*[word.strip('"') for word in re.findall(r'"[^"]*"|\S+', line)[2:]])
            codes.append(done.returncode)
            said += done.stdout.splitlines()

    assert said == block.splitlines()
    assert codes == [0, 0, 0, 1]


def test_the_wiring_of_the_readme_is_that_of_the_hooks(module_root: Path) -> None:
    text = (module_root / "README.md").read_text(encoding="utf-8")
    shown = json.loads(text.partition("```json\n")[2].partition("```")[0])
    wired = (module_root / "hooks/hooks.json").read_text(encoding="utf-8")
    copied = json.loads(
        wired.replace("${CLAUDE_PLUGIN_ROOT}/", "${CLAUDE_PROJECT_DIR}/.claude/hpp/lane-kit/")
    )

    assert shown["hooks"]["PreToolUse"] == copied["hooks"]["PreToolUse"][:1]


def test_each_command_that_agents_are_told_works(
    module_root: Path, run: Call, project: Path
) -> None:
    text = (module_root / "AGENTS.md").read_text(encoding="utf-8")
    stand_in = {"LANE": "exec-a", "MODEL": "claude-opus-4", "ITEM": "I-1", "FILE": "src/a.py"}
    commands = re.findall(r"`python3 ([^`]+)`", text)

    assert len(text.splitlines()) <= 60
    assert len(commands) == 10
    for command in commands:
        words = [word.strip('"') for word in re.findall(r'"[^"]*"|\S+', command)]
        done = run(*[stand_in.get(word, word) for word in words])
        assert done.returncode == 0, (command, done.stderr)
    assert (project / "docs/plans/execution/LANE-BOARD.html").is_file()


def test_the_templates_are_read_by_our_own_readers(
    module_root: Path, run: Call, lanes: Call, project: Path
) -> None:
    folder = project / ".claude" / "lanes"
    (folder / "mailbox").mkdir(parents=True)
    template = module_root / "templates"
    (folder / "registry.json").write_bytes((template / "registry.example.json").read_bytes())
    message = (template / "mailbox-message.md").read_bytes()
    (folder / "mailbox" / "exec-a--note--1.md").write_bytes(message)

    listed = json.loads(lanes("status", "--json", "--now", 1767225960).stdout)["lanes"]
    sent = json.loads(run("scripts/lane_mail.py", "list", "--lane", "exec-a").stdout)["messages"]

    assert [(each["id"], each["liveness"]) for each in listed] == [
        ("exec-a", "alive"), ("rev-b", "closed"),
    ]  # fmt: skip
    assert [each["item"] for each in sent] == ["ITEM-1"]
    status = (template / "stakeholder-status.html").read_text(encoding="utf-8")
    assert "default-src 'none'" in status
    assert "<script" not in status


@pytest.mark.parametrize("skill", ["lane-coordinator", "house-session"])
def test_the_refusals_that_a_skill_shows_are_those_that_come(
    module_root: Path, board: Call, skill: str
) -> None:
    text = (module_root / "skills" / skill / "SKILL.md").read_text(encoding="utf-8")
    maker = ("--lane", "exec-a", "--model", "claude-opus-4")
    board("claim", "ITEM-1", *maker)
    board("build", "ITEM-1", *maker)
    board("checkpoint", "ITEM-1", *maker, "--evidence", "x")
    board("review", "ITEM-1", "--lane", "r", "--model", "gpt-5")
    shown = re.findall(
        r'\$ python3 "\$\{CLAUDE_PLUGIN_ROOT\}/scripts/lane_board\.py" (.+)\n'
        r"(lane_board: .+)\n```\n"
        r"<!-- executed: [\d-]+ · exit=(\d)",
        text,
    )

    assert bool(shown) == (skill == "lane-coordinator")
    for command, line, code in shown:
        words = [word.strip('"') for word in re.findall(r'"[^"]*"|\S+', command)]
        done = board(*words)
        assert (done.stderr.strip(), done.returncode) == (line, int(code))


def test_the_codes_that_a_skill_names_exist(module_root: Path) -> None:
    text = (module_root / "skills/lane-coordinator/SKILL.md").read_text(encoding="utf-8")
    table = text.partition("What a refusal asks of you")[2].partition("A dead lane's")[0]
    code = "".join(path.read_text(encoding="utf-8") for path in (module_root / "_lib").glob("*.py"))

    named = re.findall(r"`([A-Z_]{4,})`", table)
    assert len(named) > 8
    assert [each for each in named if f'"{each}"' not in code] == []


def test_every_text_file_is_utf_8_with_line_feeds(module_root: Path) -> None:
    for path in module_root.rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            data = path.read_bytes()
            data.decode("utf-8")
            assert b"\r" not in data, path


def test_control_a_module_without_its_skills_would_be_seen(
    declared: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / "hooks").mkdir()
    (tmp_path / "scripts").mkdir()

    with pytest.raises(AssertionError):
        test_the_components_are_those_that_are_declared(tmp_path, declared)
