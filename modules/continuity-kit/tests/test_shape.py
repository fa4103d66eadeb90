"""The module's files: what they say of it, and whether that is so."""

from __future__ import annotations

import ast
import datetime as dt
import json
import re
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from hpp.core.manifest import packaged_manifest_path

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Iterator

    Run = subprocess.CompletedProcess[bytes]

SOURCE = Path(__file__).resolve().parents[1]
README = (
    "What it is and is not", "Prerequisites and external services", "Plugin install",
    "Copy install", "What detection says", "What is safe to run again", "Manual wiring", "Proof",
    "Undo",
)  # fmt: skip
SCRIPTS = (
    "hooks/_handoff_io.py", "hooks/handoff_guard.py", "hooks/handoff_inject.py",
    "hooks/turn_checkpoint.py", "scripts/doc_rollup.py", "scripts/session_boot.py",
    "scripts/state_mirror.py",
)  # fmt: skip
TEMPLATES = {
    "00-READ-FIRST", "00-STATE", "00-VISION", "00-PROCESSES", "00-ISOLATION-AND-RECOVERY",
    "00-ROLLBACK", "00-DEPLOY", "LEARNINGS", "loop-charter", "wave-prd", "wave-review",
}  # fmt: skip
STARTS_PROGRAMS = {"subprocess", "socket", "ssl", "asyncio", "http.client", "urllib.request"}


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
        (event, script)
        for event, groups in read(module_root, "hooks/hooks.json")["hooks"].items()
        for group in groups
        for entry in group["hooks"]
        for script in re.findall(r'ROOT}/(\w+/\w+\.py)"', entry["command"])
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


def test_what_a_hook_imports_shows_that_it_starts_no_program(
    module_root: Path, declared: dict[str, Any]
) -> None:
    group = "mcp-network-and-process-activity"
    for hook in declared["declared_hooks"]:
        reached = set(closure(module_root, module_root / hook["script"]))
        starts = bool(reached & STARTS_PROGRAMS)
        assert starts == (group in hook["capabilities"]), (hook["id"], reached & STARTS_PROGRAMS)


def closure(root: Path, script: Path) -> Iterator[str]:
    """Yield the name of every module that a script imports, at any depth and anywhere."""
    library = Path(sys.modules["hpp.core"].__file__ or "").parents[2]
    vendored = root / "_vendor"
    places = [root, vendored if vendored.is_dir() else library]
    todo, seen = [script], set[str]()
    while todo:
        for name in imported(ast.parse(todo.pop().read_bytes())):
            if name in seen:
                continue
            seen.add(name)
            yield name
            for place in places:
                path = place / f"{name.replace('.', '/')}.py"
                todo += [path] if path.is_file() else []


def imported(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{each.name}" for each in node.names)


def test_controle_a_hook_that_runs_a_program_would_be_seen(
    module_root: Path, tmp_path: Path
) -> None:
    planted = tmp_path / "hook.py"
    text = (module_root / "hooks/handoff_inject.py").read_text(encoding="utf-8")
    planted.write_text(text + "\n\ndef late():\n    import subprocess\n", encoding="utf-8")

    assert "subprocess" in set(closure(module_root, planted))


def test_every_executable_script_has_a_smoke(module_root: Path) -> None:
    install = read(module_root, "install/kit.install.json")
    tested = {one["argv"][1] for one in install["smokes"] if one["argv"][2:] == ["--self-test"]}

    assert tested == set(SCRIPTS) == set(read(SOURCE, "module.build.json")["executables"])
    assert all((module_root / seed["from"]).is_file() for seed in install["seeds"])


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_self_test_passes_and_leaves_nothing(
    run: Callable[..., Run], repository: Path, script: str
) -> None:
    before = sorted(path for path in repository.rglob("*") if "objects" not in path.parts)

    done = run(script, "--self-test")

    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, b"self-test OK"), done.stdout
    assert b"CONTROL" in done.stdout
    after = sorted(path for path in repository.rglob("*") if "objects" not in path.parts)
    assert after == before


def test_sessions_go_round_through_the_hooks(run: Callable[..., Run]) -> None:
    done = run("evals/handoff_roundtrip.py")

    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, b"18 passed, 0 failed")


ACCEPTANCE = [
    ("hooks/_handoff_io.py write --stdin", b"{}", {}, 2),
    ("hooks/handoff_guard.py", b"x", {}, 0),
    ("hooks/handoff_guard.py", b'{"hook_event_name":"Notification"}', {}, 0),
    ("hooks/_handoff_io.py write --demo", b"", {"CLAUDE_LANE_ID": "../../x"}, 2),
    ("hooks/_handoff_io.py write", b"", {}, 3),
    ("scripts/doc_rollup.py plan --stdin --config ROOT/rollup.example.json",
     b'{"session_marker":"s-1"}', {}, 2),
    ("hooks/turn_checkpoint.py write --session s", b"", {}, 1),
]  # fmt: skip


@pytest.mark.parametrize(("command", "stdin", "env", "code"), ACCEPTANCE)
def test_the_acceptance_table_holds(  # noqa: PLR0913, PLR0917 -- a row of the table
    run: Callable[..., Run],
    module_root: Path,
    project: Path,
    command: str,
    stdin: bytes,
    env: dict[str, str],
    code: int,
) -> None:
    script, *words = (word.replace("ROOT", str(module_root)) for word in command.split())

    done = run(script, *words, stdin=stdin, **env)

    assert done.returncode == code, done.stderr
    assert b"Traceback" not in done.stderr
    if stdin == b"x":
        assert list(json.loads(done.stdout)) == ["systemMessage"]
        assert list(project.iterdir()) == []


def test_a_mirrored_secret_is_kept_out(run: Callable[..., Run], project: Path) -> None:
    (project / "s.txt").write_text("DB_PASSWORD=hunter2hunter2\n", encoding="utf-8")
    profile = {"paths": {"mirror_globs": [{"glob": "*.txt", "dest_subdir": "x"}]}}
    (project / "operator-profile.json").write_text(json.dumps(profile), encoding="utf-8")

    assert run("scripts/state_mirror.py", "apply").returncode == 1
    assert not list(project.rglob("_state-mirror/x/*"))


def test_each_template_lists_exactly_its_placeholders(module_root: Path) -> None:
    found = {
        path.name.removesuffix(".template.md") for path in (module_root / "templates").glob("*.md")
    }
    assert found == TEMPLATES
    for path in (module_root / "templates").glob("*.md"):
        first, _, rest = path.read_text(encoding="utf-8").partition("\n")
        listed = re.fullmatch(r"<!-- placeholders: (.+) -->", first)
        assert listed, path.name
        used = sorted(set(re.findall(r"\{\{([a-z_]+)\}\}", rest)))
        assert listed[1].split(", ") == used, path.name
        assert rest.count("{{") == len(re.findall(r"\{\{[a-z_]+\}\}", rest)), path.name
    assert read(module_root, "templates/settings-continuity.template.json")["_placeholders"] == []


def test_the_state_template_has_the_headings_that_are_read(
    module_root: Path, run: Callable[..., Run], project: Path
) -> None:
    text = (module_root / "templates/00-STATE.template.md").read_text(encoding="utf-8")
    assert re.findall(r"^## .*$", text, re.MULTILINE) == ["## Now", "## OPEN ITEMS", "## Log"]
    place = project / "docs/plans/execution/00-STATE.md"
    place.parent.mkdir(parents=True)
    place.write_text(text, encoding="utf-8")

    shown = run("scripts/session_boot.py").stdout.decode()

    assert "the focus, in one to three sentences" in shown
    assert "what is open" in shown
    assert "what changed, and the evidence" not in shown


def test_the_examples_are_sound(module_root: Path, run: Callable[..., Run]) -> None:
    text = (module_root / "profile.example.yaml").read_text(encoding="utf-8")
    from hpp.core.portable.minicfg import load_yaml

    assert load_yaml(text, "profile")["continuity"]["checkpoint"] == "on"
    targets = read(module_root, "rollup.example.json")["repos"][0]["targets"]
    assert len({target["role"] for target in targets}) == 7
    assert len({target["mode"] for target in targets}) == 4
    del run


@pytest.mark.parametrize("skill", ["pre-clear", "doc-rollup"])
def test_the_skills_show_what_really_comes_out(
    module_root: Path, run: Callable[..., Run], skill: str
) -> None:
    text = (module_root / f"skills/{skill}/SKILL.md").read_text(encoding="utf-8")
    form = r"```console\n\$ ([^\n]+)\n(.*?)```\n<!-- executed: (\S+) · exit=(\d)"
    examples = re.findall(form, text, re.DOTALL)

    assert len(examples) == 3
    assert any(code != "0" for *_, code in examples)
    for command, shown, date, code in examples:
        assert dt.date.fromisoformat(date)
        words = shlex.split(command.replace("${CLAUDE_PLUGIN_ROOT}", str(module_root)))
        stdin = b""
        if "<" in words:
            stdin = Path(words[-1]).read_bytes()
            words = words[:-2]
        script = Path(words[1]).relative_to(module_root)
        done = run(script, *words[2:], stdin=stdin, cwd=module_root)
        said = (done.stdout + done.stderr).decode()
        assert (done.returncode, said) == (int(code), shown), command


def test_the_readme_has_its_sections_and_shows_what_comes_out(
    module_root: Path, run: Callable[..., Run]
) -> None:
    text = (module_root / "README.md").read_text(encoding="utf-8")
    titles = re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert tuple(titles[: len(README)]) == README

    block = text.partition("```console\n")[2].partition("```")[0]
    first, _, shown = block.partition("\n")
    done = run(*first.split()[2:])
    assert (done.returncode, done.stdout.decode()) == (0, shown)


def test_the_wiring_of_the_readme_is_that_of_the_plugin(module_root: Path) -> None:
    text = (module_root / "README.md").read_text(encoding="utf-8")
    block = text.partition("```json\n")[2].partition("```")[0]
    place = "${CLAUDE_PROJECT_DIR}/.claude/hpp/continuity-kit"

    wired = read(module_root, "hooks/hooks.json")["hooks"]
    own = json.loads(block.replace(place, "${CLAUDE_PLUGIN_ROOT}"))["hooks"]
    assert own == wired


def test_every_command_that_agents_are_told_works(
    module_root: Path, run: Callable[..., Run]
) -> None:
    text = (module_root / "AGENTS.md").read_text(encoding="utf-8")
    commands = re.findall(r"^python3 ((?:hooks|scripts)/\S+) --self-test$", text, re.MULTILINE)
    assert sorted(commands) == sorted(SCRIPTS)
    for script in re.findall(r"`python3 \.agents/hpp/continuity-kit/([\w/.]+)", text):
        assert (module_root / script).is_file()
        assert run(script, "--help").returncode == 0


def test_every_text_file_is_utf_8_with_line_feeds(module_root: Path) -> None:
    for path in module_root.rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            data = path.read_bytes()
            data.decode("utf-8")
            assert b"\r" not in data, path
