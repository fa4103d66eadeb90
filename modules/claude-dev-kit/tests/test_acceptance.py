"""The module's tools, as a person uses them: what goes in, the status, and what is left."""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Run = subprocess.CompletedProcess[bytes]
    Runner = Callable[..., Run]

SCRIPTS = (
    "hooks/secret_scan_on_write.py", "scripts/adr_check.py", "scripts/hook_probe.py",
    "scripts/install_git_hook.py", "scripts/plugin_check.py", "scripts/search_record.py",
    "scripts/secret_scan.py", "scripts/skill_lint.py", "scripts/teaching_check.py",
    "scripts/wire_settings.py",
)  # fmt: skip
TODAY = ("--today", "2026-12-02")


def tree(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


@pytest.mark.parametrize("script", SCRIPTS)
def test_each_script_checks_itself_and_leaves_the_module_and_the_folder(
    run: Runner, module_root: Path, project: Path, script: str
) -> None:
    before = tree(module_root)

    done = run(script, "--self-test")

    assert done.returncode == 0, done.stdout
    assert done.stdout.splitlines()[-1].endswith(b" 0 failed")
    assert tree(module_root) == before
    assert list(project.iterdir()) == []


@pytest.mark.parametrize("script", SCRIPTS[1:])
def test_a_command_line_that_cannot_be_understood_is_3_and_help_is_0(
    run: Runner, script: str
) -> None:
    assert run(script, "--no-such-option").returncode == 3
    done = run(script, "--help")
    assert done.returncode == 0
    assert b"usage: " in done.stdout


def test_every_skill_passes_its_lint_its_proof_and_its_examples(
    run: Runner, module_root: Path
) -> None:
    done = run(
        "scripts/skill_lint.py", "--all", module_root / "skills", "--run-proofs", "--replay", *TODAY
    )

    assert done.returncode == 0, done.stdout
    assert len(json.loads(done.stdout)["skills"]) == 8


def test_the_smoke_finds_the_modules_own_skills_from_anywhere(run: Runner) -> None:
    assert run("scripts/skill_lint.py", "--all", "skills", *TODAY).returncode == 0


@pytest.mark.parametrize(
    "proof",
    ["echo ok", "python3 -c 'print(1)'", "python3 -m json.tool --help", "true",
     'python3 "${CLAUDE_PLUGIN_ROOT}/constant.py"', 'python3 "${CLAUDE_PLUGIN_ROOT}/absent.py"',
     'python3 "${CLAUDE_PLUGIN_ROOT}/../outside.py"'],
)  # fmt: skip
def test_a_proof_that_would_pass_with_the_skill_deleted_is_refused(
    run: Runner, module_root: Path, tmp_path: Path, proof: str
) -> None:
    skill = tmp_path / "kit/skills/teaching"
    shutil.copytree(module_root / "skills/teaching", skill)
    (tmp_path / "kit/constant.py").write_text('"""A proof."""\nprint("self-test OK")\n')
    (tmp_path / "outside.py").write_text("import sys\nsys.exit(len(sys.argv) - 1)\n")
    text = (skill / "SKILL.md").read_text()
    head, _, _ = text.partition("## Proof")
    (skill / "SKILL.md").write_text(f"{head}## Proof\n\n```bash\n{proof}\n```\n")

    done = run("scripts/skill_lint.py", skill, "--run-proofs", *TODAY)

    assert done.returncode == 2
    assert "L4-vacuous-proof" in {each["code"] for each in json.loads(done.stdout)["problems"]}


@pytest.fixture
def wire(run: Runner, module_root: Path, project: Path) -> Callable[..., Run]:
    spec = module_root / "docs/examples/wiring-spec.json"
    target = project / "settings.json"

    def call(*words: str) -> Run:
        return run("scripts/wire_settings.py", "--target", target, "--spec", spec, *words)

    return call


def test_a_plan_leaves_the_settings_and_an_apply_writes_once(
    wire: Callable[..., Run], project: Path
) -> None:
    settings = project / "settings.json"
    settings.write_text('{\n\t"model": "m"\n}')

    assert wire().returncode == 0
    assert tree(project) == {"settings.json": b'{\n\t"model": "m"\n}'}
    assert wire("--apply").returncode == 0
    first = tree(project)
    assert wire("--apply").returncode == 0
    assert tree(project) == first
    assert b"secret_scan_on_write.py" in first["settings.json"]


def test_an_undo_keeps_what_a_person_added(wire: Callable[..., Run], project: Path) -> None:
    settings = project / "settings.json"
    settings.write_text("{}\n")
    wire("--apply")
    document = json.loads(settings.read_bytes())
    settings.write_text(json.dumps({**document, "mine": [1]}))

    assert wire("--undo", "--apply").returncode == 0

    assert json.loads(settings.read_bytes()) == {"mine": [1]}


def test_a_foreign_status_line_is_left_with_1(run: Runner, project: Path) -> None:
    settings = project / "settings.json"
    settings.write_text('{"statusLine": {"type": "command", "command": "mine"}}')
    spec = project / "spec.json"
    spec.write_text('{"schema": "hpp.wiring-spec/v1", "statusLine": {"command": "ours"}}')

    done = run("scripts/wire_settings.py", "--target", settings, "--spec", spec, "--apply")

    assert done.returncode == 1
    assert b'"mine"' in settings.read_bytes()


def test_the_settings_of_all_projects_need_the_word(
    run: Runner, module_root: Path, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    (home / ".claude").mkdir(parents=True)
    spec = module_root / "docs/examples/wiring-spec.json"
    target = home / ".claude/settings.json"

    words = ["--target", target, "--spec", spec, "--apply"]
    done = run("scripts/wire_settings.py", *words, HOME=str(home), USERPROFILE=str(home))

    assert done.returncode == 2
    assert not target.exists()


@pytest.fixture
def repo(git: Callable[..., Run], tmp_path: Path) -> Path:
    folder = tmp_path / "repo"
    folder.mkdir()
    git(folder, "init", "-q")
    git(folder, "commit", "-q", "--allow-empty", "-m", "first")
    return folder


def test_the_commit_scan_is_chained_in_a_linked_worktree_and_stops_a_secret(
    run: Runner, git: Callable[..., Run], module_root: Path, repo: Path, token: str
) -> None:
    linked = repo.parent / "linked"
    git(repo, "worktree", "add", "-q", linked)
    payload = module_root / "hooks/pre-commit-secret-scan.sh"
    words = ["--repo", linked, "--hook-name", "pre-commit", "--payload", payload]
    assert run("scripts/install_git_hook.py", *words).returncode == 0
    assert run("scripts/install_git_hook.py", *words, "--apply").returncode == 0
    (linked / "a.py").write_text(f"key = '{token}'\n")
    git(linked, "add", "a.py")

    stopped = git(linked, "commit", "-m", "secret", check=False)

    assert stopped.returncode != 0
    assert token[:8].encode() not in stopped.stdout + stopped.stderr
    (linked / "a.py").write_text("key = 1\n")
    git(linked, "add", "a.py")
    assert git(linked, "commit", "-m", "clean", check=False).returncode == 0


@pytest.fixture
def armed(run: Runner, git: Callable[..., Run], module_root: Path, repo: Path) -> Path:
    (repo / "tracked.py").write_text("key = 1\n")
    git(repo, "add", ".")
    git(repo, "commit", "-q", "-m", "clean")
    payload = module_root / "hooks/pre-commit-secret-scan.sh"
    words = ["--repo", repo, "--hook-name", "pre-commit", "--payload", payload, "--apply"]
    assert run("scripts/install_git_hook.py", *words).returncode == 0
    return repo


@pytest.mark.parametrize("words", [["-a"], ["tracked.py"]], ids=["all", "paths"])
def test_a_commit_that_stages_by_itself_is_scanned_as_well(
    git: Callable[..., Run], armed: Path, token: str, words: list[str]
) -> None:
    (armed / "tracked.py").write_text(f"key = '{token}'\n")

    stopped = git(armed, "commit", "-m", "secret", *words, check=False)

    assert stopped.returncode != 0
    assert b"tracked.py:1" in stopped.stdout + stopped.stderr


def test_hooks_of_the_working_tree_are_planned_and_left(
    run: Runner, git: Callable[..., Run], module_root: Path, repo: Path
) -> None:
    git(repo, "config", "core.hooksPath", "hooks")
    words = ["--repo", repo, "--hook-name", "pre-commit", "--payload",
             module_root / "hooks/pre-commit-secret-scan.sh", "--apply"]  # fmt: skip

    assert run("scripts/install_git_hook.py", *words).returncode == 1
    assert not (repo / "hooks").exists()
    assert run("scripts/install_git_hook.py", *words, "--allow-tracked").returncode == 0
    assert (repo / "hooks/pre-commit").exists()


def test_what_is_staged_is_scanned_and_not_what_lies_there(
    run: Runner, git: Callable[..., Run], repo: Path, token: str
) -> None:
    (repo / "ünï code.py").write_text(f"key = '{token}'\n")
    git(repo, "add", ".")
    (repo / "ünï code.py").write_text("key = 1\n")
    (repo / "sub").mkdir()

    staged = run("scripts/secret_scan.py", "--staged", "--json", cwd=repo / "sub")
    lying = run("scripts/secret_scan.py", repo)

    assert staged.returncode == 2
    problem = json.loads(staged.stdout)["problems"][0]
    assert problem["path"] == "ünï code.py:1"
    assert token[:8].encode() not in staged.stdout + staged.stderr
    assert lying.returncode == 0


@pytest.mark.parametrize(
    "words", [[], ["--staged", "a"], ["absent"]], ids=["none", "both", "absent"]
)
def test_a_scan_of_nothing_is_no_clean_scan(run: Runner, words: list[str]) -> None:
    assert run("scripts/secret_scan.py", *words).returncode == (2 if words == ["absent"] else 3)


def copied(module_root: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "a-kit"
    shutil.copytree(module_root, folder)
    return folder


def edit(path: Path, change: dict[str, Any]) -> None:
    path.write_text(json.dumps({**json.loads(path.read_bytes()), **change}))


def test_the_module_passes_the_plugin_check(run: Runner, module_root: Path) -> None:
    assert run("scripts/plugin_check.py", module_root, "--strict").returncode == 0


def test_a_hooks_key_and_a_broken_hooks_file_are_refused(
    run: Runner, module_root: Path, tmp_path: Path
) -> None:
    folder = copied(module_root, tmp_path)
    manifest = folder / ".claude-plugin/plugin.json"
    original = manifest.read_text()

    edit(manifest, {"hooks": "./hooks/hooks.json"})
    assert run("scripts/plugin_check.py", folder).returncode == 2
    manifest.write_text(original)
    assert run("scripts/plugin_check.py", folder).returncode == 0
    edit(folder / "hooks/hooks.json", {"$schema": "x"})
    assert run("scripts/plugin_check.py", folder).returncode == 2


@pytest.mark.parametrize(
    ("body", "status"),
    [("import json, sys\njson.load(sys.stdin)\n", 2), ("", 0), ("raise SystemExit(2)\n", 2)],
    ids=["raises", "silent", "blocks-in-silence"],
)
def test_a_hook_that_raises_on_bad_input_is_found(
    run: Runner, tmp_path: Path, body: str, status: int
) -> None:
    hook = tmp_path / "hook.py"
    hook.write_text(body)

    assert run("scripts/hook_probe.py", hook, "--event", "PreToolUse").returncode == status


@pytest.mark.parametrize("host", ["claude-code", "codex"])
@pytest.mark.parametrize("hook", ["hooks/secret_scan_on_write.py", "docs/hook-template.py"])
def test_the_modules_hooks_conform_on_both_hosts(
    run: Runner, module_root: Path, hook: str, host: str
) -> None:
    done = run("scripts/hook_probe.py", module_root / hook, "--event", "PreToolUse", "--host", host,
               "--max-seconds", "20")  # fmt: skip

    assert done.returncode == 0, done.stdout


def test_the_hook_template_checks_itself(run: Runner) -> None:
    assert run("docs/hook-template.py", "--self-test").returncode == 0


@pytest.mark.parametrize("evaluation", ["hook-chain", "secret-commit"])
def test_each_evaluation_passes(
    module_root: Path,
    environment: dict[str, str],
    git: Callable[..., Run],
    evaluation: str,
    project: Path,
) -> None:
    del git
    if shutil.which("bash") is None:
        pytest.skip("bash is not installed")

    done = subprocess.run(
        ["bash", module_root / f"evals/{evaluation}.sh"], env=environment, cwd=project,
        capture_output=True, timeout=120, check=False,
    )  # fmt: skip

    assert done.returncode == 0, done.stdout + done.stderr
    assert b"FAIL" not in done.stdout
