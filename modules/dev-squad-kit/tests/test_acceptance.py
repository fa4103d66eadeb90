"""The module's acceptance, row by row, as a person would run it."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable
    from pathlib import Path

    Run = Callable[..., subprocess.CompletedProcess[str]]
    Put = Callable[[str, object], Path]
    Made = Callable[..., dict[str, Any]]

ROLES = (
    "analyst", "architect", "data-engineer", "dev", "devops", "master", "pm", "po", "qa", "sm",
    "squad-creator", "ux-design-expert",
)  # fmt: skip
MAKERS = {"dev", "data-engineer", "devops", "squad-creator"}
SCRIPTS = ("pp_inventory.py", "pp_merge.py", "squad_brief.py", "squad_lint.py")


@pytest.mark.parametrize("script", SCRIPTS)
def test_each_script_checks_itself_and_leaves_the_folder(
    run: Run, project: Path, script: str
) -> None:
    done = run(script, "--self-test")

    assert done.returncode == 0, done.stdout
    assert done.stdout.splitlines()[-1].endswith(" 0 failed")
    assert list(project.iterdir()) == []


def test_the_pages_keep_their_rules(run: Run, squad_root: Path) -> None:
    done = run("squad_lint.py", "agents", "commands", cwd=squad_root)

    assert (done.returncode, done.stdout) == (0, "ok: 24 pages\n")


@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        pytest.param("Grep, Glob, Bash\n", "Grep, Glob, Bash, Edit\n", "judge-edits", id="edit"),
        pytest.param("## Stop", "Open templates/nothing.md.\n\n## Stop", "reference", id="file"),
        pytest.param("## Stop", "## Later", "stop", id="stops"),
    ],
)
def test_a_broken_qa_page_is_refused(run: Run, copied: Path, old: str, new: str, rule: str) -> None:
    page = copied / "agents/qa.md"
    text = page.read_text(encoding="utf-8")
    assert old in text
    page.write_text(text.replace(old, new, 1), encoding="utf-8")

    done = run("squad_lint.py", "agents", "commands", "--json", cwd=copied)

    assert done.returncode == 2
    assert rule in {each["code"] for each in json.loads(done.stdout)["problems"]}


def test_there_are_twelve_roles_and_four_of_them_make(run: Run) -> None:
    done = run("squad_brief.py", "roles", "--json")

    told = json.loads(done.stdout)["roles"]
    assert done.returncode == 0
    assert [each["name"] for each in told] == list(ROLES)
    assert {each["name"] for each in told if each["set"] == "maker"} == MAKERS


@pytest.mark.parametrize("role", ROLES)
def test_each_role_is_routed(
    run: Run, hpp: Run, squad_root: Path, project: Path, role: str
) -> None:
    providers = squad_root / "templates/routing/providers.example.json"

    assert run("squad_brief.py", "route", "--role", role, "--out", "r.json").returncode == 0
    done = hpp("route", "--request", "r.json", "--providers", providers)

    assert done.returncode == 0, done.stderr
    request = json.loads((project / "r.json").read_bytes())
    assert (request["stage"] == "build") == (role in MAKERS)
    tier = json.loads(done.stdout)["selection"]["tier"]
    assert tier == ("frontier" if request["risk"] == "high" else "balanced")


def test_a_floor_is_not_lowered_and_nothing_is_written(run: Run, project: Path) -> None:
    done = run("squad_brief.py", "route", "--role", "qa", "--risk", "low", "--out", "r.json")

    assert (done.returncode, done.stdout) == (1, "")
    assert "--risk low: qa has high at least" in done.stderr
    assert list(project.iterdir()) == []


def test_a_floor_can_be_raised(run: Run) -> None:
    done = run("squad_brief.py", "route", "--role", "sm", "--complexity", "high", "--context", "9")

    assert done.returncode == 0
    assert json.loads(done.stdout) == {
        "stage": "inspect", "risk": "low", "complexity": "high", "context": 9,
    }  # fmt: skip


@pytest.mark.parametrize("role", ROLES)
def test_each_role_gets_its_context(run: Run, hpp: Run, fixture_repo: Path, role: str) -> None:
    made = run(
        "squad_brief.py", "context", "--role", role, "--root", fixture_repo, "--out", "c.json"
    )
    assert made.returncode == 0, made.stderr

    done = hpp("context", "compile", "c.json", "--budget", "20000")

    assert done.returncode == 0, done.stderr
    compiled = json.loads(done.stdout)
    sources = [each["source"] for each in compiled["included"]]
    assert sources[:3] == ["role-rules", "story", "acceptance"]
    assert compiled["omitted"] == []


def test_a_source_with_a_private_key_is_refused_and_not_printed(
    run: Run, put: Put, project: Path
) -> None:
    head = "-----BEGIN RSA PRIVATE " + "KEY-----"
    put("key.txt", f"{head}\nMIIEow\n")
    put("r.json", [{"source": "s", "priority": 1, "path": "key.txt", "max_chars": 999}])

    done = run(
        "squad_brief.py", "context", "--role", "qa", "--root", ".", "--recipe", "r.json",
        "--out", "c.json",
    )  # fmt: skip

    assert done.returncode == 2
    assert "secret-like text" in done.stderr
    assert "PRIVATE" not in done.stdout + done.stderr
    assert not (project / "c.json").exists()


def test_an_inventory_is_the_same_twice(run: Run, fixture_repo: Path, project: Path) -> None:
    tree = project / "tree"
    shutil.copytree(fixture_repo, tree)

    first, second = (run("pp_inventory.py", "tree", "--json") for _ in range(2))

    assert (first.returncode, first.stdout) == (0, second.stdout)
    assert json.loads(first.stdout)["files"] == 7
    assert str(project) not in first.stdout


def test_agreement_conflict_subjects_and_repetition(
    run: Run, put: Put, review: Made, notes: Made
) -> None:
    put("a.json", review())
    put("b.json", review("deletion", severity="high"))
    put("c.json", review("deletion", subject="b" * 64))
    put("d.json", notes("d", "for"))
    put("e.json", notes("e", "against"))

    def status(*files: str) -> int:
        return run("pp_merge.py", *files, "--out", "m.json").returncode

    assert status("a.json", "b.json") == 0
    assert status("d.json", "e.json") == 1
    assert status("a.json", "c.json") == 2
    assert status("a.json", "a.json") == 2


def test_the_merged_text_cites_its_inputs(
    run: Run, hpp: Run, put: Put, review: Made, notes: Made
) -> None:
    place = put(
        "a.json", review(claim="3 of 40 cases are missing. The rest passes", severity="high")
    )
    put("b.json", notes("b", "against", claim="All 40 cases are there"))
    out = ("--out", "m.json", "--text", "m.md", "--inputs", "i.json")
    assert run("pp_merge.py", "a.json", "b.json", *out).returncode == 1

    done = hpp("cite", "check", "--text", "m.md", "--context", "i.json")
    assert done.returncode == 0, done.stdout

    inputs = json.loads(place.with_name("i.json").read_bytes())
    put("i.json", inputs[:-1])
    short = hpp("cite", "check", "--text", "m.md", "--context", "i.json")
    assert short.returncode == 2
    assert "UNKNOWN_ID" in short.stdout


def test_the_skills_pass_their_lint_their_proofs_and_their_examples(squad_root: Path) -> None:
    import datetime as dt

    from hpp.core.portable.skillcommand import lint_skill

    folders = sorted((squad_root / "skills").iterdir())

    assert [each.name for each in folders] == ["pp-consolidate", "pp-discovery", "pp-xray"]
    for folder in folders:
        found = lint_skill(str(folder), dt.date(2026, 12, 2), proofs=True, replay=True)
        assert [(each.rule, each.message) for each in found] == []
