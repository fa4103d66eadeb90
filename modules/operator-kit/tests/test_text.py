"""The module's pages: their form, and whether what they show is what happens."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from hpp.core.portable.minicfg import load_yaml

if TYPE_CHECKING:
    from collections.abc import Callable

    Run = subprocess.CompletedProcess[bytes]

SOURCE = Path(__file__).resolve().parents[1]
REWRITE = Path(__file__).resolve().parent / "data" / "rewrite_examples.py"
RULES_LIMIT = 12 * 1024
RULE_LIMIT = 8 * 1024
README = (
    "What it is and is not", "Prerequisites and external services", "Plugin install",
    "Copy install", "What detection says", "What is safe to run again", "Manual wiring", "Proof",
    "Undo", "What installs where", "Configuration", "Commands", "State", "Limits",
)  # fmt: skip
SKILLS = {
    "loop-driver", "parallel-dispatch", "delegate-with-handback", "adversarial-refuter",
    "gated-improvement-proposal", "pre-clear-boot-block", "live-source-prover",
    "gate-sheet-collector", "doc-consolidator-dedup", "dual-report-builder",
    "claude-md-from-profile", "spec-driven-work", "review-and-attest",
}  # fmt: skip
RULES = {
    "learned-corrections", "stale-replay-guard", "epistemic-standards", "agent-integrity",
    "no-secrets-in-memory", "gateguard", "loop-operator", "loop-cost-budget", "loop-maker-checker",
    "loop-passk", "loop-patterns-catalog", "agent-cognition", "partial-autonomy-slider",
}  # fmt: skip
LENSES = ("verification-gap", "partial-set", "deletion", "stale-evidence")
AGENTS = {"refuter", "silent-failure-hunter", *(f"lens-{name}" for name in LENSES)}
EDITORS = {"Write", "Edit", "MultiEdit", "NotebookEdit"}
needs_test = pytest.mark.skipif(
    shutil.which("test") is None, reason="the examples run the POSIX program `test`"
)


def front(path: Path) -> tuple[dict[str, Any], str]:
    """Return the front matter of a page and its body."""
    _, head, body = path.read_text(encoding="utf-8").split("---\n", 2)
    found = load_yaml(head, path.name)
    assert isinstance(found, dict)
    return found, body


def stems(folder: Path) -> set[str]:
    return {path.stem for path in folder.glob("*.md")}


def differing(root: Path, *pages: Path) -> list[str]:
    done = subprocess.run(
        [sys.executable, REWRITE, root, "--check", *pages], capture_output=True, check=False,
        timeout=120,
    )  # fmt: skip
    assert done.returncode in (0, 1), done.stderr
    return done.stdout.decode().split()


def test_there_is_what_was_promised(module_root: Path) -> None:
    assert {path.parent.name for path in module_root.glob("skills/*/SKILL.md")} == SKILLS
    assert stems(module_root / "rules") == RULES
    assert stems(module_root / "agents") == AGENTS
    assert stems(module_root / "commands") == {"loop-gate", "cancel-loop-gate", "gate-sheet"}
    assert stems(module_root / "output-styles") == {"direct-register", "full-scope"}


@needs_test
def test_every_skill_shows_what_really_comes_out(module_root: Path) -> None:
    assert differing(module_root, *sorted(module_root.glob("skills/*/SKILL.md"))) == []


@needs_test
def test_the_readme_shows_what_really_comes_out(module_root: Path) -> None:
    assert differing(module_root, module_root / "README.md") == []


@needs_test
def test_control_a_page_that_shows_something_else_is_found(
    module_root: Path, tmp_path: Path
) -> None:
    page = tmp_path / "page.md"
    text = (module_root / "skills" / "loop-driver" / "SKILL.md").read_text(encoding="utf-8")
    page.write_text(text.replace("exit=1", "exit=0"), encoding="utf-8")

    assert differing(module_root, page) == [f"{tmp_path.name}/page.md"]


def test_the_linter_and_every_proof_pass(module_root: Path) -> None:
    lint = f"""
import sys
from hpp.core.portable.skillcommand import main
sys.exit(main(["--all", {str(module_root / "skills")!r}, "--run-proofs", "--today", "2026-12-02"],
              {str(module_root)!r}))
"""
    done = subprocess.run(
        [sys.executable, "-c", lint], capture_output=True, check=False, timeout=300
    )

    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("name", sorted(AGENTS))
def test_a_checker_cannot_edit_and_says_what_it_left(name: str, module_root: Path) -> None:
    head, body = front(module_root / "agents" / f"{name}.md")

    assert set(head) == {"name", "description", "tools", "disallowedTools"}
    assert head["name"] == name
    assert EDITORS.isdisjoint(each.strip() for each in head["tools"].split(","))
    assert {each.strip() for each in head["disallowedTools"].split(",")} == EDITORS
    assert "git status --porcelain=v1" in body
    assert all(f"({number})" in body for number in range(1, 8))


@pytest.mark.parametrize("lens", LENSES)
def test_the_example_of_a_lens_is_accepted_by_the_harness(
    lens: str, module_root: Path, tmp_path: Path
) -> None:
    finding = pytest.importorskip("hpp.decide.finding", reason="hpp-decide is not installed")
    _, body = front(module_root / "agents" / f"lens-{lens}.md")
    block = body.partition("```json\n")[2].partition("```")[0]
    change = tmp_path / "change.diff"
    change.write_bytes(b"-old\n+new\n")
    command = re.findall(r'python3 -c "([^"]+)" CHANGE', body)[0]
    digest = subprocess.run(
        [sys.executable, "-c", command, change], capture_output=True, check=True, timeout=60
    ).stdout.decode()
    document = json.loads(block)
    document["subject_sha256"] = digest.strip()
    (tmp_path / "findings.json").write_text(json.dumps(document))
    codes = set(re.findall(r"^\| `([A-Z_]+)` \|", body, re.MULTILINE))

    assert finding.__name__
    done = subprocess.run(
        [sys.executable, "-m", "hpp", "findings", "check", "--subject", "change.diff",
         "findings.json"], cwd=tmp_path, capture_output=True, check=False, timeout=60,
    )  # fmt: skip

    assert done.returncode in (0, 1), (done.stdout, done.stderr)
    assert len(codes) == 5
    assert document["lens"] == f"lens-{lens}"
    assert {each["code"] for each in document["findings"]} <= codes


@pytest.mark.parametrize("name", sorted(RULES))
def test_a_rule_says_when_why_and_how_it_is_checked(name: str, module_root: Path) -> None:
    path = module_root / "rules" / f"{name}.md"
    head, body = front(path)

    assert list(head) == ["paths"]
    assert head["paths"]
    assert path.stat().st_size <= RULE_LIMIT
    parts = ["**Rule.**", "**Why.**", "**Checked by**", "**Right:**", "**Wrong:**"]
    assert all(part in body for part in parts)
    for script in re.findall(r"`(\w+\.py)", body):
        places = (module_root / "scripts" / script, module_root / "hooks" / script)
        assert any(place.is_file() for place in places), script


def test_the_rules_keep_their_budget(module_root: Path) -> None:
    paths = sorted((module_root / "rules").glob("*.md"))
    eager = [path for path in paths if not front(path)[0].get("paths")]
    page = (module_root / "docs" / "rules-budget.md").read_text(encoding="utf-8")

    assert eager == []
    assert sum(path.stat().st_size for path in paths) < RULES_LIMIT
    assert "**0** characters" in page
    assert "12 KiB" in page


def test_a_command_that_arms_something_is_a_persons_and_quotes_nothing_into_a_shell(
    module_root: Path,
) -> None:
    for path in (module_root / "commands").glob("*.md"):
        head, body = front(path)
        assert set(head) <= {
            "description", "argument-hint", "allowed-tools", "disable-model-invocation",
        }  # fmt: skip
        assert head.get("disable-model-invocation", False) is ("loop-gate" in path.stem)
        assert not re.search(r"`[^`\n]*\$ARGUMENTS[^`\n]*`", body)


def test_the_request_of_the_loop_command_arms_a_loop(
    module_root: Path, run: Callable[..., Run], project: Path
) -> None:
    _, body = front(module_root / "commands" / "loop-gate.md")
    block = "\n".join(
        line.strip() for line in body.partition("```json\n")[2].partition("```")[0].splitlines()
    )
    folder = project / ".claude" / "loop-gate"
    folder.mkdir(parents=True)
    (folder / "request.json").write_text(json.dumps(json.loads(block)))

    spec = (".claude/loop-gate/request.json",)
    done = run("hooks/loop_gate.py", "start", "--session", "s", "--spec", *spec)

    assert done.returncode == 0, done.stderr


def test_each_command_that_agents_are_told_works(
    module_root: Path, run: Callable[..., Run], project: Path
) -> None:
    text = (module_root / "AGENTS.md").read_text(encoding="utf-8")
    commands = re.findall(r"^\| [\w-]+ \| `python3 ([^`]+)` \|$", text, re.MULTILINE)
    (project / "README.md").write_text("Always test.\n")

    assert len(commands) == 9
    for command in commands:
        words = [word.strip('"') for word in re.findall(r'"[^"]+"|\S+', command)]
        assert run(*words).returncode == 0, command


def test_the_readme_has_its_sections_in_order(module_root: Path) -> None:
    text = (module_root / "README.md").read_text(encoding="utf-8")

    assert tuple(re.findall(r"^## (.+)$", text, re.MULTILINE)) == README


def test_the_readme_shows_the_complete_wiring(module_root: Path) -> None:
    text = (module_root / "README.md").read_text(encoding="utf-8")
    block = text.partition("## Manual wiring")[2].partition("```json\n")[2].partition("```")[0]

    assert json.loads(block) == json.loads((module_root / "hooks" / "hooks.json").read_bytes())


def test_the_readme_names_every_script_with_its_statuses(module_root: Path) -> None:
    text = (module_root / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+\.py)[^|]*\|(.*)\|$", text, re.MULTILINE)

    assert {name for name, _ in rows} == {
        path.name for path in (module_root / "scripts").glob("*.py")
    }
    assert all(rest.count("|") == 3 for _, rest in rows)


def test_every_text_is_utf_8_with_line_feeds_and_names_no_machine(module_root: Path) -> None:
    for path in module_root.rglob("*.md"):
        data = path.read_bytes()
        text = data.decode("utf-8")
        assert b"\r" not in data, path
        assert not re.search(r"/home/|/root/|C:\\\\Users", text), path


def test_nothing_that_was_run_left_anything_in_the_module(module_root: Path) -> None:
    made = [path for path in (module_root / "docs" / "example").rglob("*") if path.is_file()]

    assert {path.name for path in made} == {
        path.name for path in (SOURCE / "docs" / "example").rglob("*") if path.is_file()
    }
    assert not (module_root / "docs" / "example" / ".claude").exists()
